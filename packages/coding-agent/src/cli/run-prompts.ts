import { SessionError } from "../errors.ts";
import { noModelMessage } from "../models/no-model.ts";
import { runJsonMode } from "../modes/json.ts";
import { runPrintMode } from "../modes/print.ts";
import { openStdout, sendConsoleToStderr } from "../modes/stdout.ts";
import { runTextMode } from "../modes/text.ts";
import type { StreamMode } from "../protocol/data.ts";
import type { UserInterface } from "../user-interface.ts";
import type { Arguments } from "./args.ts";
import { listener, openSession } from "./open-session.ts";
import { preparePlainOutput } from "./plain-output.ts";
import { readFileArguments, readPrompts } from "./prompts.ts";

/** Runs `pi [prompt]`, `pi -p` or `pi --mode json`. */
export async function runPrompts(mode: string, args: Arguments): Promise<number> {
  // First, because extensions may print while they are loaded.
  const stdout = mode === "json" ? await openStdout() : undefined;
  if (!stdout) sendConsoleToStderr();
  const user: UserInterface | undefined = mode === "json" ? { ...listener, mode } : await findUser();
  const session = await openSession(args, user ? { user } : {});
  if (!session.models.current) throw new SessionError("no_model", noModelMessage());
  const files = await readFileArguments(args.prompts, session.cwd);
  const prompts = readPrompts(args.prompts, files);
  prompts.catch(() => {}); // the mode awaits the promise later and reports the error
  if (stdout) return runJsonMode(session, prompts, { stdout, streamMode: (args.options.stream ?? "snapshots") as StreamMode });
  const settleOutput = preparePlainOutput();
  const exitCode = await (mode === "print" ? runPrintMode : runTextMode)(session, prompts);
  await settleOutput();
  return exitCode;
}

/** The user at the terminal, who is asked there; undefined if stdin or stderr is not a terminal. */
async function findUser(): Promise<UserInterface | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return new (await import("../modes/terminal-user.ts")).TerminalUser();
}
