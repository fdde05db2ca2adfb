import type { PromptInput } from "../prompt/prompt-input.ts";
import type { StreamMode } from "../protocol/data.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { endInTime } from "./end-in-time.ts";
import { outcomeOf } from "./outcome.ts";
import type { OutputSink } from "./output-sink.ts";
import { RecordWriter } from "./record-writer.ts";
import { runInOrder } from "./run-in-order.ts";
import { RunReport } from "./run-report.ts";
import { reportFailure } from "./stdout.ts";

/**
 * Writes the session header at once, then runs the prompts in order and writes all events as JSON lines. Resolves with the exit code when all
 * is written: 1 if the last answer failed or was aborted, or the session could not be stored; a line on stderr then gives the reason.
 *
 * @param prompts - May wait for the user's input; rejects if there are no prompts.
 */
export async function runJsonMode(
  session: AgentSession,
  prompts: Promise<readonly PromptInput[]>,
  { streamMode, stdout }: { streamMode: StreamMode; stdout: OutputSink },
): Promise<number> {
  const output = new RecordWriter(stdout, streamMode, { cutsLines: true });
  session.subscribe((event) => output.sendEvent(event));
  const report = new RunReport(session);
  output.send(session.history.header);
  let isRead = true;
  void stdout.closed.then(() => {
    isRead = false;
    session.shutdown.request();
    return session.dispose();
  });
  try {
    await runInOrder(session, prompts);
  } finally {
    await endInTime(session.dispose());
    await output.flush();
    await stdout.end();
  }
  if (reportFailure(stdout) || !isRead) return 1;
  return (await report.end(outcomeOf(session))).exitCode;
}
