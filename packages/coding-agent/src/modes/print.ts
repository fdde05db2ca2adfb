import type { PromptInput } from "../prompt/prompt-input.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { toNotice } from "./person-notes.ts";
import { runInOrder } from "./run-in-order.ts";
import { RunReport } from "./run-report.ts";
import { toTerminalText, writeError } from "./terminal-text.ts";

/**
 * Runs the prompts in order and writes only the text of the last answer to stdout; errors and waits are lines on stderr. Resolves with the
 * exit code: 1 if the last answer failed or was aborted, or the session could not be stored.
 */
export async function runPrintMode(session: AgentSession, prompts: Promise<readonly PromptInput[]>): Promise<number> {
  session.subscribe((event) => {
    const notice = toNotice(event);
    if (notice !== undefined) writeError(notice);
  });
  const report = new RunReport(session, { showsErrors: true });
  const { answer, exitCode } = await report.end(await runInOrder(session, prompts, writeError));
  if (answer !== undefined) process.stdout.write(`${process.stdout.isTTY ? toTerminalText(answer) : answer}\n`);
  return exitCode;
}
