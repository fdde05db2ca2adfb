import type { AddressedStore } from "../conversation/open-store.ts";
import { runLineMode } from "../modes/lines.ts";
import { TerminalUser } from "../modes/terminal-user.ts";
import type { Arguments } from "./args.ts";
import { careForMemory } from "./memory/care-for-memory.ts";
import { openSession } from "./open-session.ts";
import { preparePlainOutput } from "./plain-output.ts";
import { readGivenPrompts } from "./prompts.ts";
import { openStoreIfNamed } from "./session-store.ts";
import { onInterrupt } from "./signals.ts";

/** Runs `pi` on a terminal in plain lines: a conversation until the input ends. */
export async function runLines(args: Arguments): Promise<number> {
  const user = new TerminalUser();
  const store = await openStoreIfNamed(args.options);
  const chosen = args.options.resume ? await resume(args, user, store) : args;
  if (!chosen) return 0;
  const session = await openSession(chosen, { user, store });
  onInterrupt(() => {
    const isWorking = session.isStreaming || session.compaction.isCompacting;
    session.shell.abort();
    if (isWorking) void session.abort();
    return isWorking;
  });
  careForMemory();
  const settleOutput = preparePlainOutput();
  const exitCode = await runLineMode(session, readGivenPrompts(args, session.cwd), user);
  await settleOutput();
  return exitCode;
}

/** Lets the user choose a stored session. Returns the arguments that open it; undefined if none was chosen. */
async function resume(args: Arguments, user: TerminalUser, store: AddressedStore | undefined): Promise<Arguments | undefined> {
  const [{ chooseInLines }, { storedSessions }] = await Promise.all([
    import("./choose-in-lines.ts"),
    import("./stored-sessions.ts"),
  ]);
  return chooseInLines(args, user, storedSessions(args.options, store));
}
