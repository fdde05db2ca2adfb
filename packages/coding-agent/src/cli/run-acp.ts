import { agentFolder } from "../config/paths.ts";
import { MemorySessionStore } from "../conversation/memory-store.ts";
import { startAcp } from "../modes/acp/acp-mode.ts";
import type { BaseOptions } from "../modes/acp/session-parts.ts";
import { openStdout } from "../modes/stdout.ts";
import { writeError } from "../modes/terminal-text.ts";
import { onFailure } from "./last-resort.ts";
import { careForMemory } from "./memory/care-for-memory.ts";
import { type RefusedOptions, readServerArguments } from "./server-arguments.ts";
import { readSessionOptions } from "./session-options.ts";
import { openStoreIfNamed } from "./session-store.ts";
import { onEndSignal } from "./signals.ts";

/** The options that the protocol has its own ways to set. */
const refused: RefusedOptions = {
  session: "the editor names the session",
  "session-id": "the editor names the session",
  continue: "the editor names the session",
  resume: "the editor names the session",
  fork: "the editor names the session",
  name: "the editor names the session",
  stream: "answers are always streamed",
  ready: "send initialize instead",
  "no-ready": "it has no ready line",
};

/** Runs `pi acp`. */
export async function runAcp(args: readonly string[]): Promise<number> {
  const parsed = readServerArguments("acp", args, { refused, advice: "The editor sends the prompts." });
  if (!parsed) return 0;
  const { options } = parsed;
  const { session: _session, ...common } = await readSessionOptions(parsed);
  const agentDir = agentFolder();
  const store = options["no-session"] ? new MemorySessionStore() : await openStoreIfNamed(options);
  const base: BaseOptions = {
    ...{ ...common, agentDir, onProblem: writeError },
    ...(store && { store }),
  };
  const acp = startAcp(base, process.stdin, await openStdout());
  onEndSignal(() => acp.stop());
  onFailure((problem) => {
    writeError(problem);
    return acp.stop();
  });
  careForMemory();
  await acp.finished;
  return 0;
}
