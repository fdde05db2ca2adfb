import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { isAbsolute } from "node:path";
import { ToolError } from "@pikit/agent";
import { markEnvironment } from "./command-mark.ts";
import { type CommandContainer, containerFd, type EnteredCommand } from "./container.ts";
import { isExecutable } from "./find-program.ts";
import { findShell, posixShell } from "./find-shell.ts";
import { type OutputStream, type OutputStreams, openChannels } from "./output-channels.ts";
import type { PipeSource } from "./pipe-source.ts";
import { trackGroup } from "./running-groups.ts";
import { ensureWatchdog } from "./watchdog.ts";
import { assertWorkingFolder } from "./working-folder.ts";

/** A started command, in its own process group and without a terminal. */
export interface SpawnedCommand {
  process: ChildProcess;
  pid: number;
  /** The pipes to read. */
  sources: [stream: OutputStream, pipe: PipeSource][];
  /** The command in its container; undefined without one. */
  entered: EnteredCommand | undefined;
}

export interface SpawnOptions {
  /** A shell command, or a program (preferably its absolute path) with its arguments. */
  command: string | readonly [program: string, ...args: string[]];
  /** Absolute path. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The mark that identifies the processes of the command. */
  mark: string;
  streams: OutputStreams;
  /** Absolute path of the shell. Default: bash, or sh if bash is missing. */
  shellPath?: string | undefined;
  /** After an abort, the command is not started. */
  signal?: AbortSignal | undefined;
  /** Default: none. */
  container?: CommandContainer | undefined;
}

/**
 * Starts a command with empty stdin.
 *
 * @returns undefined if `signal` was aborted before the start.
 * @throws {ToolError} `cwd_missing`, `shell_missing`, `command_too_long` or `spawn_failed`, and the errors of the container.
 */
export async function spawnCommand(options: SpawnOptions): Promise<SpawnedCommand | undefined> {
  const { command, cwd, env, streams, signal, container } = options;
  const isText = typeof command === "string";
  const [shell] = await Promise.all([isText ? chooseShell(options) : posixShell, assertWorkingFolder(cwd)]);
  const plain: [string, ...string[]] = isText ? [shell, "-c", "--", command] : [...command];
  const entered = await container?.enter({ command: plain, cwd, env });
  let channels: Awaited<ReturnType<typeof openChannels>> | undefined;
  let program = plain[0];
  let isStarted = false;
  try {
    channels = await openChannels(streams, { cwd, searchPath: env.PATH });
    const inner = entered?.command ?? plain;
    const argv: [string, ...string[]] = isText ? [...outerShell(options.mark, channels.redirection), ...inner] : inner;
    program = inner[0];
    const stdio: StdioOptions = ["ignore", ...channels.stdio];
    if (signal?.aborted) {
      channels.destroy();
      return undefined;
    }
    const watchdog = ensureWatchdog();
    if (isText) stdio.push(watchdog ?? "ignore");
    if (entered?.fd !== undefined) stdio[containerFd] = entered.fd;
    const [outer, ...args] = argv;
    const variables = markEnvironment(entered?.env ?? env, options.mark);
    const child = spawn(outer, args, { cwd, env: variables, stdio: Array.from(stdio, (end) => end ?? "ignore"), detached: true });
    if (child.pid !== undefined) trackGroup(child.pid);
    await once(child, "spawn");
    isStarted = true;
    return { process: child, pid: child.pid as number, sources: channels.sources(child), entered };
  } catch (error) {
    channels?.destroy();
    throw toSpawnError(error as NodeJS.ErrnoException, program);
  } finally {
    channels?.closeWriteEnds();
    entered?.started();
    if (!isStarted) entered?.leave();
  }
}

async function chooseShell({ cwd, env, shellPath }: SpawnOptions): Promise<string> {
  if (shellPath !== undefined) {
    if (isAbsolute(shellPath) && (await isExecutable(shellPath))) return shellPath;
    const advice = "Give the absolute path of a POSIX shell as shell.path, or leave it out.";
    throw new ToolError("shell_missing", `Cannot run shell commands: ${shellPath} is not a program. ${advice}`);
  }
  const shell = await findShell({ cwd, searchPath: env.PATH });
  if (shell !== undefined) return shell;
  throw new ToolError("shell_missing", "Cannot run shell commands: neither bash nor /bin/sh was found. Install bash.");
}

/**
 * The arguments of an outer sh that prepares the process and then executes the appended program in its place. First it sends its pid to the
 * watchdog, so that the watchdog knows the command before it runs; SIGPIPE is ignored meanwhile, in case the watchdog has died. Then it sets
 * the mark as its limit of file locks: Linux ignores this limit since 2.4.25, but child processes inherit it, even if they clear their
 * environment.
 */
function outerShell(mark: string, redirection: string): [string, ...string[]] {
  const enrol = `trap '' PIPE; echo "+$$" 2>/dev/null >&3; trap - PIPE`;
  const limit = process.platform === "linux" ? `{ ulimit -w "$1" || ulimit -x "$1"; } 2>/dev/null` : ":";
  return [posixShell, "-c", `${enrol}; ${limit}; shift; exec "$@" 3>&-${redirection}`, "sh", mark];
}

function toSpawnError(error: NodeJS.ErrnoException, program: string): ToolError {
  if (error.code === "E2BIG") {
    const advice = "Write it to a file with the write tool and run that file.";
    return new ToolError("command_too_long", `The command is too long for the operating system (E2BIG). ${advice}`, {
      cause: error,
    });
  }
  if (error.code === "ERR_INVALID_ARG_VALUE") {
    const text = "The command contains a NUL character, which programs cannot receive. Remove it.";
    return new ToolError("spawn_failed", text, { cause: error });
  }
  return new ToolError("spawn_failed", `Cannot start ${program} (${error.code ?? error.message}).`, { cause: error });
}
