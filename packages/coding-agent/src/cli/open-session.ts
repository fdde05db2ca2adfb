import type { AddressedStore } from "../conversation/open-store.ts";
import { writeError } from "../modes/terminal-text.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { createAgentSession } from "../session/assemble/create.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../session/options.ts";
import { absentUser, type UserInterface } from "../user-interface.ts";
import type { Arguments } from "./args.ts";
import { onFailure } from "./last-resort.ts";
import { checkTakeOver, readSessionOptions } from "./session-options.ts";
import { openStoreIfNamed } from "./session-store.ts";
import { onEndSignal } from "./signals.ts";

/** The options of a session that its mode sets. */
export type SessionWiring = Pick<
  CreateAgentSessionOptions & EntryPointOptions,
  "user" | "onCommandOutput" | "userSettings" | "awaitsHostModels"
> & {
  /** The store that the arguments name, if the mode has opened it. */
  store?: AddressedStore | undefined;
};

/** Shows notifications on stderr; dialogs resolve to their defaults. */
export const listener: UserInterface = { ...absentUser, notify: (message) => writeError(message) };

/**
 * Creates the session of the command line, makes sure that it is saved when the process ends, and reports unreadable entries of its file. The
 * mode must start it.
 *
 * @param wiring - `user` answers dialogs until the mode connects its own user. Default: notifications go to stderr, dialogs resolve to their
 *   defaults.
 */
export async function openSession(args: Arguments, { store: opened, ...wiring }: SessionWiring = {}): Promise<AgentSession> {
  checkTakeOver(args);
  for (const notice of args.notices ?? []) writeError(notice);
  const options = await readSessionOptions(args);
  const store = opened ?? (await openStoreIfNamed(args.options));
  const session = await createAgentSession({
    ...options,
    ...(args.flags && { readFlags: await flagReader(args) }),
    ...(store && { store }),
    onProblem: writeError,
    user: listener,
    ...wiring,
    autoStart: false,
  });
  onEndSignal(() => session.dispose());
  onFailure((problem) => session.fail(problem));
  for (const line of session.history.diagnostics) writeError(line);
  return session;
}

async function flagReader(args: Arguments): Promise<NonNullable<EntryPointOptions["readFlags"]>> {
  const { readFlags } = await import("./extension-flags.ts");
  return (known) => readFlags(args, known);
}
