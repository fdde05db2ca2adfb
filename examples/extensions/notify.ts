// Tells the user when a run has ended: how it ended, how long it took, and what it cost. Runs that are over sooner than
// PI_NOTIFY_AFTER_SECONDS (default 10) are passed over, since the user is still looking.
import type { AssistantMessage } from "@pikit/ai";
import type { ExtensionApi } from "@pikit/coding-agent";

export default function (pi: ExtensionApi): void {
  const patienceMs = Number(process.env.PI_NOTIFY_AFTER_SECONDS ?? 10) * 1000;
  let startedAt = 0;
  pi.on("agent_start", () => {
    startedAt = performance.now();
  });
  pi.on("agent_end", ({ messages }, { ui }) => {
    const tookMs = performance.now() - startedAt;
    if (tookMs < patienceMs) return;
    const answers = messages.filter((message): message is AssistantMessage => message.role === "assistant");
    const costUsd = answers.reduce((sum, { usage }) => sum + usage.cost.total, 0);
    const last = answers.at(-1);
    const isFailure = last?.stopReason === "error";
    const ending = isFailure ? `Failed: ${last.errorMessage}` : last?.stopReason === "aborted" ? "Stopped" : "Done";
    const facts = `${Math.round(tookMs / 1000)} s, model calls: ${answers.length}, $${costUsd.toFixed(4)}`;
    ui.notify(`${ending} (${facts})`, isFailure ? "error" : "info");
  });
}
