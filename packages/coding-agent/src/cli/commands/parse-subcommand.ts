import { UsageError } from "../../errors.ts";

/**
 * Parses the arguments of a subcommand.
 *
 * @throws {UsageError} With the usage, when `parse` throws.
 */
export function parseSubcommand<T>(usage: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const [problem = ""] = (error as Error).message.split(/\.\s/);
    throw new UsageError("invalid_arguments", `${problem}.\n${usage}`);
  }
}
