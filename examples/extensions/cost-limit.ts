// Ends a run that has cost more than PI_COST_LIMIT_USD (US dollars, default 1), and shows what it has cost so far. It stops between two
// turns, so the last answer may go beyond the limit. Models without prices cost nothing here. The settings know `limits.maxCostUsd`,
// which does the same; this shows how to build a limit of your own.
import type { ExtensionApi } from "@pikit/coding-agent";

export default function (pi: ExtensionApi): void {
  const limitUsd = Number(process.env.PI_COST_LIMIT_USD ?? 1);
  if (!(limitUsd > 0))
    throw new Error(`PI_COST_LIMIT_USD is "${process.env.PI_COST_LIMIT_USD}". Give a number of US dollars above 0.`);
  let costUsd = 0;
  pi.on("agent_start", () => {
    costUsd = 0;
  });
  pi.on("turn_end", ({ message, toolResults }, { ui, abort }) => {
    if (message.role !== "assistant") return;
    costUsd += message.usage.cost.total;
    ui.setStatus("cost-limit", `$${costUsd.toFixed(2)} of $${limitUsd.toFixed(2)}`);
    if (costUsd <= limitUsd || toolResults.length === 0) return;
    ui.notify(`The run has cost $${costUsd.toFixed(2)}, and $${limitUsd.toFixed(2)} is its limit. It was stopped.`, "warning");
    abort();
  });
}
