import { StringDecoder } from "node:string_decoder";
import { OutputTail } from "../../../exec/output-tail.ts";
import { createLocalProcesses, type ProcessResult, type ProcessRunner } from "../../../exec/run-process.ts";

interface ExecOptions {
  onData(data: Buffer): void;
  signal?: AbortSignal;
  /** Seconds. */
  timeout?: number;
  env?: NodeJS.ProcessEnv;
}

/** How extensions run the commands of the tool `bash`, for example on another machine. */
export interface ShellOperations {
  exec(command: string, cwd: string, options: ExecOptions): Promise<{ exitCode: number | null }>;
}

interface ShellCommand {
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** The options of related programs for the tool `bash`. */
export interface ShellOptions {
  /** Default: on this machine. */
  operations?: ShellOperations;
  /** A line of shell code before each command. */
  commandPrefix?: string;
  shellPath?: string;
  /** Changes each command before it runs. */
  spawnHook?(command: ShellCommand): ShellCommand;
}

/** Makes a runner of commands; undefined if the options change nothing. */
export function toProcessRunner({ operations, commandPrefix, shellPath, spawnHook }: ShellOptions): ProcessRunner | undefined {
  if (!operations && !commandPrefix && !shellPath && !spawnHook) return undefined;
  const run = operations ? runnerOf(operations) : createLocalProcesses({ shellPath }).run;
  return (options) => {
    if (typeof options.command !== "string") return run(options);
    const { cwd, env = process.env } = options;
    const command = commandPrefix ? `${commandPrefix}\n${options.command}` : options.command;
    return run({ ...options, ...(spawnHook?.({ command, cwd, env: { ...env } }) ?? { command }) });
  };
}

function runnerOf({ exec }: ShellOperations): ProcessRunner {
  return async ({ command, cwd, env, signal, timeoutMs, onOutput }) => {
    const tail = new OutputTail();
    const decoder = new StringDecoder("utf8");
    const add = (text: string) => {
      if (text === "") return;
      tail.append(text);
      onOutput?.(text, "stdout");
    };
    const end = await exec(typeof command === "string" ? command : command.join(" "), cwd, {
      onData: (data) => add(decoder.write(data)),
      ...(signal ? { signal } : {}),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1000 }),
      ...(env ? { env } : {}),
    }).then(
      ({ exitCode }) => ({ outcome: "exited" as const, exitCode }),
      (error: unknown) => ({ outcome: outcomeOf(error, signal), exitCode: null }),
    );
    add(decoder.end());
    const { text, ...totals } = tail.snapshot();
    // No exit code means that the command failed.
    const exitCode = end.outcome === "exited" ? (end.exitCode ?? 1) : null;
    const lost = totals.truncated ? { fullOutputError: "the extension that ran the command has it" } : {};
    return { ...totals, ...lost, output: text, outcome: end.outcome, exitCode, exitSignal: null };
  };
}

/** Extensions report an end by abort or timeout with an error. Other errors are thrown on. */
function outcomeOf(error: unknown, signal: AbortSignal | undefined): ProcessResult["outcome"] {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith("timeout")) return "timeout";
  if (signal?.aborted || message === "aborted") return "aborted";
  throw error;
}

/** The operations of this machine, for extensions that wrap them. */
export function createLocalBashOperations({ shellPath }: { shellPath?: string } = {}): ShellOperations {
  const { run } = createLocalProcesses({ shellPath });
  return {
    async exec(command, cwd, { onData, signal, timeout, env }) {
      const { outcome, exitCode } = await run({
        ...{ command, cwd, onOutput: (text: string) => onData(Buffer.from(text)) },
        ...(signal ? { signal } : {}),
        ...(env ? { env } : {}),
        ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      });
      if (outcome === "timeout") throw new Error(`timeout:${timeout}`);
      if (outcome === "aborted") throw new Error("aborted");
      return { exitCode };
    },
  };
}
