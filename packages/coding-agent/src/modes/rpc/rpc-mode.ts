import type { Readable } from "node:stream";
import type { StreamMode } from "../../protocol/data.ts";
import { LineDecoder } from "../../protocol/jsonl.ts";
import { protocolVersion } from "../../protocol/version.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { untilAborted } from "../../until-aborted.ts";
import { packageVersion } from "../../version.ts";
import { endInTime } from "../end-in-time.ts";
import { readInput } from "../read-input.ts";
import { RecordWriter } from "../record-writer.ts";
import type { OutputSink } from "../stdout.ts";
import { RpcServer } from "./server.ts";

export interface RpcConnection {
  input: Readable;
  output: OutputSink;
  streamMode: StreamMode;
  /** Whether the first line is `ready`. */
  ready: boolean;
  /** Whether the process makes itself ready for a first prompt when it has answered a first line. */
  warmUp: boolean;
  /** Ends it as the end of the input does. */
  signal?: AbortSignal | undefined;
}

/**
 * Serves the RPC protocol until the input ends, nobody reads the output any more, or an extension asks for the end; then stops what is
 * going, and resolves when all is written. The session is started, and in the end disposed of.
 */
export async function serveRpc(session: AgentSession, connection: RpcConnection): Promise<void> {
  const { input, output: sink, streamMode, signal } = connection;
  const output = new RecordWriter(sink, streamMode);
  if (connection.ready) output.send({ type: "ready", protocolVersion, version: packageVersion() });
  const server = new RpcServer(session, output);

  let isFirstLine = connection.warmUp;
  const decoder = new LineDecoder({
    onLine(line) {
      server.handleLine(line);
      // Nobody depends on it.
      if (isFirstLine) prepareForPrompt().catch(() => undefined);
      isFirstLine = false;
    },
    onTooLong: () => server.refuseLine("the line is longer than 64 MiB"),
  });
  /** Most hosts ask something, and send a prompt a moment later. */
  const prepareForPrompt = async () => {
    await server.drainLane();
    await server.settle();
    await output.flush();
    // A prompt that came as the first line loads what it needs, and must not wait for more.
    if (session.isStreaming) return;
    const { warmUp } = await import("./warm-up.ts");
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
