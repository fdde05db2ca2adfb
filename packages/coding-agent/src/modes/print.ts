import type { AgentSession } from "../agent-session.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import { outcomeOf } from "./outcome.ts";
import { toTerminalText, writeError } from "./terminal-text.ts";

/**
 * Runs prompts in order and writes only the text of the last answer to stdout; a failure is one line on stderr. Resolves with the exit
 * code: 1 when the last answer failed or was aborted.
 */
export async function runPrintMode(session: AgentSession, prompts: readonly PromptInput[]): Promise<number> {
  for (const { text, ...rest } of prompts) if (!session.isShuttingDown) await session.prompt(text, rest);
  const { text, error } = outcomeOf(session);
  await session.dispose();
  if (error !== undefined) {
    writeError(error);
    return 1;
  }
  const shown = process.stdout.isTTY ? toTerminalText(text) : text;
  process.stdout.write(`${shown}\n`);
  return 0;
}
