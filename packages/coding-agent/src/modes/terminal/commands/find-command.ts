import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentSession } from "../../../session/agent-session.ts";
import { suggest } from "../../../suggest.ts";
import type { CompletedCommand } from "../input/completion.ts";
import { type AutocompleteItem, fuzzyFilter } from "../library.ts";
import { commands } from "./all-commands.ts";
import type { CommandCall, TerminalCommand } from "./command.ts";

/** The name ends at white space, so that arguments may have several lines. */
const callPattern = /^\/(\S+)(?:\s+([\s\S]*))?$/;

/** The names that related programs have too. A command of an extension takes the place of any other command of the terminal. */
const fixedNames: ReadonlySet<string> = new Set([
  ...["model", "settings", "resume", "new", "name", "tree", "fork", "compact", "copy", "export", "reload", "hotkeys", "login"],
  ...["session", "quit", "exit"],
]);

/**
 * The command of the terminal that a text calls; undefined for all other texts.
 *
 * @param session - Its commands take the place of some of the terminal's.
 */
export function findCommand(text: string, session?: Pick<AgentSession, "commands">): CommandCall | undefined {
  const [, name, args = ""] = callPattern.exec(text.trimEnd()) ?? [];
  const command = commands.find((each) => each.name === name || (name !== undefined && each.aliases?.includes(name)));
  if (!command || name === undefined || (!fixedNames.has(name) && session?.commands.find(text))) return undefined;
  return { command, args: args.trim() };
}

/**
 * The message for a text that looks like a command and is none, with the nearest name. Undefined for texts that go to the session: calls of its
 * own commands, and prompts. A text that begins with a path is a prompt: its first word has a second slash or a dot, or exists.
 */
export async function describeUnknownCommand(session: AgentSession, text: string): Promise<string | undefined> {
  const [, name = ""] = callPattern.exec(text.trimEnd()) ?? [];
  if (name === "" || /[/.\\]/.test(name) || !/^[a-z]/i.test(name) || existsSync(resolve("/", name))) return undefined;
  if (session.commands.find(text)) return undefined;
  // The session names the skills when one is missing.
  if (name.startsWith("skill:")) return undefined;
  const others = (await session.listCommands()).map((command) => command.name);
  if (others.includes(name)) return undefined;
  const names = [...commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]), ...others];
  return `There is no command /${name}.${suggest(
    `/${name}`,
    names.map((each) => `/${each}`),
  )} /help lists all. A space in front of it makes it a prompt.`;
}

/**
 * All commands for completion: those of the terminal, then those of the session.
 *
 * @param completeArguments - Completes the arguments of a command of an extension.
 */
export async function listCompletedCommands(
  session: AgentSession,
  completeArguments?: (command: string, typed: string) => Promise<readonly AutocompleteItem[]>,
): Promise<CompletedCommand[]> {
  const isOwn = ({ name }: TerminalCommand) => fixedNames.has(name) || !session.commands.find(`/${name}`);
  const own = commands.filter(isOwn).map(({ name, description, complete }): CompletedCommand => {
    if (!complete) return { name, description };
    return { name, description, completeArguments: async (typed) => filterItems(await complete(session), typed) };
  });
  const others = (await session.listCommands()).map(({ name, description, source }): CompletedCommand => {
    if (source !== "extension" || !completeArguments) return { name, description };
    return { name, description, completeArguments: (typed) => completeArguments(name, typed) };
  });
  return [...own, ...others];
}

function filterItems(items: readonly AutocompleteItem[], typed: string): AutocompleteItem[] {
  return fuzzyFilter([...items], typed, ({ value, description = "" }) => `${value} ${description}`);
}
