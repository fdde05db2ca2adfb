import { homedir } from "node:os";
import type { FileAccess } from "../../tools/files/file-access.ts";
import { type Effect, EffectList, type Part, TooComplex } from "./effects.ts";
import { ScriptReader } from "./reader.ts";
import { nothing, Shell } from "./shell.ts";

/** Maximum characters of a command. A longer one takes too long to parse, and no user could review it. */
const maxLength = 128 * 1024;
/** The parser takes quadratic time for heredocs. */
const maxHeredocs = 500;

export interface ShellPlace {
  /** The working folder, absolute. */
  cwd: string;
  files: FileAccess;
}

/** The effects of a command line. */
export interface LineEffects {
  readonly effects: readonly Effect[];
  /** All commands that the line runs, also those in substitutions and those that other commands run. */
  readonly parts: readonly Part[];
}

/**
 * Finds the effects of a command line for bash. It follows all commands that would run, through quotes, substitutions, pipes and commands that
 * run others. A program or a text that it does not understand is an effect, too: `unknown` for a program, `unreadable` for a text. It finds accidents, but not
 * effects that are hidden on purpose.
 */
export async function readEffects(command: string, { cwd, files }: ShellPlace): Promise<LineEffects> {
  const list = new EffectList();
  const unreadable = (what: string) => list.effects.push({ kind: "unreadable", what, part: undefined });
  if (command.length > maxLength || command.split("<<", maxHeredocs + 1).length > maxHeredocs) {
    unreadable(`it is longer than ${maxLength} characters or has more than ${maxHeredocs} heredocs`);
    return list;
  }
  if (command.includes("\0")) unreadable("it has a NUL character");
  // Loaded with the first command to assess.
  const parser = await import("unbash");
  const shell = new Shell({ folder: cwd, home: files.homeFolder ?? homedir() });
  try {
    new ScriptReader(parser, list).runText(command, shell, nothing, undefined);
  } catch (error) {
    unreadable(error instanceof TooComplex ? error.message : "reading it failed");
  }
  return list;
}
