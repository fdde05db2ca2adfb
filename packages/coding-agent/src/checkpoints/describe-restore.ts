import { isAbsolute, relative } from "node:path";
import type { FileRestore } from "../protocol/data.ts";

/** Maximum number of items of each list that are shown. */
const maxShown = 20;

export interface DescribeOptions {
  kind: "undo" | "redo";
  /** Paths below this folder are shown relative to it. */
  cwd: string;
  isDryRun?: boolean;
}

/** The lines that tell a person what was put back. */
export function describeRestored({ restored }: FileRestore, { kind, cwd, isDryRun = false }: DescribeOptions): string[] {
  const lines = restored.map(({ path, action }) => `${action.padEnd(8)}  ${shown(path, cwd)}`);
  const count = `${restored.length} ${restored.length === 1 ? "file" : "files"}`;
  const back = isDryRun ? "would be put back" : "put back";
  const none = kind === "undo" ? "No file was put back." : "No undo was taken back.";
  return restored.length === 0 ? [none] : [`${count} ${back}:`, ...some(lines)];
}

/** The lines that tell a person what was left as it is; empty if nothing was. */
export function describeLeft({ conflicts, notCovered }: FileRestore, { cwd }: Pick<DescribeOptions, "cwd">): string[] {
  const files = conflicts.map(({ path, reason }) => `${shown(path, cwd)}: ${reason}`);
  const commands = notCovered.map(({ command, reason }) => `${firstLine(command)}: ${reason}`);
  return [
    ...(files.length === 0 ? [] : ["Left as they are (--force puts them back too, where their content is kept):", ...some(files)]),
    ...(commands.length === 0 ? [] : ["Changes of these commands are not known, and stay:", ...some(commands)]),
  ];
}

function shown(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}

function some(lines: readonly string[]): string[] {
  const left = lines.length - maxShown;
  return [...lines.slice(0, maxShown), ...(left > 0 ? [`and ${left} more`] : [])].map((line) => `  ${line}`);
}

function firstLine(command: string): string {
  const [line = ""] = command.trim().split("\n", 1);
  return line.length > 80 || line !== command.trim() ? `${line.slice(0, 80)} …` : line;
}
