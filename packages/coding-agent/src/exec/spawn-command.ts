import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { ToolError } from "@pikit/agent";
import { findShell, posixShell } from "./find-shell.ts";
import { assertWorkingFolder } from "./working-folder.ts";

export type OutputStream = "stdout" | "stderr";

/** A command that has started, in its own process group and without a terminal. */
export interface SpawnedCommand {
  process: ChildProcess;
  pid: number;
  /** The pipes to read. */
  sources: [stream: OutputStream, pipe: Readable][];
}

export interface SpawnOptions {
  /** A shell command, or a program (its absolute path, best) with its arguments. */
  command: string | readonly [program: string, ...args: string[]];
  /** Absolute path. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** An abort before the start means that nothing is started. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a command with empty stdin. A shell command writes stdout and stderr into one pipe, so that their order is exact; a program
 * with arguments has a pipe for each.
 *
 * @returns undefined when `signal` was aborted before the start.
 * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`.
 */
export async function spawnCommand({ command, cwd, env, signal }: SpawnOptions): Promise<SpawnedCommand | undefined> {
  await assertWorkingFolder(cwd);
  const isShellCommand = typeof command === "string";
  const [program, ...args] = isShellCommand ? await shellInvocation(command, cwd, env.PATH) : command;
  if (signal?.aborted) return undefined;
  try {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", isShellCommand ? "ignore" : "pipe"], detached: true });
    await once(child, "spawn");
    const sources: SpawnedCommand["sources"] = [];
    if (child.stdout) sources.push(["stdout", child.stdout]);
    if (child.stderr) sources.push(["stderr", child.stderr]);
    return { process: child, pid: child.pid as number, sources };
  } catch (error) {
    throw toSpawnError(error as NodeJS.ErrnoException, program);
  }
}

/**
 * An outer sh joins the streams and then becomes bash, which gets the command unchanged. `--` keeps a command that begins with `-`
 * from being an option.
 */
async function shellInvocation(command: string, cwd: string, searchPath: string | undefined): Promise<[string, ...string[]]> {
  const shell = await findShell(cwd, searchPath);
  if (shell === undefined) {
    throw new ToolError("shell_missing", "Cannot run shell commands: neither bash nor /bin/sh was found. Install bash.");
  }
  return [posixShell, "-c", 'exec "$@" 2>&1', "sh", shell, "-c", "--", command];
}

function toSpawnError(error: NodeJS.ErrnoException, program: string): ToolError {
  if (error.code === "E2BIG") {
    const advice = "Write it to a file with the write tool and run that file.";
    return new ToolError("command_too_long", `The command is too long for the operating system (E2BIG). ${advice}`, {
      cause: error,
    });
  }
  if (error.code === "ERR_INVALID_ARG_VALUE") {
    const text = "The command has a NUL character, which no program can be given. Remove it.";
    return new ToolError("spawn_failed", text, { cause: error });
  }
  return new ToolError("spawn_failed", `Cannot start ${program} (${error.code ?? error.message}).`, { cause: error });
}
