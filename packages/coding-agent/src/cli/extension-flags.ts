import { UsageError } from "../errors.ts";
import type { ExtensionFlag } from "../extensions/api-tools.ts";
import { type Arguments, parseArguments, type UnknownFlag } from "./args.ts";

/**
 * Parses a command line with unknown options, which may belong to extensions.
 *
 * @param error - The error of `parseArguments`.
 * @throws {UsageError} For other errors, and for options of one dash, which extensions cannot have.
 */
export function parseWithFlags(args: readonly string[], error: UsageError): Arguments {
  const flags: UnknownFlag[] = [];
  const rest = [...args];
  let problem: UsageError | undefined = error;
  while (problem !== undefined) {
    flags.push(takeFlag(rest, problem));
    problem = problemOf(rest);
  }
  const parsed = parseArguments(rest);
  for (const flag of flags) if (flag.next !== undefined) flag.next = placeOf(rest, flag.next, parsed.prompts);
  return { ...parsed, flags };
}

/** Removes the unknown option of an error from the arguments. Its `next` is an index in the arguments. */
function takeFlag(args: string[], error: UsageError): UnknownFlag {
  const { typed } = error.unknown ?? { typed: "" };
  const index = typed.startsWith("--") ? args.findIndex((arg) => arg === typed || arg.startsWith(`${typed}=`)) : -1;
  const arg = args[index];
  if (arg === undefined) throw error;
  args.splice(index, 1);
  const name = typed.slice(2);
  if (arg !== typed) return { name, value: arg.slice(typed.length + 1), error };
  const follower = args[index];
  return { name, error, ...(follower !== undefined && !follower.startsWith("-") ? { next: index } : {}) };
}

function problemOf(args: readonly string[]): UsageError | undefined {
  try {
    parseArguments(args);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError && error.unknown) return error;
    throw error;
  }
}

/** The place in the prompts of an argument; -1 if it is the value of another option. Equal texts are interchangeable. */
function placeOf(args: readonly string[], index: number, prompts: readonly string[]): number {
  const text = args[index];
  const later = args.slice(index + 1).filter((arg) => arg === text).length;
  const places = prompts.flatMap((prompt, place) => (prompt === text ? [place] : []));
  return places[Math.max(0, places.length - 1 - later)] ?? -1;
}

/**
 * Returns the values of the options of extensions, and removes from the prompts those texts that are values.
 *
 * @param known - The options that extensions have added, by name.
 * @throws {UsageError} For an option that no extension has, and for a missing or superfluous value.
 */
export function readFlags(
  { prompts, flags = [] }: Arguments,
  known: ReadonlyMap<string, ExtensionFlag>,
): Map<string, boolean | string> {
  const values = new Map<string, boolean | string>();
  const taken = new Set<number>();
  for (const { name, value, next = -1, error } of flags) {
    const flag = known.get(name);
    if (!flag) throw error;
    if (flag.type === "boolean") {
      if (value !== undefined) throw new UsageError("invalid_arguments", `The option --${name} takes no value: give it alone.`);
      values.set(name, true);
      continue;
    }
    const given = value ?? prompts[next];
    if (given === undefined) throw new UsageError("invalid_arguments", `The option --${name} needs a value: --${name}=<text>.`);
    if (value === undefined) taken.add(next);
    values.set(name, given);
  }
  const left = prompts.filter((_text, index) => !taken.has(index));
  prompts.splice(0, prompts.length, ...left);
  return values;
}
