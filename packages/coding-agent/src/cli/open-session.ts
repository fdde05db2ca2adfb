import { writeError } from "../modes/terminal-text.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { createAgentSession } from "../session/assemble/create.ts";
import { absentUser, type UserInterface } from "../user-interface.ts";
import type { Arguments } from "./args.ts";
import { onFailure } from "./last-resort.ts";
import { checkTakeOver, toSessionOptions } from "./session-options.ts";
import { onEndSignal } from "./signals.ts";

/** Nobody answers where pi runs for one prompt, but what is to be told is told. */
const listener: UserInterface = { ...absentUser, notify: (message) => writeError(message) };

/**
 * Makes the session that the command line asks for, saves it when the process is told to end, and says what of its file was unreadable.
 * The mode is to start it.
 */
export async function openSession(args: Arguments): Promise<AgentSession> {
  checkTakeOver(args);
  const session = await createAgentSession({
    ...toSessionOptions(args),
    onProblem: writeError,
    user: listener,
    autoStart: false,
  });
  onEndSignal(() => session.dispose());
  onFailure((problem) => session.fail(problem));
  for (const line of session.history.diagnostics) writeError(line);
  return session;
}
