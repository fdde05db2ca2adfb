import { LineDecoder } from "../../protocol/jsonl.ts";
import { readStdin } from "../read-stdin.ts";
import { openStdout } from "../stdout.ts";
import type { BaseOptions } from "./chat-options.ts";
import { ChatOutput } from "./chat-output.ts";
import { AgentChatServer } from "./server.ts";

/** The mode at work. */
export interface AgentChat {
  /** Resolves with the exit code when all is over and written. */
  finished: Promise<number>;
  /** Aborts the chat that is going and ends what its tools have started. Resolves when what there was to tell is written. */
  stop(): Promise<void>;
}

/**
 * Serves the agent_chat protocol on stdin and stdout. When stdin ends, a chat that is going still comes to its end, with nobody to ask;
 * when nobody reads stdout any more, it is aborted.
 */
export function startAgentChat(base: BaseOptions): AgentChat {
  const stdout = openStdout();
  const output = new ChatOutput(stdout);
  const server = new AgentChatServer(base, output);
  const decoder = new LineDecoder({
    onLine: (line) => server.handleLine(line),
    onTooLong: () => server.refuseLine("it is longer than 64 MiB"),
  });
  const inputEnd = readStdin(decoder);
  const stop = async () => {
    await server.close();
    await output.flush();
  };
  const serve = async () => {
    const gone = stdout.closed.then(() => server.close());
    await Promise.race([inputEnd, stdout.closed]);
    server.endInput();
    await Promise.race([server.settle(), gone]);
    await stop();
    await stdout.end();
    return 0;
  };
  return { finished: serve(), stop };
}
