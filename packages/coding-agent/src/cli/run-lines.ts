import { runLineMode } from "../modes/lines.ts";
import { TerminalUser } from "../modes/terminal-user.ts";
import type { Arguments } from "./args.ts";
import { openSession } from "./open-session.ts";
import { preparePlainOutput } from "./plain-output.ts";
import { readGivenPrompts } from "./prompts.ts";
import { onInterrupt } from "./signals.ts";

/** Runs `pi` on a terminal in plain lines: a conversation until the input ends. */
export async function runLines(args: Arguments): Promise<number> {
  const user = new TerminalUser();
  const chosen = args.options.resume ? await (await import("./choose-in-lines.ts")).chooseInLines(args, user) : args;
  if (!chosen) return 0;
  const session = await openSession(chosen, { user });
  onInterrupt(() => {
    const isWorking = session.isStreaming || session.compaction.isCompacting;
    session.shell.abort();
    if (isWorking) void session.abort();
    return isWorking;
  });
  const settleOutput = preparePlainOutput();
  const exitCode = await runLineMode(session, readGivenPrompts(args, session.cwd), user);
  await settleOutput();
  return exitCode;
}
