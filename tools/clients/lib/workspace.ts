import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const root = resolve(folder, "../..");

/** The built command. */
export const cliPath = join(root, "packages/coding-agent/dist/cli.js");

/** The runtime of clients that need it; undefined where the platform has none. */
export const bunPath = findBun();

/** The folder of an installed package. */
export function folderOf(packageName: string): string {
  return join(folder, "node_modules", packageName);
}

export async function versionOf(packageName: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(folderOf(packageName), "package.json"), "utf8"));
  return String((manifest as { version?: unknown }).version);
}

/** The file of a program that a package brings. */
export async function binOf(packageName: string): Promise<string> {
  const { bin } = JSON.parse(await readFile(join(folderOf(packageName), "package.json"), "utf8")) as { bin: unknown };
  const [path] = typeof bin === "string" ? [bin] : Object.values(bin as Record<string, string>);
  return join(folderOf(packageName), String(path));
}

/** A program of this folder, such as one that runs under another runtime. */
export function programPath(name: string): string {
  return join(folder, "programs", name);
}

/** A user's machine: a home with an agent folder, a working folder, and a PATH that has `pi`. */
export interface Workspace {
  root: string;
  home: string;
  agentDir: string;
  cwd: string;
  env: Record<string, string>;
  /** Writes a file, by its path from `root`. Returns its absolute path. */
  write(path: string, text: string): Promise<string>;
  /** Writes a script for a model. Returns the name of the model, for `--model`. */
  script(...answers: object[]): Promise<string>;
}

/** Calls `use` with a new machine, and removes it afterwards. */
export async function withWorkspace<T>(use: (workspace: Workspace) => Promise<T>): Promise<T> {
  const base = await mkdtemp(join(tmpdir(), "pi-clients-"));
  try {
    return await use(await createWorkspace(base));
  } finally {
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function createWorkspace(base: string): Promise<Workspace> {
  const [home, cwd, bin] = [join(base, "home"), join(base, "work"), join(base, "bin")];
  const agentDir = join(home, ".pi", "agent");
  for (const path of [agentDir, cwd, bin]) await mkdir(path, { recursive: true });
  await writeFile(join(bin, "pi"), `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`);
  await chmod(join(bin, "pi"), 0o755);
  const paths = [bin, dirname(process.execPath), ...(bunPath === undefined ? [] : [dirname(bunPath)]), process.env.PATH ?? ""];
  const write = async (path: string, text: string) => {
    const target = join(base, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
    return target;
  };
  let scripts = 0;
  return {
    ...{ root: base, home, agentDir, cwd, write },
    env: { PATH: paths.join(delimiter), HOME: home, TMPDIR: tmpdir(), PI_CODING_AGENT_DIR: agentDir, TERM: "dumb" },
    async script(...answers) {
      scripts += 1;
      const path = await write(`script-${scripts}.jsonl`, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
      return `script/${path}`;
    },
  };
}

function findBun(): string | undefined {
  try {
    const require = createRequire(join(root, "tools/runtimes/package.json"));
    const path = join(dirname(require.resolve("@oven/bun-linux-x64/package.json")), "bin/bun");
    return spawnSync(path, ["--version"]).status === 0 ? path : undefined;
  } catch {
    return undefined;
  }
}
