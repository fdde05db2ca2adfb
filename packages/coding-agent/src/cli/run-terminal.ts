import { join, resolve } from "node:path";
import { readJsonFile } from "../config/json-file.ts";
import { mayExist } from "../config/may-exist.ts";
import { agentFolder } from "../config/paths.ts";
import type { SettingsFile } from "../config/read-settings.ts";
import type { Settings } from "../config/settings.ts";
import type { AddressedStore } from "../conversation/open-store.ts";
import type { FirstScreen } from "../modes/terminal/first-screen.ts";
import { readKeybindings } from "../modes/terminal/input/keybindings-file.ts";
import type { KeySettings } from "../modes/terminal/input/keys.ts";
import { TerminalMode } from "../modes/terminal/terminal-mode.ts";
import type { TerminalSettings } from "../modes/terminal/terminal-settings.ts";
import { writeError } from "../modes/terminal-text.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { Arguments } from "./args.ts";
import { onFault } from "./last-resort.ts";
import { careForMemory } from "./memory/care-for-memory.ts";
import { openSession } from "./open-session.ts";
import { openStoreIfNamed } from "./session-store.ts";
import { onEndSignal } from "./signals.ts";

/** Runs `pi` on a terminal: a conversation, until the user leaves it. */
export async function runTerminal(args: Arguments, first: FirstScreen): Promise<number> {
  const agentDir = agentFolder();
  // The session says more about faulty settings.
  const userSettings = await readUserSettings(agentDir).catch(() => undefined);
  const settings = toTerminalSettings(userSettings?.settings ?? {}, args, agentDir);
  if (settings.plain) {
    first.close();
    onFault(() => {});
    return (await import("./run-lines.ts")).runLines(args);
  }
  const store = await openStoreIfNamed(args.options).catch((error: unknown) => {
    first.close();
    throw error;
  });
  const mode = new TerminalMode({
    ...{ first, cwd: process.cwd(), agentDir, settings, isStored: args.options["no-session"] !== true, store },
    readSettings: async () => toTerminalSettings((await readUserSettings(agentDir))?.settings ?? {}, args, agentDir),
  });
  // Before there is a session, nothing but the terminal is to be cleaned up; the end of the process does that.
  onEndSignal(async () => {});
  onFault(() => mode.abandon());
  mode.start();
  try {
    const chosen = args.options.resume ? await resume(args, mode, store) : args;
    if (!chosen) return 0;
    const session = await openSession(chosen, { ...mode.wiring, userSettings, store });
    careForMemory();
    await Promise.race([mode.show(session, readPrompts(args, session.cwd)), mode.ended]);
    await mode.ended;
    const sessionId = await mode.close();
    const { unsavedReason } = session.history;
    if (unsavedReason !== undefined) writeError(unsavedReason);
    else if (sessionId !== undefined) writeError(`\nTo continue this conversation: pi ${howToContinue(args, sessionId)}`);
    return unsavedReason === undefined ? 0 : 1;
  } finally {
    await mode.close();
  }
}

/** Reads the prompts of the command line. */
async function readPrompts(args: Arguments, cwd: string): Promise<readonly PromptInput[]> {
  return args.prompts.length === 0 ? [] : (await import("./prompts.ts")).readGivenPrompts(args, cwd);
}

/** The arguments without the address of the store, which may have a password. */
function howToContinue({ options }: Arguments, sessionId: string): string {
  return `${options["session-store"] ? "--session-store … " : ""}--session ${sessionId}`;
}

/** Lets the user choose a stored session. Returns the arguments that open it; undefined if none was chosen. */
async function resume(
  { options, prompts }: Arguments,
  mode: TerminalMode,
  store: AddressedStore | undefined,
): Promise<Arguments | undefined> {
  const { pickSession } = await import("../modes/terminal/commands/pick-session.ts");
  const { storedSessions } = await import("./stored-sessions.ts");
  const picked = pickSession(mode, { sessions: storedSessions(options, store) });
  const ref = await Promise.race([picked, mode.ended.then(() => undefined)]);
  const { resume: _chosen, ...others } = options;
  return ref === undefined ? undefined : { options: { ...others, session: ref }, prompts };
}

/**
 * Reads the user's settings for the terminal and for the session; undefined if there are none.
 *
 * @throws {UsageError} When they are faulty.
 */
async function readUserSettings(agentDir: string): Promise<SettingsFile | undefined> {
  const path = join(agentDir, "settings.json");
  if (!mayExist(path)) return undefined;
  const { readSettingsFile } = await import("../config/read-settings.ts");
  return readSettingsFile(path);
}

/** The settings of the terminal. The options of the command line precede them, and they precede the keys in `keybindings.json` of related programs. */
function toTerminalSettings(
  { keys, theme, terminal, externalEditor }: Settings,
  { options }: Arguments,
  agentDir: string,
): TerminalSettings & { plain?: boolean } {
  const themeName = options["use-theme"] ?? (typeof theme === "string" ? theme : undefined);
  const related = readRelatedKeys(join(agentDir, "keybindings.json"));
  return {
    ...terminal,
    keys: { ...related.keys, ...keys },
    ...(externalEditor === undefined ? {} : { externalEditor }),
    ...(typeof theme === "object" ? { theme } : {}),
    ...(themeName === undefined ? {} : { themeName }),
    themePlaces: [...(options.theme ?? []).map((path) => resolve(path)), join(agentDir, "themes")],
    problems: related.problems,
  };
}

function readRelatedKeys(path: string): { keys: KeySettings; problems: string[] } {
  try {
    return { keys: readKeybindings(readJsonFile(path)), problems: [] };
  } catch (error) {
    return { keys: {}, problems: [(error as Error).message] };
  }
}
