import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { built, makeFolder, root, run, tool } from "./helpers.ts";

/** The published packages that everybody installs, by folder. */
export const packageNames = ["ai", "agent", "coding-agent", "rpc-client"] as const;

/** The published packages that are installed where they are needed. */
export const furtherNames = ["postgres", "otel"] as const;

/** The package with the command under its other name. Nothing of it is built. */
export const commandName = "pikit";

type PackageName = (typeof packageNames)[number] | (typeof furtherNames)[number] | typeof commandName;

/** Creates a folder outside the repository, and installs the four packages in it, as `addPacked` does. */
export async function installPacked(): Promise<string> {
  const folder = await makeFolder({ "package.json": '{ "name": "consumer", "private": true, "type": "module" }\n' });
  await addPacked(folder, packageNames);
  return folder;
}

/**
 * Packs packages, as a release does, and installs the tarballs with plain npm. What they depend on is installed from the workspace's own
 * copies, so that no network is needed.
 *
 * @throws {Error} When packing or installing fails, with the output of the tool.
 */
export async function addPacked(folder: string, names: readonly PackageName[]): Promise<void> {
  const tarballs = join(folder, "tarballs");
  await mkdir(tarballs, { recursive: true });
  const earlier = new Set(readdirSync(tarballs));
  for (const name of names) if (name !== commandName) built(name, "index.js");
  const folders = names.map((name) => join(root, "packages", name));
  // Some name the pnpm that they are developed with, which must not be fetched.
  const options = ["--config.ignore-scripts=true", "--config.pm-on-fail=ignore", "--pack-destination", tarballs];
  for (const source of folders) await mustRun(tool("pnpm"), ["pack", ...options], source);
  for (const source of thirdPartyFolders(folders)) await packPublished(source, tarballs);
  const specifiers = readdirSync(tarballs).flatMap((file) => (earlier.has(file) ? [] : [join(tarballs, file)]));
  await mustRun("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...specifiers], folder);
}

/** Packs an installed package as it is, in a twentieth of the time that pnpm takes. */
async function packPublished(source: string, tarballs: string): Promise<void> {
  const { name, version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const file = `${name.replace("/", "-")}-${version}`;
  // pnpm links files with the same content, and npm does not install links. A copy has none.
  const copy = join(tarballs, "..", "copies", file);
  await cp(source, copy, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  await mustRun("tar", ["-czf", join(tarballs, `${file}.tgz`), file], dirname(copy));
  await rm(copy, { recursive: true });
}

/** The folders of what these packages depend on, indirectly too, in the workspace's node_modules. */
function thirdPartyFolders(packages: readonly string[]): Set<string> {
  const folders = new Set<string>();
  const visit = (folder: string): void => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = name.startsWith("@pikit/") ? undefined : findInstalled(name, folder);
      if (!found || folders.has(found)) continue;
      folders.add(found);
      visit(found);
    }
  };
  for (const folder of packages) visit(folder);
  return folders;
}

/** Where a package that is imported from `folder` is installed; undefined for an optional one of another platform. */
function findInstalled(name: string, folder: string): string | undefined {
  for (let parent = folder; parent !== dirname(parent); parent = dirname(parent)) {
    const candidate = join(parent, "node_modules", name);
    if (existsSync(candidate)) return realpathSync(candidate);
  }
  return undefined;
}

async function mustRun(command: string, args: readonly string[], cwd: string): Promise<void> {
  // Under the Node of the workspace, whatever runs the tests.
  const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}` };
  const { code, stdout, stderr } = await run(command, args, { cwd, env });
  if (code !== 0) throw new Error(`${command} ${args[0]} failed with exit code ${code}:\n${stdout}${stderr}`);
}
