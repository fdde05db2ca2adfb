import type { AgentSession } from "../agent-session.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import { toNotice } from "./person-notes.ts";
import { runInOrder } from "./run-in-order.ts";
import { toTerminalText, writeError } from "./terminal-text.ts";

/**
 * Runs prompts in order and writes only the text of the last answer to stdout; what went wrong, and what is waited for, are lines on
 * stderr. Resolves with the exit code: 1 when the last answer failed or was aborted.
 */
export async function runPrintMode(session: AgentSession, prompts: Promise<readonly PromptInput[]>): Promise<number> {
  session.subscribe((event) => {
    const notice = toNotice(event);
    if (notice !== undefined) writeError(notice);
  });
  const { text, error } = await runInOrder(session, prompts, writeError);
  await session.dispose();
  if (error !== undefined) {
    writeError(error);
    return 1;
  }
  const shown = process.stdout.isTTY ? toTerminalText(text) : text;
  process.stdout.write(`${shown}\n`);
  return 0;
}
