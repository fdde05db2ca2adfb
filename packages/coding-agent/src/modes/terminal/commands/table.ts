import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SessionError } from "../../../errors.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { suggest } from "../../../suggest.ts";
import type { CompletedCommand } from "../input/completion.ts";
import { type AutocompleteItem, fuzzyFilter } from "../library.ts";
import type { Stage } from "../stage.ts";
import { branchCommands } from "./branch-commands.ts";
import type { CommandCall, TerminalCommand } from "./command.ts";
import { infoCommands, showHelp, showHotkeys } from "./info-commands.ts";
import { loginCommand } from "./login-command.ts";
import { modelCommands } from "./model-commands.ts";
import { queueCommand } from "./queue-command.ts";
import { sessionCommands } from "./session-commands.ts";
import { settingsCommand } from "./settings-command.ts";

/** All commands of the terminal, in the order of the help. */
export const commands: readonly TerminalCommand[] = [
  ...modelCommands,
  ...sessionCommands,
  ...branchCommands,
  ...infoCommands,
  queueCommand,
  settingsCommand,
  loginCommand,
  { name: "reload", description: "read extensions, skills and templates again", run: reload },
  { name: "help", description: "all commands", run: (stage) => showHelp(stage, commands) },
  { name: "hotkeys", description: "all keys", run: (stage) => showHotkeys(stage, stage.keys) },
  { name: "quit", aliases: ["exit"], description: "end pi", run: (stage) => stage.quit() },
];

/** The name ends at white space, so that arguments may have several lines. */
const callPattern = /^\/(\S+)(?:\s+([\s\S]*))?$/;

/** The command of the terminal that a text calls; undefined for all other texts. */
export function findCommand(text: string): CommandCall | undefined {
  const [, name, args = ""] = callPattern.exec(text.trimEnd()) ?? [];
  const command = commands.find((each) => each.name === name || (name !== undefined && each.aliases?.includes(name)));
  return command && { command, args: args.trim() };
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

/** All commands for completion: those of the terminal, then those of the session. */
export async function listCompletedCommands(session: AgentSession): Promise<CompletedCommand[]> {
  const own = commands.map(({ name, description, complete }): CompletedCommand => {
    if (!complete) return { name, description };
    return { name, description, completeArguments: async (typed) => filterItems(await complete(session), typed) };
  });
  return [...own, ...(await session.listCommands()).map(({ name, description }) => ({ name, description }))];
}

function filterItems(items: readonly AutocompleteItem[], typed: string): AutocompleteItem[] {
  return fuzzyFilter([...items], typed, ({ value, description = "" }) => `${value} ${description}`);
}

async function reload(stage: Stage): Promise<void> {
  const { session } = stage;
  const call = session.commands.find("/reload");
  if (!call) throw new SessionError("invalid_input", "There is nothing to reload in this session.");
  const { settled } = await session.submit("/reload");
  await settled;
  stage.note("Extensions, skills, templates and AGENTS.md files were read again.");
}
