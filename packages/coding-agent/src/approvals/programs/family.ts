import type { Call, Rule } from "../shell/call.ts";
import type { RiskKind } from "../shell/effects.ts";
import type { Options } from "../shell/options.ts";
import { plainArg } from "../shell/words.ts";

/**
 * The effect of a subcommand. `read`: it only reads. `write`: it writes in the folder where it runs. `runs`: it runs code of the project, or does
 * more than pi knows; `hooks`: it writes, too. `wide`: it deletes much in the folder where it runs.
 */
type Does = "read" | "write" | "network" | "runs" | "hooks" | "wide" | RiskKind;

/**
 * The subcommands of a program by what they do, separated by commas: `stash list|show, tag -d|--delete`. Words are the first operands; options
 * must be given as well. The longest entry counts; entries with options count together, before those without. `*` in a word is any text.
 */
export type Verbs = Partial<Record<Does, string>>;

interface Entry {
  words: readonly (readonly string[])[];
  options: readonly (readonly string[])[];
  does: Does;
}

export interface Family {
  /** Options with a value, separated by spaces. */
  valued?: string;
  /** The same for single subcommands. */
  valuedOf?: Readonly<Record<string, string>>;
  verbs: Verbs;
  /** Entries that count alone, such as `clean --dry-run`. */
  instead?: Verbs;
  /** Calls without a subcommand. Default: `read`. */
  alone?: Does;
  /** More about single subcommands, by their first words. */
  more?: Readonly<Record<string, (call: Call, options: Options) => void>>;
}

/** The rule for a program with subcommands. A subcommand that is not in the table is unknown. */
export function family({ valued = "", valuedOf = {}, verbs, instead = {}, alone = "read", more = {} }: Family): Rule {
  const entries = readVerbs(verbs);
  const first = readVerbs(instead);
  return (call) => {
    const [verb] = call.options(valued, true).operands;
    if (verb === undefined) {
      apply(call, [call.options(valued).has("help", "version", "h", "v", "V") ? "read" : alone]);
      return undefined;
    }
    const name = verb.text;
    if (name === undefined) return call.does("unknownCommand");
    const options = call.options(`${valued} ${Object.hasOwn(valuedOf, name) ? valuedOf[name] : ""}`);
    if (call.args.some(({ text }) => text === "--help")) return undefined;
    const found = findEntries(first, call, options);
    const known = found.length > 0 ? found : findEntries(entries, call, options);
    apply(call, known.length > 0 ? known.map(({ does }) => does) : ["runs"]);
    if (Object.hasOwn(more, name)) more[name]?.(call, { ...options, operands: options.operands.slice(1) });
    return undefined;
  };
}

/** The entries for a call: all that name an option, otherwise the one with the most words. */
function findEntries(entries: ReadonlyMap<string, readonly Entry[]>, call: Call, options: Options): readonly Entry[] {
  const words = options.operands.map(({ text }) => text);
  const known = [...(entries.get(words[0] ?? "") ?? []), ...(entries.get("*") ?? [])].filter(
    (entry) =>
      entry.words.every((choices, index) => choices.some((choice) => isWord(choice, words[index]))) &&
      entry.options.every((choices) => choices.some((choice) => isGiven(choice, call, options))),
  );
  const withOptions = known.filter((entry) => entry.options.length > 0);
  if (withOptions.length > 0) return withOptions;
  // `db:drop*` says more than `*`.
  const clear = known.filter((entry) => !entry.words[0]?.includes("*"));
  const chosen = clear.length > 0 ? clear : known;
  const longest = Math.max(...chosen.map((entry) => entry.words.length));
  return chosen.filter((entry) => entry.words.length === longest).slice(0, 1);
}

function apply(call: Call, all: readonly Does[]): void {
  for (const does of all) {
    if (does === "write" || does === "hooks") call.writes([plainArg(".")]);
    if (does === "wide") call.deletes([{ ...plainArg("."), source: call.text }], true);
    else if (does === "runs" || does === "hooks") call.does("unknown");
    else if (does !== "read" && does !== "write") call.does(does);
  }
}

function readVerbs(verbs: Verbs): ReadonlyMap<string, readonly Entry[]> {
  const entries = new Map<string, Entry[]>();
  for (const [does, text] of Object.entries(verbs) as [Does, string][]) {
    for (const item of text.split(",")) {
      const choices = item
        .trim()
        .split(/\s+/)
        .map((word) => word.split("|"));
      const isOption = ([choice = ""]: readonly string[]) => choice.startsWith("-");
      const words = choices.filter((choice) => !isOption(choice));
      const entry = { words, options: choices.filter(isOption), does };
      for (const first of words[0] ?? ["*"]) {
        const key = first.includes("*") ? "*" : first;
        entries.set(key, [...(entries.get(key) ?? []), entry]);
      }
    }
  }
  return entries;
}

function isWord(choice: string, word: string | undefined): boolean {
  if (word === undefined || !choice.includes("*")) return choice === word;
  const pieces = choice.split("*");
  const [start = ""] = pieces;
  const end = pieces.at(-1) ?? "";
  let at = start.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = word.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return word.startsWith(start) && word.endsWith(end) && word.length >= at + end.length;
}

/** `-f` and `--force` as options; `-delete`, `--rebase=*` and other longer ones as they are written. */
function isGiven(choice: string, call: Call, options: Options): boolean {
  if (choice.startsWith("--") && !choice.includes("*")) return options.has(choice.slice(2));
  if (choice.length === 2) return options.has(choice.slice(1));
  return call.args.some(({ text }) => isWord(choice, text));
}

/** The entries of a table by single names. */
export function rows<T>(table: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(table).flatMap(([names, value]) => names.split(" ").map((name): [string, T] => [name, value]));
}
