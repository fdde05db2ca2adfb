import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Maximum number of paths to offer. */
const maxPaths = 100;

/**
 * Lists the paths that begin with a typed one, as a shell completes them: hidden names only if the typed name begins with `.`; folders end with
 * `/`. Without a match, upper and lower case count as the same.
 *
 * @param typed - Relative to `cwd`, absolute, or with `~/`.
 * @returns The paths as the user would type them; none for a folder that cannot be read.
 */
export async function listPaths(typed: string, cwd: string): Promise<string[]> {
  const nameStart = typed.lastIndexOf("/") + 1;
  const folder = typed.slice(0, nameStart);
  const name = typed.slice(nameStart);
  if (typed === "~") return ["~/"];
  if (name === "..") return [`${typed}/`];
  const root = folder.startsWith("~/") ? join(homedir(), folder.slice(2)) : resolve(cwd, folder);
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const visible = entries.filter((entry) => name.startsWith(".") || !entry.name.startsWith("."));
  const exact = visible.filter((entry) => entry.name.startsWith(name));
  const found = exact.length > 0 ? exact : visible.filter((entry) => entry.name.toLowerCase().startsWith(name.toLowerCase()));
  const sorted = found.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, maxPaths);
  return Promise.all(
    sorted.map(async (entry) => {
      const isFolder = entry.isSymbolicLink() ? await isFolderAt(join(root, entry.name)) : entry.isDirectory();
      return `${folder}${entry.name}${isFolder ? "/" : ""}`;
    }),
  );
}

function isFolderAt(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
