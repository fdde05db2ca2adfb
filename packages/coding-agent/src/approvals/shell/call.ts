import type { RiskKind } from "./findings.ts";
import type { Input, Shell } from "./shell.ts";
import type { Arg } from "./words.ts";

/** One command that a script runs, with its arguments expanded. */
export interface Call {
  /** Without its folder. */
  name: string;
  args: readonly Arg[];
  input: Input;
  shell: Shell;
  /** Once for each of many files, as `xargs` and `find -exec` do. */
  isRepeated: boolean;
  reader: Reader;
}

/** What rules tell and ask. */
export interface Reader {
  risk(kind: RiskKind, detail: string): void;
  /** Something at that path is written, replaced or deleted. */
  writes(arg: Arg, shell: Shell): void;
  /** Reads another command; the first word is its name. */
  run(words: readonly Arg[], call: Pick<Call, "input" | "shell" | "isRepeated">): Input;
  /** Reads a text as a shell script. */
  runText(text: string, shell: Shell, input: Input): Input;
}

/** What is known of a command: looks at a call, tells of its risks, and returns what it prints (default: unknown). */
export type Rule = (call: Call) => Input | undefined;

/** The command as it was written. */
export function describe({ name, args }: Pick<Call, "name" | "args">): string {
  const sources = args.slice(0, 20).map(({ source }) => source);
  // One word may have become several arguments.
  return [name, ...sources.filter((source, index) => source !== sources[index - 1])].join(" ");
}
