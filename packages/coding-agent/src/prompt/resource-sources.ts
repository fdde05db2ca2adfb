import type { SlashCommand } from "../protocol/data.ts";

/** What users type before a skill's name. */
export const skillPrefix = "skill:";

/** Where skills or templates are looked for. */
export interface ResourceSource {
  /** A file or a folder; absolute. */
  path: string;
  location: NonNullable<SlashCommand["location"]>;
  /** Somebody named this path, so it must be there. */
  isNamed: boolean;
}

/** Paths that somebody named; absolute. */
export interface NamedPaths {
  /** Of the command line. */
  extra?: readonly string[] | undefined;
  /** Of the settings. */
  settings?: readonly string[] | undefined;
}

/**
 * Where resources of a kind are looked for, those with precedence first: what the command line names, the project's folder, the user's, what the
 * settings name.
 *
 * @param folders - The user's folder, and the project's where the project is trusted.
 */
export function listSources(named: NamedPaths, folders: { project?: string | undefined; user: string }): ResourceSource[] {
  const toNamed = (path: string): ResourceSource => ({ path, location: "path", isNamed: true });
  return [
    ...(named.extra ?? []).map(toNamed),
    ...(folders.project === undefined ? [] : [{ path: folders.project, location: "project" as const, isNamed: false }]),
    { path: folders.user, location: "user", isNamed: false },
    ...(named.settings ?? []).map(toNamed),
  ];
}
