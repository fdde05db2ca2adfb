import { parseArgs } from "node:util";
import { readAllSettings } from "../../config/all-settings.ts";
import { agentFolder } from "../../config/paths.ts";
import { askForTrust } from "../../config/project-trust.ts";
import { UsageError } from "../../errors.ts";
import { writeError } from "../../modes/terminal-text.ts";
import { TerminalUser } from "../../modes/terminal-user.ts";
import type { NpmOptions } from "../../packages/npm-packages.ts";
import type { PackagePlaces } from "../../packages/package-folders.ts";
import { runInForeground, runQuietly } from "../../packages/run-tool.ts";
import type { SettingsScope } from "../../packages/settings-packages.ts";
import { absentUser } from "../../user-interface.ts";

const options = {
  local: { type: "boolean", short: "l" },
  approve: { type: "boolean", short: "a" },
  "no-approve": { type: "boolean" },
  "allow-scripts": { type: "boolean" },
  extension: { type: "string", multiple: true },
  extensions: { type: "boolean" },
  all: { type: "boolean" },
  self: { type: "boolean" },
  models: { type: "boolean" },
  force: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type PackageOption = keyof typeof options;

/** The command line of a subcommand for packages. */
export interface PackageCommand {
  values: ReturnType<typeof parsePackageArguments>["values"];
  /** The arguments that are not options. */
  sources: string[];
  places: PackagePlaces;
}

/** The options and arguments of a subcommand for packages. */
export interface PackageCommandShape {
  name: string;
  usage: string;
  known: readonly PackageOption[];
  maxSources: number;
}

/**
 * Reads the command line of a subcommand for packages.
 *
 * @returns Undefined after `--help`, which prints the usage.
 * @throws {UsageError} For unknown options and too many words.
 */
export function readPackageCommand(args: readonly string[], shape: PackageCommandShape): PackageCommand | undefined {
  const { name, usage, maxSources } = shape;
  const parsed = parsePackageArguments(args, shape);
  if (parsed.values.help) {
    process.stdout.write(`${usage}\n`);
    return undefined;
  }
  if (parsed.positionals.length > maxSources) {
    const line = [name, ...args].join(" ");
    throw new UsageError("invalid_arguments", `${usage}\nTo send the text as a prompt: pi -- "${line}"`);
  }
  return { values: parsed.values, sources: parsed.positionals, places: { agentDir: agentFolder(), cwd: process.cwd() } };
}

function parsePackageArguments(args: readonly string[], { usage, known }: PackageCommandShape) {
  try {
    const taken = Object.fromEntries(
      Object.entries(options).filter(([name]) => known.includes(name as PackageOption)),
    ) as typeof options;
    return parseArgs({
      args: args.map((arg) => (arg === "-na" ? "--no-approve" : arg)),
      options: taken,
      allowPositionals: true,
    });
  } catch (error) {
    const [problem = ""] = (error as Error).message.split(/\.\s/);
    throw new UsageError("invalid_arguments", `${problem}.\n${usage}`);
  }
}

/**
 * The scopes whose packages a command may read: the user's, and the project's if the folder is trusted.
 *
 * @throws {UsageError} With `--local`, when the folder has settings of its own and is not trusted.
 */
export async function readableScopes({ values, places }: PackageCommand): Promise<SettingsScope[]> {
  const isAtTerminal = process.stdin.isTTY && process.stderr.isTTY;
  const { trusted, notice } = await askForTrust({
    ...places,
    decided: values.approve ? true : values["no-approve"] ? false : undefined,
    // Only a command for the project asks.
    user: values.local && isAtTerminal ? new TerminalUser() : absentUser,
  });
  // A folder without parts of its own has nothing that could do harm.
  if (trusted || (values.local && notice === undefined)) return ["user", "project"];
  if (values.local) throw new UsageError("config_unavailable", notice ?? "");
  if (notice !== undefined) writeError(notice);
  return ["user"];
}

/** How npm and git are run, after the settings. */
export async function toolOptions({ values, places }: PackageCommand, scopes: readonly SettingsScope[]): Promise<NpmOptions> {
  const { settings } = await readAllSettings(places.agentDir, scopes.includes("project") ? places.cwd : undefined);
  const isAtTerminal = process.stdin.isTTY && process.stderr.isTTY;
  return {
    run: isAtTerminal ? runInForeground : runQuietly,
    npmCommand: settings.npmCommand,
    allowScripts: values["allow-scripts"] ?? false,
  };
}
