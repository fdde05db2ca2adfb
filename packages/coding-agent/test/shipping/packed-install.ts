import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { cp, mkdir, symlink } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { built, makeFolder, root, run, tool } from "./helpers.ts";

/** The published packages that everybody installs, by folder. */
export const packageNames = ["ai", "agent", "coding-agent", "rpc-client"] as const;

/** The published packages that are installed where they are needed. */
export const furtherNames = ["postgres", "otel"] as const;

/** The package with the command under its other name. Nothing of it is built. */
export const commandName = "pikit";

type PackageName = (typeof packageNames)[number] | (typeof furtherNames)[number] | typeof commandName;

/**
 * Creates a folder outside the repository. Packs all packages, as a release does, and installs the tarballs in it with plain npm. What they depend
 * on is there already, as copies of what the workspace has: npm finds it and loads nothing.
 *
 * @throws {Error} When packing or installing fails, with the output of the tool.
 */
export async function installPacked(): Promise<string> {
  const folder = await makeFolder({ "package.json": '{ "name": "consumer", "private": true, "type": "module" }\n' });
  const names = [...packageNames, ...furtherNames, commandName] as const;
  for (const name of names) if (name !== commandName) built(name, "index.js");
  const tarballs = join(folder, "tarballs");
  // Some name the pnpm that they are developed with, which must not be fetched.
  const options = ["--config.ignore-scripts=true", "--config.pm-on-fail=ignore", "--pack-destination", tarballs];
  for (const name of names) await mustRun(tool("pnpm"), ["pack", ...options], packageFolder(name));
  for (const source of thirdPartyFolders(names)) await copyInstalled(source, join(folder, "node_modules"));
  const specifiers = readdirSync(tarballs).map((file) => join(tarballs, file));
  // Offline: npm would ask the registry for the optional peers, which are not installed.
  await mustRun("npm", ["install", "--offline", "--no-audit", "--no-fund", ...specifiers], folder);
  return folder;
}

const packageFolder = (name: PackageName): string => join(root, "packages", name);

/** The names of third-party packages that are installed with these packages only, and not with the others. */
export function installedOnlyWith(names: readonly PackageName[], others: readonly PackageName[]): string[] {
  const shared = thirdPartyFolders(others);
  return [...thirdPartyFolders(names)].flatMap((source) => (shared.has(source) ? [] : [manifestOf(source).name]));
}

function manifestOf(folder: string) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Puts a package where npm would install it, with the links to its commands: npm would fetch a package that lacks them. */
async function copyInstalled(source: string, modules: string): Promise<void> {
  const { name, bin = {} } = manifestOf(source);
  await cp(source, join(modules, name), { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  const commands = typeof bin === "string" ? { [basename(name)]: bin } : bin;
  for (const [command, file] of Object.entries<string>(commands)) {
    await mkdir(join(modules, ".bin"), { recursive: true });
    await symlink(join("..", name, file), join(modules, ".bin", command));
  }
}

/** The folders of what these packages depend on, indirectly too, in the workspace's node_modules. */
function thirdPartyFolders(names: readonly PackageName[]): Set<string> {
  const folders = new Set<string>();
  const visit = (folder: string): void => {
    const { dependencies, optionalDependencies } = manifestOf(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = name.startsWith("@pikit/") ? undefined : findInstalled(name, folder);
      if (!found || folders.has(found)) continue;
      folders.add(found);
      visit(found);
    }
  };
  for (const name of names) visit(packageFolder(name));
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
