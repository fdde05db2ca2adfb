import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { projectFolder } from "./paths.ts";
import { findMisspeltSettings, readSettings, type Settings } from "./settings.ts";

/** Something that settings name by its path. */
export interface NamedResource {
  /** Absolute. */
  path: string;
  location: "user" | "project" | "path";
}

export interface AllSettings {
  /** The user's and the project's as one; paths in them are absolute. */
  settings: Settings;
  /** The extensions that they name, the user's first. */
  extensions: NamedResource[];
  /** One line for each key that looks misspelt. */
  problems: string[];
}

/**
 * Reads the user's settings, and over them those of a project. The project's win; objects such as `retry` are merged key by key, and lists
 * are joined, the user's first.
 *
 * @param project - The project's folder, where the user trusts it.
 * @throws {UsageError} Naming the file and the field that is wrong.
 */
export async function readAllSettings(agentDir: string, project?: string): Promise<AllSettings> {
  const user = await readOne(agentDir, "user");
  if (project === undefined) return user;
  const local = await readOne(projectFolder(project), "project");
  return {
    settings: merge(user.settings, local.settings),
    extensions: [...user.extensions, ...local.extensions],
    problems: [...user.problems, ...local.problems],
  };
}

async function readOne(folder: string, location: "user" | "project"): Promise<AllSettings> {
  const path = join(folder, "settings.json");
  const settings = await readSettings(path);
  const { extensions = [], skills, prompts } = settings;
  return {
    settings: {
      ...settings,
      ...(skills ? { skills: skills.map((path) => toAbsolute(path, folder)) } : {}),
      ...(prompts ? { prompts: prompts.map((path) => toAbsolute(path, folder)) } : {}),
    },
    extensions: extensions.map((name) => ({ path: findExtensionPath(name, folder), location })),
    problems: findMisspeltSettings(path),
  };
}

/** The path that somebody means by a file, a folder or the name of a package that is installed in `folder`. */
export function findExtensionPath(name: string, folder: string): string {
  const path = toAbsolute(name, folder);
  const installed = join(folder, "node_modules", name);
  return /^[./~]/.test(name) || existsSync(path) || !existsSync(installed) ? path : installed;
}

function toAbsolute(path: string, folder: string): string {
  return resolve(folder, path === "~" || path.startsWith("~/") ? homedir() + path.slice(1) : path);
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
