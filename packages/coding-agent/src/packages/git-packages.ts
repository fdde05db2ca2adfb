import { existsSync } from "node:fs";
import { rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@pikit/ai/files";
import { installDependencies, type NpmOptions } from "./npm-packages.ts";
import { packageFolder } from "./package-folders.ts";
import type { GitSource } from "./package-source.ts";
import { captureOutput } from "./run-tool.ts";

/** The beginning of the id of a commit, which `git clone --branch` does not take. */
const commitPattern = /^[0-9a-f]{7,64}$/;

/**
 * Clones a repository with what it depends on, and puts it in the place of an older clone when it is complete.
 *
 * @param folder - The install folder.
 * @throws {UsageError} `package_failed`
 */
export async function installFromGit(source: GitSource, folder: string, options: NpmOptions): Promise<void> {
  const target = packageFolder(source, folder);
  const repositories = join(folder, "git");
  const [fresh, old] = [join(repositories, ".new"), join(repositories, ".old")];
  await makeFolder(repositories);
  // Left by a process that was killed.
  await Promise.all([fresh, old].map(removeFolder));
  try {
    await clone(source, fresh, options);
    await installDependencies(fresh, options);
    await makeFolder(dirname(target));
    if (existsSync(target)) await rename(target, old);
    await rename(fresh, target);
  } finally {
    await Promise.all([fresh, old].map(removeFolder));
  }
}

/** Removes a clone, and the folders above it that are empty then. */
export async function removeFromGit(source: GitSource, folder: string): Promise<void> {
  const target = packageFolder(source, folder);
  await removeFolder(target);
  for (let parent = dirname(target); parent !== join(folder, "git"); parent = dirname(parent)) {
    if (
      !(await rmdir(parent).then(
        () => true,
        () => false,
      ))
    )
      return; // it holds other repositories
  }
}

/**
 * Whether the server has another commit than the clone.
 *
 * @throws {UsageError} `package_failed`
 */
export async function isOutdated(source: GitSource, folder: string): Promise<boolean> {
  const target = packageFolder(source, folder);
  if (!existsSync(join(target, ".git"))) return true;
  const commit = await readCommit(target);
  const { ref = "HEAD", url } = source;
  if (commitPattern.test(ref) && commit.startsWith(ref)) return false;
  // The commit of an annotated tag has a line of its own, which comes last.
  const listed = await captureOutput({ command: ["git", "ls-remote", "--", url, ref, `${ref}^{}`], cwd: folder });
  const [latest] = (listed.trim().split("\n").at(-1) ?? "").split(/\s/);
  return latest !== commit;
}

/** The id of the commit of a clone. */
async function readCommit(folder: string): Promise<string> {
  return (await captureOutput({ command: ["git", "rev-parse", "HEAD"], cwd: folder })).trim();
}

async function clone({ url, ref }: GitSource, target: string, { run }: NpmOptions): Promise<void> {
  const cwd = dirname(target);
  const isCommit = ref !== undefined && commitPattern.test(ref);
  const branch = ref === undefined ? [] : [`--branch=${ref}`];
  const amount = isCommit ? ["--no-checkout"] : ["--depth=1", ...branch];
  await run({ command: ["git", "clone", "--quiet", ...amount, "--config=advice.detachedHead=false", "--", url, target], cwd });
  if (isCommit) await run({ command: ["git", "checkout", "--quiet", ref, "--"], cwd: target });
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}
