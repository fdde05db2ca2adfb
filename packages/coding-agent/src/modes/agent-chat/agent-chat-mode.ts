import type { Readable } from "node:stream";
import { LineDecoder } from "../../protocol/jsonl.ts";
import { endInTime } from "../end-in-time.ts";
import type { OutputSink } from "../output-sink.ts";
import { readInput } from "../read-input.ts";
import type { BaseOptions } from "./chat-options.ts";
import { ChatOutput } from "./chat-output.ts";
import { AgentChatServer } from "./server.ts";

/** A running server of the agent_chat protocol. */
export interface AgentChat {
  /** Resolves when the server has ended and all output is written. */
  finished: Promise<void>;
  /** Stops the server: aborts the running chat and ends the processes that its tools started. Resolves when all output is written. */
  stop(): Promise<void>;
  /** Sends an error event, then stops the server; for errors after which the process cannot continue. */
  fail(problem: string): Promise<void>;
}

/**
 * Serves the agent_chat protocol. When the input ends, the running chat continues to its end, and its questions get the default answers. When
 * the output is closed, the running chat is aborted.
 */
export function startAgentChat(base: BaseOptions, input: Readable, sink: OutputSink): AgentChat {
  const output = new ChatOutput(sink);
  const server = new AgentChatServer(base, output);
  const decoder = new LineDecoder({
    onLine: (line) => server.handleLine(line),
    onTooLong: () => server.refuseLine("it is longer than 64 Mi characters"),
  });
  const lines = readInput(input, decoder);
  const stopped = Promise.withResolvers<void>();
  const stop = async () => {
    await server.close();
    await output.flush();
    stopped.resolve();
  };
  const serve = async () => {
    const gone = sink.closed.then(() => server.close());
    await Promise.race([lines.end, sink.closed, stopped.promise]);
    lines.stop();
    server.endInput();
    await Promise.race([server.settle(), gone]);
    await endInTime(server.close());
    await output.flush();
    stopped.resolve();
    await sink.end();
  };
  const fail = (problem: string) => {
    output.send({ event: "error", data: { message: problem, code: "internal", ends_chat: true } });
    return stop();
  };
  return { finished: serve(), stop, fail };
}
