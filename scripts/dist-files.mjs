// The last step of a package's build, run in its folder: lists what the build has written, in dist/.files. Turbo puts the files of a build that it
// remembers beside those of the build before; the list tells which are not of it, and they are removed: all of dist is published.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const listName = ".files";

/** Removes from dist, in the folder of a package, what its build has not written. */
export function removeStrangers(packageFolder) {
  const dist = join(packageFolder, "dist");
  if (!existsSync(join(dist, listName))) return;
  const built = new Set(readFileSync(join(dist, listName), "utf8").split("\n"));
  for (const file of filesIn(dist)) if (!built.has(file)) rmSync(join(dist, file));
}

/** All files below a folder, relative to it, but for the list itself. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== listName)
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join("dist", listName), filesIn("dist").sort().join("\n"));
