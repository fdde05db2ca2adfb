import type { NamedPackage, NamedResource } from "../config/all-settings.ts";
import type { PackageEntry } from "../config/settings.ts";
import { installPackage, locate } from "./install-package.ts";
import { findPackageFiles, type ResourceFiles, type ResourceKind, resourceKinds } from "./package-files.ts";
import { installFolder, type PackagePlaces, type PackageScope, scopeFolder } from "./package-folders.ts";
import { type PackageSource, parseSource } from "./package-source.ts";
import { runQuietly } from "./run-tool.ts";
import { selectFiles } from "./select-resources.ts";
import { keepFresh } from "./temporary-packages.ts";

/** The files of all packages by kind, in the order of the settings. */
export type PackageResources = Record<ResourceKind, NamedResource[]>;

export interface LoadPackagesOptions extends PackagePlaces {
  /** The packages of the settings, the user's first. */
  named: readonly NamedPackage[];
  /** The sources of the command line, for this run only. */
  given: readonly string[];
  npmCommand?: readonly string[] | undefined;
  /** Whether missing packages may not be installed. */
  offline: boolean;
  /** Called with one line for each package that cannot be used, and before one is installed. */
  report(line: string): void;
}

/** A package, and the entries that choose from its files. */
interface WantedPackage {
  source: PackageSource;
  scope: PackageScope;
  entry: PackageEntry;
  /** An entry of the project that changes the choice. */
  change: Exclude<PackageEntry, string> | undefined;
}

/** Finds the resources of packages, and installs those that are missing. A package that fails is left out and reported. Never rejects. */
export async function loadPackages(options: LoadPackagesOptions): Promise<PackageResources> {
  const found: PackageResources = { extensions: [], skills: [], prompts: [], themes: [] };
  for (const wanted of listWanted(options)) {
    const { source, scope } = wanted;
    try {
      const folder = await prepare(wanted, options);
      const files = await findPackageFiles(folder, options.report);
      if (resourceKinds.every((kind) => files[kind].length === 0)) {
        options.report(`The package ${source.shown} has no extensions, skills, prompt templates or themes: ${folder}.`);
      }
      for (const kind of resourceKinds) {
        const chosen = await choose(kind, files, wanted, folder);
        const origin = { source: source.shown, baseDir: folder };
        found[kind].push(...chosen.map((path) => ({ path, location: scope, package: origin })));
      }
    } catch (error) {
      options.report(`The package ${source.shown} is not loaded: ${(error as Error).message}`);
    }
  }
  return found;
}

/** Each package once: the entry of the project replaces or changes that of the user, and the command line replaces both. */
function listWanted(options: LoadPackagesOptions): WantedPackage[] {
  const wanted = new Map<string, WantedPackage>();
  const all: { entry: PackageEntry; location: PackageScope }[] = [
    ...options.named,
    ...options.given.map((entry) => ({ entry, location: "path" as const })),
  ];
  for (const { entry, location: scope } of all) {
    const text = typeof entry === "string" ? entry : entry.source;
    try {
      const source = parseSource(text, scopeFolder(scope, options));
      const before = wanted.get(source.identity);
      const isChange = typeof entry !== "string" && entry.autoload === false;
      if (isChange && before) wanted.set(source.identity, { ...before, change: entry });
      else if (isChange) wanted.set(source.identity, { source, scope, entry: noneOf(text), change: entry });
      else wanted.set(source.identity, { source, scope, entry, change: undefined });
    } catch (error) {
      options.report(
        `A package of ${scope === "path" ? "--extension" : `the settings (${scope})`} is not loaded: ${(error as Error).message}`,
      );
    }
  }
  return [...wanted.values()];
}

function noneOf(source: string): PackageEntry {
  return { source, extensions: [], skills: [], prompts: [], themes: [] };
}

/** The folder of a package, which is installed if it is missing. */
async function prepare({ source, scope, entry }: WantedPackage, options: LoadPackagesOptions): Promise<string> {
  const { npmCommand, offline, report } = options;
  const folder = installFolder(source, scope, options);
  const allowScripts = typeof entry !== "string" && entry.allowScripts === true;
  if (scope === "path" && !offline) await keepFresh(folder, source, { run: runQuietly, npmCommand });
  const located = await locate(source, scope, options);
  if (located.isThere) return located.folder;
  if (offline && source.kind !== "local") throw new Error("it is not installed, and --offline allows no download.");
  if (source.kind !== "local") report(`The package ${source.shown} is being installed.`);
  await installPackage(source, folder, { run: runQuietly, npmCommand, allowScripts });
  return located.folder;
}

async function choose(kind: ResourceKind, files: ResourceFiles, { entry, change }: WantedPackage, root: string): Promise<string[]> {
  const list = typeof entry === "string" ? undefined : entry[kind];
  const chosen = list === undefined ? files[kind] : await selectFiles(files[kind], list, root);
  const changes = change?.[kind];
  if (changes === undefined) return chosen;
  const added = changes.filter((pattern) => !/^[!-]/.test(pattern)).map((pattern) => pattern.replace(/^\+/, ""));
  const more = await selectFiles(files[kind], added, root);
  const left = changes.filter((pattern) => /^[!-]/.test(pattern));
  const all = files[kind].filter((file) => chosen.includes(file) || more.includes(file));
  return left.length === 0 ? all : selectFiles(all, left, root);
}
