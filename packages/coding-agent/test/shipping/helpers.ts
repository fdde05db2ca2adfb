import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";

/** The repository's root folder. */
export const root = resolve(import.meta.dirname, "../../../..");

/** A program of the workspace, such as `biome`. */
export const tool = (name: string): string => join(root, "node_modules", ".bin", name);

export interface Finished {
  /** Exit code; null when a signal ended the program. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  /** The whole environment. Default: that of the tests. */
  env?: NodeJS.ProcessEnv;
  /** Written to stdin, which is then closed. */
  input?: string;
}

/** Runs a program to its end, four minutes at most; a non-zero exit code is a result, not an error. */
export function run(command: string, args: readonly string[], { cwd, env, input = "" }: RunOptions): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd, env, maxBuffer: 64e6, timeout: 240_000, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        if (error && typeof error.code === "string") reject(error);
        else resolve({ code: child.exitCode, stdout, stderr });
      },
    );
    child.stdin?.on("error", () => {}); // EPIPE: it has ended without reading everything
    child.stdin?.end(input);
  });
}

/** An environment without keys or settings: the agent's own folder is in `folder`, and `node` is the one that runs the tests. */
export function cleanEnvironment(folder: string): NodeJS.ProcessEnv {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  return { PATH: path, HOME: folder, TMPDIR: tmpdir(), PI_CODING_AGENT_DIR: join(folder, "agent") };
}

/** A new folder outside the repository with these files in it (path → text). */
export async function makeFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The same, removed when the test ends. */
export async function temporaryFolder(files?: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeFolder(files);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Path of a built file of a package.
 *
 * @throws {Error} When nothing is built: these tests look at what ships, and `npm test` builds it first.
 */
export function built(packageName: string, file: string): string {
  const path = join(root, "packages", packageName, "dist", file);
  if (!existsSync(path)) throw new Error(`packages/${packageName}/dist/${file} is missing: run \`npm run build\` first.`);
  return path;
}
