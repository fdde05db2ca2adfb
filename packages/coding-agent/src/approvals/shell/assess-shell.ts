import { homedir } from "node:os";
import type { FileAccess } from "../../tools/files/file-access.ts";
import { findWriteTarget, isInside } from "../../tools/files/write-target.ts";
import type { Verdict } from "../verdict.ts";
import { Findings, shorten, TooComplex } from "./findings.ts";
import { ScriptReader } from "./reader.ts";
import { nothing, Shell } from "./shell.ts";

/** Characters. Reading a longer one would take too long, and nobody could judge it. */
const maxLength = 64 * 1024;
/** The parser's time grows with their square. */
const maxHeredocs = 500;
const maxNamed = 3;

export interface ShellPlace {
  /** The working folder, absolute. */
  cwd: string;
  files: FileAccess;
}

/**
 * Finds out what a command line for bash could do: everything that it would run is looked at, through quotes, substitutions, pipes and
 * commands that run others. What cannot be understood is risky. It finds accidents, and is no match for intent.
 *
 * @returns `execute`, or `confirm_required` with the reasons.
 */
export async function assessShell(command: string, { cwd, files }: ShellPlace): Promise<Verdict> {
  const findings = new Findings();
  if (command.length > maxLength || command.split("<<", maxHeredocs + 1).length > maxHeredocs) {
    findings.risk("unreadable", `it is longer than ${maxLength} characters or has more than ${maxHeredocs} heredocs`);
    return toVerdict(findings);
  }
  if (command.includes("\0")) findings.risk("unreadable", "it has a NUL character");
  // Loaded with the first command that is judged: no other needs a parser.
  const parser = await import("unbash");
  const shell = new Shell({ folder: cwd, home: files.homeFolder ?? homedir() });
  try {
    new ScriptReader(parser, findings).runText(command, shell, nothing);
  } catch (error) {
    findings.risk("unreadable", error instanceof TooComplex ? error.message : "reading it failed");
  }
  const outside = await findOutside([...findings.targets], { cwd, files });
  if (outside.length > 0) {
    const more = outside.length > maxNamed ? ` and ${outside.length - maxNamed} more` : "";
    const names = outside.slice(0, maxNamed).map(shorten).join(", ");
    findings.reasons.add(`changes something outside the working folder: ${names}${more}`);
  }
  return toVerdict(findings);
}

function toVerdict({ reasons }: Findings): Verdict {
  return { tier: reasons.size > 0 ? "confirm_required" : "execute", reasons: [...reasons] };
}

/** Those of the paths that lead out of the working folder, as they were given. */
async function findOutside(paths: readonly string[], { cwd, files }: ShellPlace): Promise<string[]> {
  const folder = await files.realpath(cwd).catch(() => cwd);
  const outside: string[] = [];
  for (const path of paths) {
    const target = await findWriteTarget(files, upToPattern(path));
    if (target === undefined || !isInside(folder, target)) outside.push(path);
  }
  return outside;
}

/** The part of a path before the first name with a wildcard: what those stand for is not looked up. */
function upToPattern(path: string): string {
  const at = path.search(/[*?[]/);
  return at === -1 ? path : path.slice(0, path.lastIndexOf("/", at)) || "/";
}
