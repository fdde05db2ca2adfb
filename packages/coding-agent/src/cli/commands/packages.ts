import { UsageError } from "../../errors.ts";
import { toTerminalText, writeError } from "../../modes/terminal-text.ts";
import { installPackage, locate, removePackage, updatePackage, updateTogether } from "../../packages/install-package.ts";
import { listScripted, type NpmOptions, readVersion } from "../../packages/npm-packages.ts";
import { findPackageFiles, type ResourceKind, resourceKinds } from "../../packages/package-files.ts";
import { installFolder, npmRoot, packageFolder, scopeFolder } from "../../packages/package-folders.ts";
import { type PackageSource, parseSource } from "../../packages/package-source.ts";
import { runQuietly } from "../../packages/run-tool.ts";
import {
  addPackage,
  dropPackage,
  type ListedPackage,
  listPackages,
  type SettingsScope,
  sourceOf,
} from "../../packages/settings-packages.ts";
import { describeError } from "../describe-error.ts";
import { type PackageCommand, readableScopes, readPackageCommand, toolOptions } from "./package-command.ts";

const sourcesHelp = `Sources: npm:name, npm:@scope/name@version, git:host/owner/name@ref, https://host/owner/name, a path.`;

const trustHelp = `  -a, --approve       trust this folder's .pi for this command
  -na, --no-approve   ignore this folder's .pi`;

const installUsage = `Usage: pi install <source> [-l] [--allow-scripts]
Installs a package of extensions, skills, prompt templates or themes, and adds it to settings.json.
${sourcesHelp}
  -l, --local         for this project: .pi/settings.json
  --allow-scripts     run the install scripts of the package and of its dependencies
${trustHelp}`;

const removeUsage = `Usage: pi remove <source> [-l]
Removes a package, also from settings.json. pi uninstall is the same.
  -l, --local         of this project: .pi/settings.json
${trustHelp}`;

const updateUsage = `Usage: pi update [source]
Updates the installed packages, or one of them. Packages with a version stay as they are.
${trustHelp}`;

const listUsage = `Usage: pi list
Lists the packages in the settings of the user, and in those of this project if it is trusted.
${trustHelp}`;

const selfAdvice =
  "pi itself is updated by the package manager that installed it, such as npm install -g @pikit/coding-agent@latest.";

/** Singular and plural of the kinds of resources. */
const words: Readonly<Record<ResourceKind, readonly [one: string, many: string]>> = {
  extensions: ["extension", "extensions"],
  skills: ["skill", "skills"],
  prompts: ["prompt template", "prompt templates"],
  themes: ["theme", "themes"],
};

/**
 * Runs `pi install <source>`.
 *
 * @throws {UsageError} Without a source, or when it cannot be installed; the settings then stay unchanged.
 */
export async function install(args: readonly string[]): Promise<number> {
  const known = ["local", "allow-scripts", "approve", "no-approve", "help"] as const;
  const command = readPackageCommand(args, { name: "install", usage: installUsage, known, maxSources: 1 });
  if (!command) return 0;
  const [typed] = command.sources;
  if (typed === undefined) throw new UsageError("invalid_arguments", installUsage);
  const { places, values } = command;
  const source = parseSource(typed, places.cwd);
  const scope = values.local ? "project" : "user";
  const options = await toolOptions(command, values.local ? await readableScopes(command) : ["user"]);
  const folder = installFolder(source, scope, places);
  const scripted = source.kind === "local" ? [] : await findScripted(source, folder);
  if (source.kind !== "local") print(`Installing ${source.shown} …`);
  if (source.kind === "local") await installPackage(source, folder, options);
  else await updatePackage(source, folder, options);
  const allowScripts = values["allow-scripts"] ?? false;
  await addPackage(source, typed, scope, { ...places, allowScripts });
  print(`Installed ${await describe(source, folder)}`);
  const skipped = source.kind === "local" ? [] : (await findScripted(source, folder)).filter((name) => !scripted.includes(name));
  if (!allowScripts && skipped.length > 0) {
    writeError(
      `Install scripts were not run: ${skipped.join(", ")}. If the package does not work without them: pi install ${source.shown} --allow-scripts`,
    );
  }
  return 0;
}

/** The packages with install scripts that an installation has brought. */
function findScripted(source: PackageSource, folder: string): Promise<string[]> {
  return listScripted(source.kind === "npm" ? npmRoot(folder) : packageFolder(source, folder));
}

/** A package with its version and the number of its resources. */
async function describe(source: PackageSource, folder: string): Promise<string> {
  const root = packageFolder(source, folder);
  const version = source.kind === "npm" && source.version === undefined ? await readVersion(root) : undefined;
  const files = await findPackageFiles(root, writeError);
  const counts = resourceKinds.flatMap((kind) => {
    const { length } = files[kind];
    return length === 0 ? [] : [`${length} ${words[kind][length === 1 ? 0 : 1]}`];
  });
  const brings = counts.length === 0 ? "it has no extensions, skills, prompt templates or themes" : counts.join(", ");
  return `${source.shown}${version === undefined ? "" : ` ${version}`}: ${brings}.`;
}

/**
 * Runs `pi remove <source>`.
 *
 * @throws {UsageError} Without a source, or when the settings do not have it.
 */
export async function remove(args: readonly string[]): Promise<number> {
  const known = ["local", "approve", "no-approve", "help"] as const;
  const command = readPackageCommand(args, { name: "remove", usage: removeUsage, known, maxSources: 1 });
  if (!command) return 0;
  const [typed] = command.sources;
  if (typed === undefined) throw new UsageError("invalid_arguments", removeUsage);
  const { places, values } = command;
  const scope = values.local ? "project" : "user";
  const scopes = values.local ? await readableScopes(command) : (["user"] as const);
  const found = await find(typed, command, [scope]);
  await removePackage(found.source, installFolder(found.source, scope, places), await toolOptions(command, scopes));
  await dropPackage(found, places);
  print(`Removed ${found.source.shown}.`);
  return 0;
}

/** Runs `pi update [source]`. Returns 1 if a package could not be updated. */
export async function update(args: readonly string[]): Promise<number> {
  const known = ["extension", "extensions", "all", "self", "models", "force", "approve", "no-approve", "help"] as const;
  const command = readPackageCommand(args, { name: "update", usage: updateUsage, known, maxSources: 1 });
  if (!command) return 0;
  const { values, sources } = command;
  const wanted = [...(values.extension ?? []), ...sources.filter((source) => source !== "self" && source !== "pi")];
  const isForSelf = values.self || (sources.length > 0 && wanted.length === 0 && !values.extension);
  if (values.models) writeError("The catalog of models comes with pi. To add models, see models.json.");
  if (isForSelf || wanted.length === 0) writeError(selfAdvice);
  if (isForSelf || (values.models && !values.all)) return 0;
  const scopes = await readableScopes(command);
  const packages =
    wanted.length > 0
      ? await Promise.all(wanted.map((source) => find(source, command, scopes)))
      : (await Promise.all(scopes.map((scope) => listPackages(scope, command.places)))).flat();
  return updateAll(packages, command, await toolOptions(command, scopes));
}

async function updateAll(packages: readonly ListedPackage[], { places }: PackageCommand, options: NpmOptions): Promise<number> {
  if (packages.length === 0) print("There are no packages.");
  let exitCode = 0;
  const known = new Map<PackageSource, boolean>();
  for (const scope of ["user", "project"] as const) {
    const together = packages.filter((listed) => listed.scope === scope && isLatest(listed)).map(({ source }) => source);
    const changed = together.length < 2 ? undefined : await updateTogether(together, scopeFolder(scope, places), quiet(options));
    if (changed) for (const source of together) known.set(source, changed.has(source));
  }
  for (const { entry, source, scope } of packages) {
    const folder = installFolder(source, scope, places);
    const allowScripts = typeof entry !== "string" && entry.allowScripts === true;
    try {
      const isChanged = known.get(source) ?? (await updatePackage(source, folder, { ...options, allowScripts }));
      print(isChanged ? `Updated ${await describe(source, folder)}` : `${source.shown} is up to date.`);
    } catch (error) {
      writeError(`${source.shown} was not updated: ${describeError(error)}`);
      exitCode = 1;
    }
  }
  return exitCode;
}

/** Whether a package follows the latest version of the registry, and runs no scripts. */
function isLatest({ entry, source }: ListedPackage): boolean {
  return source.kind === "npm" && source.version === undefined && (typeof entry === "string" || entry.allowScripts !== true);
}

/** A first attempt for several packages shows no errors: those of each package come later. */
function quiet(options: NpmOptions): NpmOptions {
  return { ...options, run: runQuietly, allowScripts: false };
}

/** Runs `pi list`. */
export async function list(args: readonly string[]): Promise<number> {
  const known = ["approve", "no-approve", "help"] as const;
  const command = readPackageCommand(args, { name: "list", usage: listUsage, known, maxSources: 0 });
  if (!command) return 0;
  const { places } = command;
  let isEmpty = true;
  for (const scope of await readableScopes(command)) {
    const packages = await listPackages(scope, places);
    if (packages.length > 0) print(scope === "user" ? "User packages:" : "Project packages:");
    for (const { entry, source } of packages) {
      const { folder, isThere } = await locate(source, scope, places);
      const marks = [...(typeof entry === "string" ? [] : ["filtered"]), ...(isThere ? [] : ["not installed"])];
      print(`  ${source.shown}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}\n    ${folder}`);
      isEmpty = false;
    }
  }
  if (isEmpty) print("There are no packages. pi install <source> adds one.");
  return 0;
}

/**
 * Finds a package in the settings by its source, with or without a version, or by its name.
 *
 * @throws {UsageError} When there is none.
 */
async function find(typed: string, { places }: PackageCommand, scopes: readonly SettingsScope[]): Promise<ListedPackage> {
  const packages = (await Promise.all(scopes.map((scope) => listPackages(scope, places)))).flat();
  const found = packages.find(({ source, entry, scope }) => {
    if (sourceOf(entry) === typed) return true;
    // A path is relative to the working folder here, and to the settings there.
    return [places.cwd, scopeFolder(scope, places)].some((folder) => parseSource(typed, folder).identity === source.identity);
  });
  if (found) return found;
  const meant = packages.find(({ source }) => source.shown.includes(typed))?.source.shown;
  const known = packages.map(({ source }) => source.shown).join(", ") || "none";
  const advice = meant === undefined ? `Packages: ${known}.` : `Did you mean ${meant}?`;
  throw new UsageError("package_failed", `The settings have no package ${parseSource(typed, places.cwd).shown}. ${advice}`);
}

function print(text: string): void {
  process.stdout.write(`${toTerminalText(text)}\n`);
}
