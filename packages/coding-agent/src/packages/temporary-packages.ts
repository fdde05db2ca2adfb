import { readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { updatePackage } from "./install-package.ts";
import type { NpmOptions } from "./npm-packages.ts";
import type { PackageSource } from "./package-source.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Packages of the command line that were not used for so long are removed. */
const unusedDays = 30;

/**
 * Updates a package of the command line once a day, so that each run starts fast but none has an old version for long. Removes packages that
 * are not used any more. If that fails, the package that is there is used.
 */
export async function keepFresh(folder: string, source: PackageSource, options: NpmOptions): Promise<void> {
  if (source.kind === "local") return;
  await removeUnused(dirname(folder), folder);
  const checked = await stat(folder).catch(() => undefined);
  if (!checked || Date.now() - checked.mtimeMs < dayMs) return;
  await updatePackage(source, folder, options).catch(() => false);
  const now = new Date();
  await utimes(folder, now, now).catch(() => {});
}

async function removeUnused(parent: string, used: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
    if (path !== used && Date.now() - mtimeMs > unusedDays * dayMs) await rm(path, { recursive: true, force: true });
  }
}
