import type { Readable } from "node:stream";
import type { StreamMode } from "../../protocol/data.ts";
import { LineDecoder } from "../../protocol/jsonl.ts";
import { protocolVersion } from "../../protocol/version.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { untilAborted } from "../../until-aborted.ts";
import { packageVersion } from "../../version.ts";
import { endInTime } from "../end-in-time.ts";
import type { OutputSink } from "../output-sink.ts";
import { readInput } from "../read-input.ts";
import { RecordWriter } from "../record-writer.ts";
import { RpcServer } from "../rpc-session/server.ts";

export interface RpcConnection {
  input: Readable;
  output: OutputSink;
  streamMode: StreamMode;
  /** Whether to write `ready` as the first line. */
  ready: boolean;
  /** Whether to prepare for the first prompt after the answer to the first line. */
  warmUp: boolean;
  /** Ends the connection, like the end of the input. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts the session and serves the RPC protocol until the input ends, the output is closed, or an extension requests a shutdown. Then it
 * aborts the running work and disposes of the session. Resolves when all output is written.
 */
export async function serveRpc(session: AgentSession, connection: RpcConnection): Promise<void> {
  const { input, output: sink, streamMode, signal } = connection;
  const output = new RecordWriter(sink, streamMode, { cutsLines: true });
  if (connection.ready) output.send({ type: "ready", protocolVersion, version: packageVersion() });
  const server = new RpcServer(session, output, { promptResults: true });

  let isFirstLine = connection.warmUp;
  const decoder = new LineDecoder({
    onLine(line) {
      server.handleLine(line, output);
      // Nothing depends on it, so errors are ignored.
      if (isFirstLine) prepareForPrompt().catch(() => undefined);
      isFirstLine = false;
    },
    onTooLong: () => server.refuseLine("the line is longer than 64 Mi characters", output),
  });
  /** Prepares after the first line, because most hosts send a query first and a prompt a moment later. */
  const prepareForPrompt = async () => {
    await server.drainLane();
    await server.settle();
    await output.flush();
    // If the first line was a prompt, it loads its own modules and must not wait for others.
    if (session.isStreaming) return;
    const { warmUp } = await import("../rpc-session/warm-up.ts");
    await warmUp(session);
  };
  const stop = async () => {
    await session.abort();
    await server.drainLane();
    await session.dispose();
    await server.settle();
  };
  const lines = readInput(input, decoder);
  const end = Promise.race([lines.end, sink.closed, session.shutdown.requested]);
  await (signal ? untilAborted(end, signal).catch(() => undefined) : end);
  lines.stop();
  server.endInput();
  await endInTime(stop());
  await output.flush();
  await sink.end();
}
