import { UsageError } from "../errors.ts";
import { type Arguments, type OptionName, parseArguments } from "./args.ts";
import { helpText } from "./help.ts";

/** Why a subcommand does not take an option. */
export type RefusedOptions = Partial<Record<OptionName, string>>;

/** Options that no server on stdin and stdout takes. */
const refusedByAll: RefusedOptions = {
  export: "run pi --export",
  "list-models": "run pi --list-models",
  version: "run pi --version",
};

/**
 * Reads the command line of a subcommand that serves a protocol on stdin and stdout, and has the options of pi.
 *
 * @param refused - The options that the protocol replaces.
 * @param advice - Where prompts come from.
 * @returns The arguments; undefined if the help was printed.
 * @throws {UsageError} For options that the subcommand does not take, and for prompts.
 */
export function readServerArguments(
  name: string,
  args: readonly string[],
  { refused, advice }: { refused: RefusedOptions; advice: string },
): Arguments | undefined {
  const parsed = parseArguments(args);
  const { options, prompts } = parsed;
  if (options.help) {
    process.stdout.write(`${helpText()}\n`);
    return undefined;
  }
  const isOwn = `${name} is a mode of its own`;
  for (const [option, reason] of Object.entries({ mode: isOwn, print: isOwn, ...refused, ...refusedByAll })) {
    if (options[option as OptionName] !== undefined)
      throw new UsageError("invalid_arguments", `${name} takes no --${option}: ${reason}.`);
  }
  if (prompts[0] === undefined) return parsed;
  throw new UsageError("invalid_arguments", `${name} takes no prompt arguments, but got "${prompts[0]}". ${advice}`);
}
