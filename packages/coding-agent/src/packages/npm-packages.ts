import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileLimits, makeFolder, readWhole, replaceFile } from "@pikit/ai/files";
import { npmRoot } from "./package-folders.ts";
import type { ToolRunner } from "./run-tool.ts";

/** npm finds the packages of pi in pi itself, so it must not install them as peers. */
const npmFlags = ["--omit=dev", "--legacy-peer-deps", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

export interface NpmOptions {
  run: ToolRunner;
  /** The command of the package manager; its last word is its name. Default: npm. */
  npmCommand?: readonly string[] | undefined;
  /** Whether install scripts of packages are run. Default: false. */
  allowScripts?: boolean | undefined;
}

/**
 * Installs packages into the npm project of a folder.
 *
 * @param specs - `name` or `name@version`.
 * @throws {UsageError} `package_failed`
 */
export async function installFromNpm(specs: readonly string[], folder: string, options: NpmOptions): Promise<void> {
  const root = npmRoot(folder);
  await makeFolder(root);
  await writeIfMissing(join(root, "package.json"), `${JSON.stringify({ name: "pi-extensions", private: true }, null, 2)}\n`);
  // A project's repository does not get the packages.
  await writeIfMissing(join(root, ".gitignore"), "*\n!.gitignore\n");
  await runNpm(["install", "add"], specs, root, options);
}

/** Removes a package from the npm project of a folder. */
export async function removeFromNpm(name: string, folder: string, options: NpmOptions): Promise<void> {
  const root = npmRoot(folder);
  if (existsSync(join(root, "package.json"))) await runNpm(["uninstall", "remove"], [name], root, options);
}

/** Installs what the `package.json` of a folder depends on, if it does. */
export async function installDependencies(folder: string, options: NpmOptions): Promise<void> {
  const { dependencies } = await readPackageJson(folder);
  const hasSome = typeof dependencies === "object" && dependencies !== null && Object.keys(dependencies).length > 0;
  if (hasSome) await runNpm(["install", "install"], [], folder, options);
}

/** The version in the `package.json` of a folder; undefined if it has none. */
export async function readVersion(folder: string): Promise<string | undefined> {
  const { version } = await readPackageJson(folder);
  return typeof version === "string" ? version : undefined;
}

/** The packages with install scripts in an npm project, sorted. */
export async function listScripted(root: string): Promise<string[]> {
  const lock = join(root, "node_modules", ".package-lock.json");
  const { packages } = await readJson(lock);
  if (typeof packages !== "object" || packages === null) return [];
  const scripted = Object.entries(packages).filter(
    ([, entry]) => (entry as { hasInstallScript?: unknown })?.hasInstallScript === true,
  );
  return scripted.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)).sort();
}

/** @param verbs - The name of the command in npm, and in other package managers. */
async function runNpm(
  [verb, otherVerb]: readonly [string, string],
  specs: readonly string[],
  cwd: string,
  { run, npmCommand = ["npm"], allowScripts = false }: NpmOptions,
): Promise<void> {
  const [program = "npm", ...first] = npmCommand;
  const isNpm = basename(npmCommand.at(-1) ?? "npm").replace(/\.\w+$/, "") === "npm";
  const scripts = allowScripts ? [] : ["--ignore-scripts"];
  const args = isNpm ? [verb, ...npmFlags, ...scripts] : [otherVerb, ...scripts];
  await run({ command: [program, ...first, ...args, ...specs], cwd });
}

async function readPackageJson(folder: string): Promise<Record<string, unknown>> {
  return readJson(join(folder, "package.json"));
}

/** The object in a file of npm; an empty one if it cannot be read. */
async function readJson(path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse((await readWhole(path, fileLimits.manifest)).toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

async function writeIfMissing(path: string, text: string): Promise<void> {
  if (!existsSync(path)) await replaceFile(path, text, { mode: 0o600 });
}
