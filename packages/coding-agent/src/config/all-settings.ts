import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PackageOrigin } from "../source-info.ts";
import { projectFolder, toAbsolute } from "./paths.ts";
import { isRemoteSource } from "./remote-source.ts";
import { type PackageEntry, readSettingsFile, type Settings, type SettingsFile } from "./settings.ts";

/** A resource that settings, the command line or a package refer to by its path. */
export interface NamedResource {
  /** Absolute. */
  path: string;
  location: "user" | "project" | "path";
  /** The package that brings it; undefined without one. */
  package?: PackageOrigin | undefined;
}

/** A package in the settings. */
export interface NamedPackage {
  entry: PackageEntry;
  location: "user" | "project";
}

export interface AllSettings {
  /** The merged settings of the user and the project; their paths are absolute. */
  settings: Settings;
  /** The extensions in the settings, the user's first. */
  extensions: NamedResource[];
  /** The packages in the settings, the user's first. Their paths are relative to the folder of the settings. */
  packages: NamedPackage[];
  /** A line of text for each key that looks misspelt. */
  problems: string[];
}

/**
 * Reads and merges the settings of the user and of a project. The project's take precedence; objects such as `retry` are merged key by key,
 * and lists are joined, the user's first.
 *
 * @param project - The project's folder; only if the user trusts it.
 * @param userFile - The user's settings, if they were read already.
 * @throws {UsageError} For an invalid setting; the message names the file and the field.
 */
export async function readAllSettings(agentDir: string, project?: string, userFile?: SettingsFile): Promise<AllSettings> {
  const user = place(userFile ?? (await readSettingsFile(join(agentDir, "settings.json"))), agentDir, "user");
  if (project === undefined) return user;
  const folder = projectFolder(project);
  const local = place(await readSettingsFile(join(folder, "settings.json")), folder, "project");
  return {
    settings: merge(user.settings, local.settings),
    extensions: [...user.extensions, ...local.extensions],
    packages: [...user.packages, ...local.packages],
    problems: [...user.problems, ...local.problems],
  };
}

/** Makes the paths of settings absolute; they are relative to the folder of their file. */
function place({ settings, problems }: SettingsFile, folder: string, location: "user" | "project"): AllSettings {
  const { extensions = [], skills, prompts, themes, packages = [], shell } = settings;
  return {
    settings: {
      ...settings,
      ...(skills ? { skills: skills.map((path) => toAbsolute(path, folder)) } : {}),
      ...(prompts ? { prompts: prompts.map((path) => toAbsolute(path, folder)) } : {}),
      ...(themes ? { themes: themes.map((path) => toAbsolute(path, folder)) } : {}),
      ...(shell?.path?.startsWith("~") ? { shell: { ...shell, path: toAbsolute(shell.path, folder) } } : {}),
    },
    extensions: extensions
      .filter((name) => !isRemoteSource(name))
      .map((name) => ({ path: findExtensionPath(name, folder), location })),
    // Older settings of related programs have packages in this list, too.
    packages: [...packages, ...extensions.filter(isRemoteSource)].map((entry) => ({ entry, location })),
    problems,
  };
}

/** Resolves an extension: a file, a folder, or the name of a package that is installed in `folder`. */
export function findExtensionPath(name: string, folder: string): string {
  const path = toAbsolute(name, folder);
  const installed = join(folder, "node_modules", name);
  return /^[./~]/.test(name) || existsSync(path) || !existsSync(installed) ? path : installed;
}

function merge(user: Settings, project: Settings): Settings {
  const merged: Record<string, unknown> = { ...user };
  for (const [key, value] of Object.entries(project)) {
    const before = merged[key];
    if (Array.isArray(before) && Array.isArray(value)) merged[key] = [...before, ...value];
    else if (isObject(before) && isObject(value)) merged[key] = { ...before, ...value };
    else merged[key] = value;
  }
  return merged as Settings;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
