import { SessionError } from "../../../errors.ts";
import type { Stage } from "../stage.ts";
import { branchCommands } from "./branch-commands.ts";
import type { TerminalCommand } from "./command.ts";
import { infoCommands, showHelp, showHotkeys } from "./info-commands.ts";
import { loginCommand } from "./login-command.ts";
import { modelCommands } from "./model-commands.ts";
import { queueCommand } from "./queue-command.ts";
import { sessionCommands } from "./session-commands.ts";
import { settingsCommand } from "./settings-command.ts";
import { themeCommand } from "./theme-command.ts";
import { undoCommands } from "./undo-commands.ts";

/** All commands of the terminal, in the order of the help. */
export const commands: readonly TerminalCommand[] = [
  ...modelCommands,
  ...sessionCommands,
  ...branchCommands,
  ...undoCommands,
  ...infoCommands,
  queueCommand,
  settingsCommand,
  themeCommand,
  loginCommand,
  { name: "reload", description: "read extensions, skills, templates, keys and colours again", run: reload },
  { name: "help", description: "all commands", run: (stage) => showHelp(stage, commands) },
  { name: "hotkeys", description: "all keys", run: (stage) => showHotkeys(stage, stage.keys) },
  { name: "quit", aliases: ["exit"], description: "end pi", run: (stage) => stage.quit() },
];

async function reload(stage: Stage): Promise<void> {
  const { session } = stage;
  const call = session.commands.find("/reload");
  if (!call) throw new SessionError("invalid_input", "There is nothing to reload in this session.");
  // First, because nothing is to be ended for faulty settings.
  await stage.reloadSettings();
  const { settled } = await session.submit("/reload");
  await settled;
  stage.note("Extensions, skills, templates, AGENTS.md files, keys and colours were read again.");
}
