import type { Readable, Writable } from "node:stream";
import type { BaseOptions } from "./modes/agent-chat/chat-options.ts";
import type { StreamMode } from "./protocol/data.ts";
import type { AgentSession } from "./session/agent-session.ts";

/** Where a protocol is spoken. */
export interface Streams {
  /** JSON lines that come in. */
  input: Readable;
  /** JSON lines that go out; ended when all is over. */
  output: Writable;
  /** Ends it, as the end of the input does. */
  signal?: AbortSignal;
}

export interface RpcModeOptions extends Streams {
  /** How answers are streamed until the client says otherwise. Default: snapshots. */
  streamMode?: StreamMode;
  /** Whether the first line is `ready`. Default true. */
  ready?: boolean;
}

/** What chats are made with, unless a request says otherwise. `cwd` and `agentDir` have the defaults of `createAgentSession`. */
export type AgentRpcOptions = Streams & Omit<BaseOptions, "cwd" | "agentDir"> & Partial<Pick<BaseOptions, "cwd" | "agentDir">>;

/**
 * Serves a session by the RPC protocol on any two streams, as `pi --mode rpc` does on stdin and stdout. The client's user answers what the
 * session asks. The session is started, and disposed of in the end: when the input ends or the output closes, when `signal` is aborted, or
 * when an extension asks for it. Any number may be served in one process; nothing of the process itself is touched.
 *
 * @returns when everything is written, or cannot be.
 */
export async function runRpcMode(session: AgentSession, options: RpcModeOptions): Promise<void> {
  const { input, output, signal, streamMode = "snapshots", ready = true } = options;
  ignoreErrorsOf(input, output);
  const [{ serveRpc }, { openWritable }] = await Promise.all([import("./modes/rpc/rpc-mode.ts"), import("./modes/stdout.ts")]);
  await serveRpc(session, { input, output: openWritable(output), streamMode, ready, warmUp: false, signal });
}

/**
 * Serves the agent_chat protocol on any two streams, as `pi agent-rpc` does on stdin and stdout. When the input ends, a chat that is going
 * still comes to its end, with nobody to ask; when the output closes or `signal` is aborted, it is aborted.
 *
 * @returns when everything is written, or cannot be.
 */
export async function serveAgentRpc({ input, output, signal, ...base }: AgentRpcOptions): Promise<void> {
  ignoreErrorsOf(input, output);
  const [{ startAgentChat }, { openWritable }, { agentFolder }] = await Promise.all([
    import("./modes/agent-chat/agent-chat-mode.ts"),
    import("./modes/stdout.ts"),
    import("./config/paths.ts"),
  ]);
  const options = { ...base, cwd: base.cwd ?? process.cwd(), agentDir: base.agentDir ?? agentFolder() };
  const chat = startAgentChat(options, input, openWritable(output));
  const onAbort = () => void chat.stop();
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  await chat.finished;
  signal?.removeEventListener("abort", onAbort);
}

/** An error of a stream is its end, also one that comes before it is read or written. */
function ignoreErrorsOf(...streams: (Readable | Writable)[]): void {
  for (const stream of streams) stream.on("error", () => {});
}
