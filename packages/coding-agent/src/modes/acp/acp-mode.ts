import type { Readable } from "node:stream";
import { LineDecoder } from "../../protocol/jsonl.ts";
import { endInTime } from "../end-in-time.ts";
import type { OutputSink } from "../output-sink.ts";
import { readInput } from "../read-input.ts";
import { AcpOutput } from "./acp-output.ts";
import { errorCodes } from "./json-rpc.ts";
import { AcpServer } from "./server.ts";
import type { BaseOptions } from "./session-parts.ts";

/** A running server of the Agent Client Protocol. */
export interface Acp {
  /** Resolves when the server has ended and all output is written. */
  finished: Promise<void>;
  /** Stops the server: aborts all runs and ends the processes that tools started. Resolves when everything is stored and written. */
  stop(): Promise<void>;
}

/**
 * Serves the Agent Client Protocol: JSON-RPC 2.0, one message per line. When the input ends or the output is closed, the editor is gone: its
 * questions get their default answers, all runs are aborted, and everything is stored.
 */
export function startAcp(base: BaseOptions, input: Readable, sink: OutputSink): Acp {
  const output = new AcpOutput(sink);
  const server = new AcpServer(base, output);
  const decoder = new LineDecoder({
    onLine: (line) => server.rpc.handleLine(line),
    onTooLong: () => server.rpc.refuse(errorCodes.parse, "The line is longer than 64 Mi characters."),
  });
  const lines = readInput(input, decoder);
  const stopped = Promise.withResolvers<void>();
  const stop = async () => {
    await server.close();
    await output.flush();
    stopped.resolve();
  };
  const serve = async () => {
    await Promise.race([lines.end, sink.closed, stopped.promise]);
    lines.stop();
    await endInTime(server.close());
    await output.flush();
    stopped.resolve();
    await sink.end();
  };
  return { finished: serve(), stop };
}
