import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, reasonOf } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";
import { FileLock, LockedError } from "../locks/file-lock.ts";
import { describeHolder } from "../locks/holder.ts";
import { installFromGit, isOutdated, removeFromGit } from "./git-packages.ts";
import { installFromNpm, type NpmOptions, readVersion, removeFromNpm } from "./npm-packages.ts";
import { installFolder, type PackagePlaces, type PackageScope, packageFolder } from "./package-folders.ts";
import type { PackageSource } from "./package-source.ts";

/** Milliseconds to wait for another process that installs packages into the same folder. */
const lockWaitMs = 120_000;

/** A package, and whether it is there in the version of its source. */
interface LocatedPackage {
  folder: string;
  isThere: boolean;
}

/**
 * Finds a package of a scope. An older version of a related program has installed packages of the user with npm's option -g: they are used until
 * there is one below the folder of pi.
 */
export async function locate(source: PackageSource, scope: PackageScope, places: PackagePlaces): Promise<LocatedPackage> {
  const folder = installFolder(source, scope, places);
  if (await isInstalled(source, folder)) return { folder: packageFolder(source, folder), isThere: true };
  if (source.kind === "npm" && scope === "user") {
    const shared = join(globalModules(), source.name);
    if (await isVersion(source, shared)) return { folder: shared, isThere: true };
  }
  return { folder: packageFolder(source, folder), isThere: false };
}

/** The folder of packages that npm installs with -g, unless a file of npm names another one. */
function globalModules(): string {
  const prefix = process.env.npm_config_prefix ?? process.env.NPM_CONFIG_PREFIX ?? join(dirname(process.execPath), "..");
  return join(prefix, "lib", "node_modules");
}

/** Whether a package is there, in the version of its source. */
async function isInstalled(source: PackageSource, folder: string): Promise<boolean> {
  return isVersion(source, packageFolder(source, folder));
}

async function isVersion(source: PackageSource, target: string): Promise<boolean> {
  if (!existsSync(target)) return false;
  const isExact = source.kind === "npm" && /^\d+\.\d+\.\d+(?:[-+].*)?$/.test(source.version ?? "");
  return !isExact || (await readVersion(target)) === source.version;
}

/**
 * Installs a package, unless it is there in the version of its source.
 *
 * @param folder - The install folder.
 * @throws {UsageError} `package_failed` when npm or git fails, or a local path does not exist.
 */
export async function installPackage(source: PackageSource, folder: string, options: NpmOptions): Promise<void> {
  if (source.kind === "local") {
    if (existsSync(source.path)) return;
    const advice = `A package of the registry is named npm:${source.shown}, a repository git:host/owner/name.`;
    throw new UsageError("package_failed", `There is no file or folder ${source.path}. ${advice}`);
  }
  await withLock(folder, async () => {
    if (await isInstalled(source, folder)) return;
    if (source.kind === "git") await installFromGit(source, folder, options);
    else await installFromNpm([source.version === undefined ? source.name : `${source.name}@${source.version}`], folder, options);
  });
}

/**
 * Brings a package up to date: to the latest version, or to the commit that its ref names now. Packages with a version, and local ones, stay as
 * they are.
 *
 * @returns Whether it changed.
 * @throws {UsageError} `package_failed`
 */
export async function updatePackage(source: PackageSource, folder: string, options: NpmOptions): Promise<boolean> {
  if (source.kind === "local") return false;
  return withLock(folder, async () => {
    if (source.kind === "git") {
      if (!(await isOutdated(source, folder))) return false;
      await installFromGit(source, folder, options);
      return true;
    }
    if (source.version !== undefined && (await isInstalled(source, folder))) return false;
    const before = await readVersion(packageFolder(source, folder));
    await installFromNpm([`${source.name}@${source.version ?? "latest"}`], folder, options);
    return (await readVersion(packageFolder(source, folder))) !== before;
  });
}

/**
 * Updates packages of the registry without a version in one run of npm, which takes little longer than one of them.
 *
 * @returns The packages that changed. Undefined if npm failed: update them one by one, to see which one it is.
 */
export async function updateTogether(
  sources: readonly PackageSource[],
  folder: string,
  options: NpmOptions,
): Promise<ReadonlySet<PackageSource> | undefined> {
  const npm = sources.filter((source) => source.kind === "npm");
  const readVersions = () => Promise.all(npm.map((source) => readVersion(packageFolder(source, folder))));
  return withLock(folder, async () => {
    const before = await readVersions();
    const specs = npm.map(({ name }) => `${name}@latest`);
    const isDone = await installFromNpm(specs, folder, options).then(
      () => true,
      () => false,
    );
    const after = await readVersions();
    return isDone ? new Set(npm.filter((_source, index) => before[index] !== after[index])) : undefined;
  });
}

/** Removes an installed package; local ones stay. */
export async function removePackage(source: PackageSource, folder: string, options: NpmOptions): Promise<void> {
  if (source.kind === "local" || !existsSync(folder)) return;
  await withLock(folder, () =>
    source.kind === "git" ? removeFromGit(source, folder) : removeFromNpm(source.name, folder, options),
  );
}

/** Calls `act` while no other process installs packages into the folder. */
async function withLock<T>(folder: string, act: () => Promise<T>): Promise<T> {
  let lock: FileLock;
  try {
    await makeFolder(folder);
    lock = await FileLock.wait(join(await realpath(folder), "packages"), { waitMs: lockWaitMs });
  } catch (error) {
    const problem =
      error instanceof LockedError
        ? `${"holder" in error.found ? describeHolder(error.found.holder) : error.lockPath} has locked ${folder} for more than two minutes. Try again`
        : `${folder} cannot be written: ${reasonOf(error)}. Check its permissions`;
    throw new UsageError("package_failed", `The package cannot be installed: ${problem}.`);
  }
  try {
    return await act();
  } finally {
    lock.release();
  }
}
