import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { FileError, fileLimits, readWhole, reasonOf } from "@pikit/ai/files";
import type { NamedResource } from "../config/all-settings.ts";

const sourceEndings: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"]);

/** The files of extensions, and the problems that were found. */
export interface FoundExtensions {
  files: NamedResource[];
  problems: { path: string; error: string }[];
}

/** The places in which extensions are searched, as absolute paths. */
export interface ExtensionPlaces {
  /** Folders whose modules and subfolders are extensions. A missing folder has none. */
  folders: readonly NamedResource[];
  /** Files, or folders that are one extension, a package, or have several. A missing one is a problem. */
  named: readonly NamedResource[];
  /** Whether a file that was found is used. Default: all are. */
  isUsed?(file: NamedResource): boolean;
}

/** Finds the files of extensions: those in the folders, sorted by name, then the named ones in order. Duplicates are removed. */
export async function findExtensions({ folders, named, isUsed = () => true }: ExtensionPlaces): Promise<FoundExtensions> {
  const found: FoundExtensions = { files: [], problems: [] };
  const add = (path: string, origin: NamedResource) => {
    const file = { ...origin, path };
    if (isUsed(file) && !found.files.some((other) => other.path === path)) found.files.push(file);
  };
  for (const folder of folders) {
    for (const file of await findInFolder(folder.path, found.problems)) add(file, folder);
  }
  for (const resource of named) {
    const { path } = resource;
    const isFolder = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => undefined,
    );
    // If it is neither a file nor a folder, the loader reports the error.
    const files = isFolder ? await findEntries(path, found.problems) : [path];
    if (isFolder === undefined) found.problems.push({ path, error: "There is no such file or folder." });
    else if (!files) {
      const inside = await findInFolder(path, found.problems);
      for (const file of inside) add(file, resource);
      if (inside.length > 0) continue;
      const error = 'The folder has no modules, and no package.json with "pi": { "extensions": […] }.';
      found.problems.push({ path, error });
    } else for (const file of files) add(file, resource);
  }
  return found;
}

/** The modules of a folder, and those of its subfolders that are extensions; sorted by name. */
async function findInFolder(folder: string, problems: FoundExtensions["problems"]): Promise<string[]> {
  const files: string[] = [];
  for (const name of await listFolder(folder)) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const entry = join(folder, name);
    if (isSource(name)) files.push(entry);
    else files.push(...((await findEntries(entry, problems)) ?? []));
  }
  return files;
}

/** The files that the package.json of a folder names, or its index file; undefined if it has neither. */
async function findEntries(folder: string, problems: FoundExtensions["problems"]): Promise<string[] | undefined> {
  const manifest = join(folder, "package.json");
  const named = await readWhole(manifest, fileLimits.manifest).then(
    (bytes) => readManifest(bytes.toString("utf8")),
    (error: unknown) => {
      if (error instanceof FileError) problems.push({ path: manifest, error: `It cannot be read: ${reasonOf(error)}.` });
      return undefined;
    },
  );
  if (named) return named.map((path) => join(folder, path));
  const names = await listFolder(folder);
  const index = names.find((name) => basename(name, extname(name)) === "index" && isSource(name));
  return index === undefined ? undefined : [join(folder, index)];
}

function readManifest(text: string): string[] | undefined {
  try {
    const { pi } = JSON.parse(text) as { pi?: { extensions?: unknown } };
    if (!Array.isArray(pi?.extensions)) return undefined;
    return pi.extensions.filter((path): path is string => typeof path === "string");
  } catch {
    return undefined; // an invalid package.json names no extensions
  }
}

async function listFolder(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

function isSource(name: string): boolean {
  return sourceEndings.has(extname(name)) && !name.endsWith(".d.ts");
}
