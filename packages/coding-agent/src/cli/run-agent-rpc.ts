import { agentFolder } from "../config/paths.ts";
import { MemorySessionStore } from "../conversation/memory-store.ts";
import { UsageError } from "../errors.ts";
import { startAgentChat } from "../modes/agent-chat/agent-chat-mode.ts";
import type { BaseOptions } from "../modes/agent-chat/chat-options.ts";
import { openStdout } from "../modes/stdout.ts";
import { writeError } from "../modes/terminal-text.ts";
import { helpText, type OptionName, parseArguments } from "./args.ts";
import { onFailure } from "./last-resort.ts";
import { readSessionOptions } from "./session-options.ts";
import { openStoreIfNamed } from "./session-store.ts";
import { onEndSignal } from "./signals.ts";

/** Refused options: the protocol has its own way to set them, or they belong to other modes. */
const refusedOptions: Partial<Record<OptionName, string>> = {
  mode: "agent-rpc is a mode of its own",
  print: "agent-rpc is a mode of its own",
  session: "the request's session_key names the conversation",
  "session-id": "the request's session_key names the conversation",
  continue: "the request's session_key names the conversation",
  fork: "the request's session_key names the conversation",
  name: "conversations are named by session_key",
  stream: "answers are always streamed as text_chunk events",
  ready: "send a ping instead",
  "no-ready": "it has no ready line",
  export: "run pi --export",
  "list-models": "run pi --list-models",
  version: "run pi --version",
};

/** Runs `pi agent-rpc`. */
export async function runAgentRpc(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args);
  const { options, prompts } = parsed;
  if (options.help) {
    process.stdout.write(`${helpText()}\n`);
    return 0;
  }
  for (const [name, reason] of Object.entries(refusedOptions)) {
    if (options[name as OptionName] !== undefined)
      throw new UsageError("invalid_arguments", `agent-rpc takes no --${name}: ${reason}.`);
  }
  if (prompts[0] !== undefined) {
    throw new UsageError(
      "invalid_arguments",
      `agent-rpc takes no prompt arguments, but got "${prompts[0]}". Send an agent_chat request on stdin.`,
    );
  }
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
  await chat.finished;
  return 0;
}
