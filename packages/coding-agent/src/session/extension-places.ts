import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { findExtensionPath, type NamedPackage, type NamedResource, type ResourceMarks } from "../config/all-settings.ts";
import { projectFolder, toAbsolute } from "../config/paths.ts";
import { isRemoteSource } from "../config/remote-source.ts";
import type { ExtensionFactory } from "../extensions/api.ts";
import type { ExtensionPlaces } from "../extensions/find-extensions.ts";
import type { PackageResources } from "../packages/load-packages.ts";
import type { ResourceFilter } from "../prompt/resource-sources.ts";

/** The options of a session that say which extensions and packages it has. */
export interface ExtensionOptions {
  agentDir: string;
  /** The folder to which paths in the options are relative. */
  startFolder: string;
  /** The session's working folder. */
  cwd: string;
  /** Extensions that are always loaded: functions, paths, or sources of packages. */
  extensions?: readonly (string | ExtensionFactory)[] | undefined;
  /** Whether extensions of folders and settings are loaded. Default true. */
  discoverExtensions?: boolean | undefined;
  /** Whether packages that are missing are not installed. Default false. */
  offline?: boolean | undefined;
  /** Called with one line for each package that is installed or cannot be used. */
  report(line: string): void;
}

/** The parts of the settings that say which packages and other resources there are. */
export interface NamedParts {
  packages: readonly NamedPackage[];
  marks: readonly ResourceMarks[];
  /** The command that installs packages. */
  npmCommand: readonly string[] | undefined;
}

/** Finds the files of the packages of the settings and of the options; see `loadPackages`. Returns undefined if there are no packages. */
export async function findPackages(options: ExtensionOptions, named: NamedParts): Promise<PackageResources | undefined> {
  const { agentDir, cwd, startFolder, report } = options;
  const offline = options.offline || /^(?:1|true|yes)$/i.test(process.env.PI_OFFLINE ?? "");
  const given = givenPaths(options)
    .filter((name) => isPackage(name, startFolder))
    .map((name) => (isRemoteSource(name) ? name : toAbsolute(name, resolve(startFolder))));
  if (named.packages.length === 0 && given.length === 0) return undefined;
  const { loadPackages } = await import("../packages/load-packages.ts");
  return loadPackages({ agentDir, cwd, named: named.packages, given, npmCommand: named.npmCommand, offline, report });
}

/**
 * Lists the places in which extensions are searched.
 *
 * @param named - The extensions of the settings.
 * @param isTrusted - Whether the project's folder counts.
 * @param filter - The patterns of the settings.
 */
export async function listExtensionPlaces(
  options: ExtensionOptions,
  named: readonly NamedResource[],
  packages: PackageResources | undefined,
  isTrusted: boolean,
  filter: ResourceFilter | undefined,
): Promise<ExtensionPlaces> {
  const { agentDir, cwd, startFolder, discoverExtensions = true } = options;
  const brought = packages?.extensions ?? [];
  const given = [
    ...givenPaths(options)
      .filter((name) => !isPackage(name, startFolder))
      .map((name): NamedResource => ({ path: findExtensionPath(name, resolve(startFolder)), location: "path" })),
    ...brought.filter(({ location }) => location === "path"),
  ];
  if (!discoverExtensions) return { folders: [], named: given };
  const user = { path: join(agentDir, "extensions"), location: "user" as const };
  const project = { path: join(projectFolder(cwd), "extensions"), location: "project" as const };
  const installed = brought.filter(({ location }) => location !== "path");
  return {
    folders: isTrusted ? [project, user] : [user],
    named: [...(await expand(named)), ...installed, ...given],
    // The command line and packages have their own ways to choose.
    isUsed: ({ path, location, package: origin }) =>
      location === "path" || origin !== undefined || filter?.(path, location) !== false,
  };
}

/** Replaces globs by the files and folders that they match. */
async function expand(named: readonly NamedResource[]): Promise<readonly NamedResource[]> {
  if (!named.some(({ path }) => /[*?{[]/.test(path))) return named;
  const { expandGlobs } = await import("../packages/marked-resources.ts");
  const found = await Promise.all(
    named.map(async (resource) => (await expandGlobs([resource.path])).map((path) => ({ ...resource, path }))),
  );
  return found.flat();
}

/** The extensions of the options that are paths or sources of packages. */
function givenPaths({ extensions = [] }: ExtensionOptions): string[] {
  return extensions.filter((extension) => typeof extension === "string");
}

/** Whether an extension of the options is a package: elsewhere, or a folder that is not one module. */
function isPackage(name: string, startFolder: string): boolean {
  if (isRemoteSource(name)) return true;
  const folder = toAbsolute(name, resolve(startFolder));
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  const has = (name: string) => existsSync(join(folder, name));
  if (!isFolder || has("package.json")) return isFolder;
  // A module may have prompts of its own, which it reads itself.
  return !["index.ts", "index.js"].some(has) && ["extensions", "skills", "prompts", "themes"].some(has);
}
