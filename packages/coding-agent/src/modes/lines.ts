import type { PromptInput } from "../prompt/prompt-input.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { outcomeOf } from "./outcome.ts";
import { RunReport } from "./run-report.ts";
import { writeError } from "./terminal-text.ts";
import type { TerminalUser } from "./terminal-user.ts";
import { type TextOutput, TextView } from "./text.ts";

const help = `Type a prompt, or:
  !command   run a shell command; the model gets its output
  !!command  the same, without the model
  /quit      leave (or Ctrl-D)
Ctrl-C stops the work. Commands of extensions, templates and skills begin with /.`;

/**
 * A conversation in plain lines, for terminals that can show nothing else and for screen readers: a line is read, the work is shown as in text mode,
 * and the next line is read. Resolves with the exit code when the input ends or the user leaves: 1 if the session could not be stored.
 */
export async function runLineMode(
  session: AgentSession,
  prompts: Promise<readonly PromptInput[]>,
  user: TerminalUser,
  { stdout, stderr }: TextOutput = process,
): Promise<number> {
  const view = new TextView(stdout, stderr);
  session.subscribe((event) => view.show(event));
  const report = new RunReport(session, { stderr, showsErrors: true });
  await session.start();
  for (const { text, ...input } of await prompts) await send(session, { text, ...input }, stderr);
  while (!session.shutdown.isRequested) {
    const line = await user.readLine("> ");
    if (line === undefined || line === "/quit") break;
    if (line === "/help") writeError(help, stderr);
    else if (line.startsWith("!")) await runShell(session, line, stdout);
    else if (line !== "") await send(session, { text: line }, stderr);
  }
  await report.end(outcomeOf(session));
  return session.history.unsavedReason === undefined ? 0 : 1;
}

async function send(session: AgentSession, { text, ...input }: PromptInput, stderr: TextOutput["stderr"]): Promise<void> {
  try {
    const last = session.messages.at(-1);
    await session.prompt(text, input);
    const { error } = outcomeOf(session);
    if (error !== undefined && session.messages.at(-1) !== last) writeError(error, stderr);
  } catch (error) {
    writeError((error as Error).message, stderr);
  }
}

async function runShell(session: AgentSession, line: string, stdout: TextOutput["stdout"]): Promise<void> {
  const excludeFromContext = line.startsWith("!!");
  const command = line.slice(excludeFromContext ? 2 : 1).trim();
  if (command === "") return;
  const { output, exitCode } = await session.shell.run(command, { excludeFromContext });
  writeError(output, stdout);
  if (exitCode !== 0) writeError(`The command ended with exit code ${exitCode ?? "none: it was killed"}.`, stdout);
}
