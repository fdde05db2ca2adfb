import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PackageOrigin } from "../source-info.ts";
import { projectFolder, toAbsolute } from "./paths.ts";
import { readSettingsFile, type SettingsFile } from "./read-settings.ts";
import { isRemoteSource } from "./remote-source.ts";
import type { PackageEntry, Settings } from "./settings.ts";

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

/** The patterns of one settings file that leave out resources which were found, or bring them back. */
export interface ResourceMarks {
  location: "user" | "project";
  /** The folder to which patterns are relative. */
  folder: string;
  /** Items of the settings with `!`, `+` or `-` in front; see `selectFiles`. */
  marks: Readonly<Record<MarkedKind, readonly string[]>>;
}

/** The lists of settings that may have patterns. */
export type MarkedKind = "extensions" | "skills" | "prompts";

export interface AllSettings {
  /** The merged settings of the user and the project; their paths are absolute. */
  settings: Settings;
  /** The extensions in the settings, the user's first. */
  extensions: NamedResource[];
  /** The packages in the settings, the user's first. Their paths are relative to the folder of the settings. */
  packages: NamedPackage[];
  /** The patterns of each file that has some. */
  marks: ResourceMarks[];
  /** A line of text for each key that looks misspelt. */
  problems: string[];
}

/**
 * Reads and merges the settings of the user and of a project. The project's take precedence; objects such as `retry` are merged key by key,
 * and lists are joined, the user's first. The lists of `approvalRules` are joined, too: a project cannot take back a refusal of the user. The
 * sandbox is that of the user.
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
    marks: [...user.marks, ...local.marks],
    problems: [...user.problems, ...local.problems],
  };
}

/** Makes the paths of settings absolute; they are relative to the folder of their file. */
function place({ settings, problems }: SettingsFile, folder: string, location: "user" | "project"): AllSettings {
  const { extensions = [], skills, prompts, themes, packages = [], shell, mcpServers } = settings;
  const [named, remote] = [isPath, isRemoteSource].map((isMeant) => extensions.filter(isMeant)) as [string[], string[]];
  const marks = { extensions, skills: skills ?? [], prompts: prompts ?? [] };
  const hasMarks = Object.values(marks).some((list) => list.some(isMark));
  const toPaths = (list: readonly string[]) => list.filter(isPath).map((path) => toAbsolute(path, folder));
  return {
    settings: {
      ...settings,
      ...(skills ? { skills: toPaths(skills) } : {}),
      ...(prompts ? { prompts: toPaths(prompts) } : {}),
      ...(themes ? { themes: toPaths(themes) } : {}),
      ...(shell?.path?.startsWith("~") ? { shell: { ...shell, path: toAbsolute(shell.path, folder) } } : {}),
      ...(mcpServers && location === "project" ? { mcpServers: withoutSandboxChoice(mcpServers) } : {}),
    },
    extensions: named.map((name) => ({ path: findExtensionPath(name, folder), location })),
    // Older settings of related programs have packages in this list, too.
    packages: [...packages, ...remote].map((entry) => ({ entry, location })),
    marks: hasMarks ? [{ location, folder, marks }] : [],
    problems,
  };
}

/** The servers of a project, which cannot leave the sandbox on their own. */
function withoutSandboxChoice(servers: Settings["mcpServers"] & {}): Settings["mcpServers"] & {} {
  return Object.fromEntries(Object.entries(servers).map(([name, { sandbox: _sandbox, ...server }]) => [name, server]));
}

/** Whether an item of a list of paths is a pattern that leaves something out or brings it back. */
export function isMark(item: string): boolean {
  return /^[!+-]/.test(item);
}

function isPath(item: string): boolean {
  return !isMark(item) && !isRemoteSource(item);
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
  // A project must not open the sandbox of its own commands.
  return { ...merged, sandbox: user.sandbox, ...joinRules(user, project) } as Settings;
}

function joinRules({ approvalRules: first }: Settings, { approvalRules: second }: Settings): Pick<Settings, "approvalRules"> {
  if (!first || !second) return {};
  const join = (kind: keyof typeof first) => [...(first[kind] ?? []), ...(second[kind] ?? [])];
  return { approvalRules: { deny: join("deny"), ask: join("ask"), allow: join("allow") } };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
