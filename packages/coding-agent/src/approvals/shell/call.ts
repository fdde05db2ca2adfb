import type { RiskKind } from "./findings.ts";
import type { Input, Shell } from "./shell.ts";
import type { Arg } from "./words.ts";

/** A command in a script, with expanded arguments. */
export interface Call {
  /** Without folder. */
  name: string;
  args: readonly Arg[];
  input: Input;
  shell: Shell;
  /** Whether the command runs for each of many files, as with `xargs` and `find -exec`. */
  isRepeated: boolean;
  reader: Reader;
}

/** The interface for rules. */
export interface Reader {
  risk(kind: RiskKind, detail: string): void;
  /** Records that the command writes, replaces or deletes a path. */
  writes(arg: Arg, shell: Shell): void;
  /** Analyses another command; the first word is its name. */
  run(words: readonly Arg[], call: Pick<Call, "input" | "shell" | "isRepeated">): Input;
  /** Analyses a text as a shell script. */
  runText(text: string, shell: Shell, input: Input): Input;
}

/** The rule for a command: reports the risks of a call, and returns its output (default: unknown). */
export type Rule = (call: Call) => Input | undefined;

/** The source text of the command. */
export function describe({ name, args }: Pick<Call, "name" | "args">): string {
  const sources = args.slice(0, 20).map(({ source }) => source);
  // One word of the source may be several arguments.
  return [name, ...sources.filter((source, index) => source !== sources[index - 1])].join(" ");
}
