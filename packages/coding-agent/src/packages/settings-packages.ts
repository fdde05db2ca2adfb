import { join, relative, sep } from "node:path";
import { readSettings } from "../config/read-settings.ts";
import type { PackageEntry } from "../config/settings.ts";
import { updateJsonFile } from "../config/update-json-file.ts";
import { type PackagePlaces, type PackageScope, scopeFolder } from "./package-folders.ts";
import { type PackageSource, parseSource } from "./package-source.ts";

/** A scope that has settings. */
export type SettingsScope = Exclude<PackageScope, "path">;

/** A package in the settings. */
export interface ListedPackage {
  entry: PackageEntry;
  source: PackageSource;
  scope: SettingsScope;
}

/**
 * Reads the packages in the settings of a scope.
 *
 * @throws {UsageError} When the settings, or the source of a package in them, are invalid.
 */
export async function listPackages(scope: SettingsScope, places: PackagePlaces): Promise<ListedPackage[]> {
  const folder = scopeFolder(scope, places);
  const { packages = [] } = await readSettings(join(folder, "settings.json"));
  return packages.map((entry) => ({ entry, scope, source: parseSource(sourceOf(entry), folder) }));
}

/** The source in an entry, as the user wrote it. */
export function sourceOf(entry: PackageEntry): string {
  return typeof entry === "string" ? entry : entry.source;
}

/** Adds a package to the settings of a scope. An entry of the same package keeps its place and its filters, and gets the new source. */
export async function addPackage(
  source: PackageSource,
  typed: string,
  scope: SettingsScope,
  { allowScripts, ...places }: PackagePlaces & { allowScripts: boolean },
): Promise<void> {
  const folder = scopeFolder(scope, places);
  const text = source.kind === "local" ? relativePath(folder, source.path) : typed;
  const before = (await listPackages(scope, places)).find((listed) => listed.source.identity === source.identity)?.entry;
  const own = typeof before === "object" ? before : {};
  const hasFields = allowScripts || Object.keys(own).length > 0;
  const entry = hasFields ? { ...own, source: text, ...(allowScripts ? { allowScripts: true } : {}) } : text;
  await changeList(folder, (list) => {
    const at = list.findIndex((item) => isSameEntry(item, before));
    return at < 0 ? [...list, entry] : list.with(at, entry);
  });
}

/** Removes a package from the settings of a scope. */
export async function dropPackage({ entry, scope }: ListedPackage, places: PackagePlaces): Promise<void> {
  await changeList(scopeFolder(scope, places), (list) => list.filter((item) => !isSameEntry(item, entry)));
}

async function changeList(folder: string, change: (list: unknown[]) => unknown[]): Promise<void> {
  await updateJsonFile(join(folder, "settings.json"), (content) => {
    const list: unknown[] = Array.isArray(content.packages) ? content.packages : [];
    const { packages: _old, ...others } = content;
    const packages = change(list);
    return packages.length === 0 ? others : { ...content, packages };
  });
}

function isSameEntry(item: unknown, entry: PackageEntry | undefined): boolean {
  return entry !== undefined && JSON.stringify(item) === JSON.stringify(entry);
}

/** A path for settings, which can be moved together with the package. */
function relativePath(folder: string, path: string): string {
  const text = relative(folder, path).split(sep).join("/");
  return text.startsWith("../") || text === ".." ? text : `./${text}`;
}
