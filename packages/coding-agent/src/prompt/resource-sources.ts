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
  /** Whether Markdown files in the folder itself are skills too. Default false. */
  hasLooseFiles?: boolean;
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
 * Lists the places for resources of a kind, in the order of precedence: paths from the command line, the project's folders, the user's folders,
 * paths from the settings, files of packages.
 *
 * @param folders - The user's folder, and the project's folder if the project is trusted. `shared`: the same for folders of all agents.
 * @param packaged - The files of packages.
 * @param filter - Leaves out files of the folders and of the settings. Default: all are used.
 */
export function listSources(
  named: NamedPaths,
  folders: { project?: string | undefined; user: string; shared?: { project: readonly string[]; user: string } },
  packaged: readonly NamedResource[],
  filter?: ResourceFilter,
): ResourceSource[] {
  const toNamed = (path: string): ResourceSource => ({ path, location: "path", isNamed: true });
  const extra = (named.extra ?? []).map(toNamed);
  const files = packaged.map((file) => ({ ...file, isNamed: true }));
  if (named.discover === false) return [...extra, ...files.filter(({ location }) => location === "path")];
  const { project, user, shared } = folders;
  const inFolder = (path: string, location: "project" | "user", hasLooseFiles: boolean): ResourceSource => ({
    ...{ path, location, isNamed: false, hasLooseFiles },
  });
  const found: ResourceSource[] = [
    ...(project === undefined ? [] : [inFolder(project, "project", true)]),
    ...(shared?.project ?? []).map((path) => inFolder(path, "project", false)),
    inFolder(user, "user", true),
    ...(shared ? [inFolder(shared.user, "user", false)] : []),
    ...(named.settings ?? []).map(toNamed),
  ];
  const filtered = filter ? found.map((source) => ({ ...source, isUsed: (path: string) => filter(path, source.location) })) : found;
  return [...extra, ...filtered, ...files];
}
