import { agentFolder } from "../config/paths.ts";
import { MemorySessionStore } from "../conversation/memory-store.ts";
import { startAgentChat } from "../modes/agent-chat/agent-chat-mode.ts";
import type { BaseOptions } from "../modes/agent-chat/chat-options.ts";
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
  session: "the request's session_key names the conversation",
  "session-id": "the request's session_key names the conversation",
  continue: "the request's session_key names the conversation",
  fork: "the request's session_key names the conversation",
  name: "conversations are named by session_key",
  stream: "answers are always streamed as text_chunk events",
  ready: "send a ping instead",
  "no-ready": "it has no ready line",
};

/** Runs `pi agent-rpc`. */
export async function runAgentRpc(args: readonly string[]): Promise<number> {
  const parsed = readServerArguments("agent-rpc", args, { refused, advice: "Send an agent_chat request on stdin." });
  if (!parsed) return 0;
  const { options } = parsed;
  const { session: _session, ...common } = await readSessionOptions(parsed);
  const store = options["no-session"] ? new MemorySessionStore() : await openStoreIfNamed(options);
  const base: BaseOptions = {
    ...common,
    cwd: process.cwd(),
    agentDir: agentFolder(),
    onProblem: writeError,
    ...(store && { store }),
  };
  const chat = startAgentChat(base, process.stdin, await openStdout());
  onEndSignal(() => chat.stop());
  onFailure((problem) => chat.fail(problem));
  careForMemory();
  await chat.finished;
  return 0;
}
