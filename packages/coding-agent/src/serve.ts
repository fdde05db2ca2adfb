import type { Readable, Writable } from "node:stream";
import type { BaseOptions } from "./modes/agent-chat/chat-options.ts";
import type { StreamMode } from "./protocol/data.ts";
import type { AgentSession } from "./session/agent-session.ts";
import type { EntryPointOptions } from "./session/options.ts";

/** The streams of a protocol connection. */
export interface Streams {
  /** JSON lines from the client. */
  input: Readable;
  /** JSON lines to the client; ended when the server has ended. */
  output: Writable;
  /** Ends the connection, like the end of the input. */
  signal?: AbortSignal;
}

export interface RpcModeOptions extends Streams {
  /** The initial stream mode; the client can change it. Default: snapshots. */
  streamMode?: StreamMode;
  /** Whether to write `ready` as the first line. Default true. */
  ready?: boolean;
}

/** Options for all chats; a request can override them. `cwd` and `agentDir` have the defaults of `createAgentSession`. */
export type AgentRpcOptions = Streams &
  Omit<BaseOptions, "cwd" | "agentDir" | "loadLibrary"> &
  Partial<Pick<BaseOptions, "cwd" | "agentDir">>;

/**
 * Serves a session with the RPC protocol on any two streams, like `pi --mode rpc` on stdin and stdout. The client shows the session's dialogs
 * to its user. Starts the session, and disposes of it when the input ends, the output closes, `signal` is aborted, or an extension requests a
 * shutdown. One process can serve any number of sessions; process-wide state is not changed.
 *
 * @returns A promise that resolves when all output is written, or cannot be written any more.
 */
export async function runRpcMode(session: AgentSession, options: RpcModeOptions): Promise<void> {
  const { input, output, signal, streamMode = "snapshots", ready = true } = options;
  ignoreErrorsOf(input, output);
  const [{ serveRpc }, { openWritable }] = await Promise.all([import("./modes/rpc/rpc-mode.ts"), import("./modes/stdout.ts")]);
  await serveRpc(session, { input, output: openWritable(output), streamMode, ready, warmUp: false, signal });
}

/** The records of a session's events on their way to `write`. */
export interface RecordStream {
  /** Ends the records: later events are left out. Resolves when all records are written. */
  end(): Promise<void>;
}

/**
 * Writes the events of a session, from now on, as records of the RPC protocol in deltas mode, for example to keep them in a database.
 *
 * @param write - Called with complete lines of JSON, about 64 KB at most unless one line is longer. It must not reject. Until its promise has
 *   resolved it is not called again: the deltas of one block are joined meanwhile, so that a slow writer gets fewer and longer records.
 */
export async function streamRecords(session: AgentSession, write: (lines: string) => Promise<void>): Promise<RecordStream> {
  const [{ RecordWriter }, { toBytes }] = await Promise.all([
    import("./modes/record-writer.ts"),
    import("./protocol/line-pieces.ts"),
  ]);
  const records = new RecordWriter({ write: (pieces) => write(Buffer.concat(pieces.map(toBytes)).toString()) }, "deltas");
  const unsubscribe = session.subscribe((event) => records.sendEvent(event));
  return {
    end() {
      unsubscribe();
      return records.flush();
    },
  };
}

/** Serves the agent_chat protocol; see `serveAgentRpc` of `index.ts`. */
export async function serveAgentRpc({ input, output, signal, ...base }: AgentRpcOptions & EntryPointOptions): Promise<void> {
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

/** Adds empty error listeners: a stream error counts as the end of the stream, even before the first read or write. */
function ignoreErrorsOf(...streams: (Readable | Writable)[]): void {
  for (const stream of streams) stream.on("error", () => {});
}
