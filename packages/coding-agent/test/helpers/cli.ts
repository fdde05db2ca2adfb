import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { importOptions, usesBuilt } from "@pikit/test-kit";
import type { Workspace } from "./workspace.ts";

const fromPackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What `process.execPath` runs as `pi`. */
export const cliArguments: readonly string[] = [...importOptions, fromPackage(usesBuilt ? "dist/cli.js" : "src/cli.ts")];

export interface CliOptions {
  /** Added to an environment without keys. */
  env?: NodeJS.ProcessEnv;
  /** Default: the workspace's. */
  cwd?: string;
  /** Sent to stdin, which is then closed. Default: nothing. */
  input?: string;
}

export interface CliResult {
  stdout: string;
  stderr: string;
  /** null when a signal ended it. */
  exitCode: number | null;
}

/** The environment of a fresh machine. */
export function cleanEnvironment(workspace: Workspace, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: workspace.root, PI_CODING_AGENT_DIR: workspace.agentDir, ...extra };
}

/** Starts `pi` with pipes. It is killed when the test is over, if it still runs. */
export function spawnCli(workspace: Workspace, args: readonly string[], options: CliOptions = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...cliArguments, ...args], {
    cwd: options.cwd ?? workspace.cwd,
    env: cleanEnvironment(workspace, options.env),
  });
  child.stdin.on("error", () => {}); // EPIPE: it has ended without reading everything
  return child;
}

/** Runs `pi` to its end. */
export async function runCli(workspace: Workspace, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = spawnCli(workspace, args, options);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  child.stdin.end(options.input ?? "");
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString(), exitCode };
}
