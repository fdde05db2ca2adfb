import type { AgentSession } from "../../agent-session.ts";
import type { StreamMode } from "../../protocol/data.ts";
import { LineDecoder } from "../../protocol/jsonl.ts";
import { readStdin } from "../read-stdin.ts";
import { RecordWriter } from "../record-writer.ts";
import { openStdout, reportFailure } from "../stdout.ts";
import type { RpcUserInterface } from "./rpc-user-interface.ts";
import { RpcServer } from "./server.ts";

export interface RpcModeOptions {
  streamMode: StreamMode;
  /** Written as the first line, before anything is asked. */
  readyLine?: object | undefined;
  /** Asks the client; the session was made with it. */
  user: RpcUserInterface;
}

/**
 * Serves the RPC protocol on stdin and stdout until stdin ends or nobody reads stdout any more; then stops what is going, and resolves
 * with the exit code when all is written: 1, and a line on stderr, when stdout could not be written.
 */
export async function runRpcMode(session: AgentSession, { streamMode, readyLine, user }: RpcModeOptions): Promise<number> {
  const stdout = openStdout();
  const output = new RecordWriter(stdout, streamMode);
  const server = new RpcServer(session, output, user);
  session.subscribe((event) => output.sendEvent(event));
  if (readyLine) output.send(readyLine);

  let isFirstLine = true;
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
  const inputEnd = readStdin(decoder);
  await Promise.race([inputEnd, stdout.closed, session.shutdownRequested]);
  server.endInput();
  await session.abort();
  await server.drainLane();
  await session.dispose();
  await server.settle();
  await output.flush();
  await stdout.end();
  return reportFailure(stdout) ? 1 : 0;
}
