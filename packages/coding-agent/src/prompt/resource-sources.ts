import type { NamedResource } from "../config/all-settings.ts";
import type { SlashCommand } from "../protocol/data.ts";
import type { PackageOrigin } from "../source-info.ts";

/** The prefix of a skill's name in a prompt. */
export const skillPrefix = "skill:";

/** A place for skills or templates. */
export interface ResourceSource {
  /** A file or a folder; absolute. */
  path: string;
  location: NonNullable<SlashCommand["location"]>;
  /** Whether the user gave this path, so that it must exist. */
  isNamed: boolean;
  /** The package that brings it; undefined without one. */
  package?: PackageOrigin | undefined;
  /** Whether a file that was found is used. Default: all are. */
  isUsed?(path: string): boolean;
}

/** Whether a file that was found is used. */
export type ResourceFilter = (path: string, location: ResourceSource["location"]) => boolean;

/** Paths from the user; absolute. */
export interface NamedPaths {
  /** From the command line. */
  extra?: readonly string[] | undefined;
  /** From the settings. */
  settings?: readonly string[] | undefined;
  /** Whether the folders and `settings` are used, too. Default true. */
  discover?: boolean | undefined;
}

/**
 * Lists the places for resources of a kind, in the order of precedence: paths from the command line, the project's folder, the user's folder,
 * paths from the settings, files of packages.
 *
 * @param folders - The user's folder, and the project's folder if the project is trusted.
 * @param packaged - The files of packages.
 * @param filter - Leaves out files of the folders and of the settings. Default: all are used.
 */
export function listSources(
  named: NamedPaths,
  folders: { project?: string | undefined; user: string },
  packaged: readonly NamedResource[],
  filter?: ResourceFilter,
): ResourceSource[] {
  const toNamed = (path: string): ResourceSource => ({ path, location: "path", isNamed: true });
  const extra = (named.extra ?? []).map(toNamed);
  const files = packaged.map((file) => ({ ...file, isNamed: true }));
  if (named.discover === false) return [...extra, ...files.filter(({ location }) => location === "path")];
  const found: ResourceSource[] = [
    ...(folders.project === undefined ? [] : [{ path: folders.project, location: "project" as const, isNamed: false }]),
    { path: folders.user, location: "user", isNamed: false },
    ...(named.settings ?? []).map(toNamed),
  ];
  const filtered = filter ? found.map((source) => ({ ...source, isUsed: (path: string) => filter(path, source.location) })) : found;
  return [...extra, ...filtered, ...files];
}
