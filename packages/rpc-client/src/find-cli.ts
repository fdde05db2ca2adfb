import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { AgentProcessError } from "./errors.ts";

/** An executable file and its first arguments. */
export interface CliCommand {
  file: string;
  args: string[];
}

export interface FindCliOptions {
  /** A script or an executable. Default: the installed `@pikit/coding-agent`, otherwise `pi` on the PATH. */
  cliPath?: string;
  /** The program that runs scripts. */
  runtime: string;
  /** The environment with the `PATH` to search. */
  env: NodeJS.ProcessEnv;
  /** Files from which the package is resolved. Default: this file, then one in the current folder. */
  searchFrom?: readonly string[];
}

/**
 * Finds the agent's command line program. A script runs with `runtime`; its first line is ignored, because it could select another Node
 * version on the PATH. Any other file is executed directly.
 *
 * @throws {AgentProcessError} `not_found`.
 */
export function findCli({ cliPath, runtime, env, searchFrom }: FindCliOptions): CliCommand {
  if (cliPath !== undefined) {
    if (existsSync(cliPath)) return toCommand(cliPath, runtime);
    throw new AgentProcessError("not_found", `Cannot start the agent: there is no file ${cliPath}; correct cliPath.`);
  }
  const found = findInstalled(searchFrom ?? [import.meta.url, join(process.cwd(), "index.js")]) ?? findOnPath(env);
  if (found !== undefined) return toCommand(found, runtime);
  throw new AgentProcessError(
    "not_found",
    'Cannot start the agent: neither the package @pikit/coding-agent nor "pi" on the PATH was found; install the package or set cliPath.',
  );
}

function toCommand(path: string, runtime: string): CliCommand {
  const isScript = /\.[cm]?[jt]s$/.test(realpathSync(path));
  return isScript ? { file: runtime, args: [path] } : { file: path, args: [] };
}

function findInstalled(searchFrom: readonly string[]): string | undefined {
  for (const from of searchFrom) {
    try {
      const manifestPath = createRequire(from).resolve("@pikit/coding-agent/package.json");
      const { bin } = JSON.parse(readFileSync(manifestPath, "utf8")) as { bin: { pi: string } };
      const path = join(dirname(manifestPath), bin.pi);
      if (existsSync(path)) return path;
    } catch {
      // Not installed there: try the next place.
    }
  }
  return undefined;
}

function findOnPath(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const path of folders.map((folder) => join(folder, "pi"))) {
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Missing or not executable: try the next folder.
    }
  }
  return undefined;
}
