import { equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Checks } from "../../lib/report.ts";
import type { RepositoryCopy } from "../lib/repository.ts";

/** Maximum milliseconds of two builds. */
const buildMs = 20 * 60_000;

/** Builds the same code in two folders, and compares what the packages would hold. */
export async function checkReproducible(checks: Checks, first: RepositoryCopy, second: RepositoryCopy): Promise<void> {
  await checks.check(
    "two builds of the same code, in different folders, write the same bytes",
    async () => {
      await first.build();
      await second.build();
      const hashes = await hashesOf(first);
      ok(Object.keys(hashes).length > 100, "nothing was built");
      const others = await hashesOf(second);
      const files = new Set([...Object.keys(hashes), ...Object.keys(others)]);
      const different = [...files].filter((file) => hashes[file] !== others[file]);
      equal(different.join(", "), "");
    },
    buildMs,
  );
}

/** The hash of each file that is built, by its path. */
async function hashesOf(repository: RepositoryCopy): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const [name, { folder }] of Object.entries(await repository.packages())) {
    const dist = join(folder, "dist");
    // pikit has nothing that is built.
    const files = await readdir(dist, { recursive: true }).catch(() => []);
    for (const file of files.sort()) {
      // Not published: what the compiler remembers.
      if (file.endsWith(".tsbuildinfo") || !(await stat(join(dist, file))).isFile()) continue;
      hashes[`${name}/${file}`] = createHash("sha256")
        .update(await readFile(join(dist, file)))
        .digest("hex");
    }
  }
  return hashes;
}
