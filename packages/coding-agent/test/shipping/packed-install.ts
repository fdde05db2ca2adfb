import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { built, makeFolder, root, run, tool } from "./helpers.ts";

/** The published packages, by folder. */
export const packageNames = ["ai", "agent", "coding-agent", "rpc-client"] as const;

/**
 * Packs the four packages, as a release does, and installs the tarballs with plain npm in a new folder outside the repository. What
 * they depend on is installed from the workspace's own copies, so that no network is needed.
 *
 * @returns that folder.
 * @throws {Error} When packing or installing fails, with the output of the tool.
 */
export async function installPacked(): Promise<string> {
  const folder = await makeFolder({ "package.json": '{ "name": "consumer", "private": true, "type": "module" }\n' });
  const tarballs = join(folder, "tarballs");
  await mkdir(tarballs);
  for (const name of packageNames) built(name, "index.js");
  const folders = packageNames.map((name) => join(root, "packages", name));
  // Some name the pnpm that they are developed with, which must not be fetched.
  const options = ["--config.ignore-scripts=true", "--config.pm-on-fail=ignore", "--pack-destination", tarballs];
  for (const source of [...folders, ...thirdPartyFolders(folders)]) {
    await mustRun(tool("pnpm"), ["pack", ...options], source);
  }
  const specifiers = readdirSync(tarballs).map((file) => join(tarballs, file));
  await mustRun("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...specifiers], folder);
  // npm wrote the paths of the tarballs into it; programs of the tests need only that it is a module.
  await writeFile(join(folder, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
  return folder;
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
