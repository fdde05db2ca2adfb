import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Paths to contents. A path that ends with `/` is a folder; a content `-> x` makes a link. */
export type Tree = Record<string, string | Uint8Array>;

/** Makes files in a folder. */
export async function makeTree(root: string, tree: Tree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    const absolute = join(root, path);
    if (path.endsWith("/")) {
      await mkdir(absolute, { recursive: true });
      continue;
    }
    await mkdir(dirname(absolute), { recursive: true });
    if (typeof content === "string" && content.startsWith("-> ")) await symlink(content.slice(3), absolute);
    else await writeFile(absolute, content);
  }
}
