import { type Dirent, readdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { FileError, fileLimits, isMissing, readWhole } from "@pikit/ai/files";
import { findExtensions } from "../extensions/find-extensions.ts";
import { findSkillFiles } from "../prompt/find-skills.ts";
import { compileGlob } from "../tools/search/glob.ts";
import { isGlob, selectFiles } from "./select-resources.ts";

/** The kinds of resources in packages: keys of the `pi` field of a `package.json`, and names of folders. */
export const resourceKinds = ["extensions", "skills", "prompts", "themes"] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** Absolute paths of the files of each kind. */
export type ResourceFiles = Record<ResourceKind, string[]>;

/** Maximum number of files and folders that a glob is compared with. */
const maxCompared = 10_000;
/** Maximum depth of folders that are searched. */
const maxDepth = 12;

type Report = (problem: string) => void;

/**
 * Finds the resources of a package: those that the `pi` field of its `package.json` names, otherwise those in folders with the usual names,
 * and without extensions there, the index file of the folder, which is an extension.
 *
 * @param root - The folder of the package, or a file, which is an extension.
 */
export async function findPackageFiles(root: string, report: Report): Promise<ResourceFiles> {
  const found: ResourceFiles = { extensions: [], skills: [], prompts: [], themes: [] };
  if (!(await stat(root)).isDirectory()) return { ...found, extensions: [root] };
  const manifest = await readManifest(root, report);
  for (const kind of resourceKinds) {
    if (manifest) found[kind] = await findNamed(kind, manifest[kind] ?? [], root, report);
    else found[kind] = await findIn(kind, join(root, kind), () => {});
  }
  if (manifest || found.extensions.length > 0) return found;
  const isEmpty = resourceKinds.every((kind) => found[kind].length === 0);
  // Beside folders of other kinds, a module in JavaScript may be a library, but one in TypeScript is an extension.
  found.extensions = (await findIndex(root)).filter((path) => isEmpty || /\.[cm]?ts$/.test(path));
  return found;
}

/** The lists in the `pi` field of `package.json`; undefined without such a list. */
async function readManifest(root: string, report: Report): Promise<Partial<ResourceFiles> | undefined> {
  const path = join(root, "package.json");
  let pi: unknown;
  try {
    ({ pi } = JSON.parse((await readWhole(path, fileLimits.manifest)).toString("utf8")) as { pi?: unknown });
  } catch (error) {
    if (!isMissing(error)) report(`${path} cannot be read: ${error instanceof FileError ? error.reason : "it is not valid JSON"}.`);
    return undefined;
  }
  if (typeof pi !== "object" || pi === null) return undefined;
  const fields = pi as Record<string, unknown>;
  const lists = resourceKinds.flatMap((kind) => {
    const list = fields[kind];
    return Array.isArray(list) ? [[kind, list.filter((item): item is string => typeof item === "string")] as const] : [];
  });
  return lists.length === 0 ? undefined : Object.fromEntries(lists);
}

/** The files that a list of paths, globs and marked patterns names. */
async function findNamed(kind: ResourceKind, list: readonly string[], root: string, report: Report): Promise<string[]> {
  const files = new Set<string>();
  try {
    for (const item of list.filter((text) => !/^[!+-]/.test(text))) {
      const paths = isGlob(item) ? await expandGlob(item, root) : [resolve(root, item)];
      for (const path of paths) for (const file of await findIn(kind, path, report)) files.add(file);
    }
    const marked = list.filter((text) => /^[!+-]/.test(text));
    return marked.length === 0 ? [...files] : await selectFiles([...files], marked, root);
  } catch (error) {
    report(`The ${kind} of ${root} cannot be found: ${(error as Error).message}`);
    return [];
  }
}

/** The files of a kind at a path: the file itself, or those in the folder. */
async function findIn(kind: ResourceKind, path: string, report: Report): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) report(`${path} does not exist, but its package names it in package.json.`);
  if (!stats?.isDirectory()) return stats ? [path] : [];
  if (kind === "themes") return listFiles(path, ".json", maxDepth);
  if (kind === "prompts") return listFiles(path, ".md", maxDepth);
  if (kind === "skills") {
    const skills = await findSkillFiles({ path, location: "path", isNamed: true }, report);
    return [...skills.map((skill) => skill.path), ...(await listFiles(path, ".md"))].filter(isFirst);
  }
  const index = await findIndex(path);
  if (index.length > 0) return index;
  const { files, problems } = await findExtensions({ folders: [{ path, location: "path" }], named: [] });
  for (const problem of problems) report(`${problem.path}: ${problem.error}`);
  return files.map((file) => file.path);
}

function isFirst(path: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(path) === index;
}

/** The files with an ending in a folder, sorted; with `depth`, also those in folders below it. Hidden ones are left out. */
async function listFiles(folder: string, ending: string, depth = 0): Promise<string[]> {
  const entries = readFolder(folder);
  const files = entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith(ending))
    .map(({ name }) => join(folder, name));
  const folders = depth === 0 ? [] : entries.filter((entry) => entry.isDirectory() && entry.name !== "node_modules");
  const below = await Promise.all(folders.map(({ name }) => listFiles(join(folder, name), ending, depth - 1)));
  return [...files, ...below.flat()];
}

/** The index file of a folder that is one extension. */
async function findIndex(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const index = names.sort().find((name) => /^index\.[cm]?[jt]s$/.test(name));
  return index === undefined ? [] : [join(folder, index)];
}

/** The files and folders that match a glob, sorted. Below a matching folder the search does not continue. */
export async function expandGlob(text: string, root: string): Promise<string[]> {
  const glob = await compileGlob(text);
  const fixed = text.split("/").slice(0, -1);
  const start = fixed.slice(0, Math.max(0, [...fixed, "*"].findIndex(isGlob)));
  const found: string[] = [];
  let compared = 0;
  const visit = (folder: string, depth: number): void => {
    for (const entry of readFolder(folder)) {
      const path = join(folder, entry.name);
      if (++compared > maxCompared) return;
      const isFolder = entry.isDirectory();
      if (glob.matches(relative(root, path).split(sep).join("/"), isFolder)) found.push(path);
      else if (isFolder && depth < maxDepth && entry.name !== "node_modules") visit(path, depth + 1);
    }
  };
  visit(resolve(root, ...start), 0);
  return found;
}

function readFolder(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith(".")).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // it does not exist, or cannot be read
  }
}
