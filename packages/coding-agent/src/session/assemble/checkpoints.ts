import type { Settings } from "../../config/settings.ts";
import { MemorySessionStore } from "../../conversation/memory-store.ts";
import { SessionCheckpoints } from "../parts/checkpoints.ts";
import type { Transcript } from "../parts/transcript.ts";
import type { Setup } from "./setup.ts";

/** Creates the part that keeps what tools change. It follows the session to other conversations. */
export function createCheckpoints(
  { options, report }: Pick<Setup, "options" | "report">,
  settings: Settings,
  transcript: Pick<Transcript, "conversation">,
): SessionCheckpoints {
  const { agentDir, files, runProcess, runsLocally, session, store } = options;
  const isInMemory = session === "memory" || store instanceof MemorySessionStore;
  const isOn = !isInMemory && settings.undo?.enabled !== false;
  return new SessionCheckpoints(async () => {
    const { openCheckpoints } = await import("../../checkpoints/open.ts");
    return openCheckpoints({
      ...{ agentDir, files, settings: settings.undo, report },
      conversation: () => (isOn ? transcript.conversation : undefined),
      runsElsewhere: runProcess !== undefined && runsLocally !== true,
    });
  }, isOn);
}
