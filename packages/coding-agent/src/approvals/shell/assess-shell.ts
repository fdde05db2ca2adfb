import { homedir } from "node:os";
import type { FileAccess } from "../../tools/files/file-access.ts";
import { findWriteTarget, isInside } from "../../tools/files/write-target.ts";
import type { Verdict } from "../verdict.ts";
import { Findings, shorten, TooComplex } from "./findings.ts";
import { ScriptReader } from "./reader.ts";
import { nothing, Shell } from "./shell.ts";

/** Maximum characters of a command. A longer one takes too long to parse, and no user could review it. */
const maxLength = 64 * 1024;
/** The parser takes quadratic time for heredocs. */
const maxHeredocs = 500;
const maxNamed = 3;

export interface ShellPlace {
  /** The working folder, absolute. */
  cwd: string;
  files: FileAccess;
}

/**
 * Assesses the risk of a command line for bash. It follows all commands that would run, through quotes, substitutions, pipes and commands that
 * run others. Commands that it cannot understand are risky. It detects accidents, but not deliberate attacks.
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
  // Loaded with the first command to assess.
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

/** Returns the paths that lead out of the working folder, unchanged. */
async function findOutside(paths: readonly string[], { cwd, files }: ShellPlace): Promise<string[]> {
  const folder = await files.realpath(cwd).catch(() => cwd);
  const outside: string[] = [];
  for (const path of paths) {
    const target = await findWriteTarget(files, upToPattern(path));
    if (target === undefined || !isInside(folder, target)) outside.push(path);
  }
  return outside;
}

/** The part of a path before the first name with a wildcard. Wildcards are not expanded. */
function upToPattern(path: string): string {
  const at = path.search(/[*?[]/);
  return at === -1 ? path : path.slice(0, path.lastIndexOf("/", at)) || "/";
}
