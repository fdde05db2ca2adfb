import { execFile, spawn } from "node:child_process";
import { createCommandEnvironment } from "../../../exec/command-environment.ts";

export interface RunProgramOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  timeoutMs: number;
  /** Maximum bytes of the output. */
  maxBytes: number;
}

/** The output of a program, or the reason why there is none, as the end of a sentence. */
export type ProgramOutput = { output: Buffer } | { problem: string };

/**
 * Runs a program with empty stdin and without a shell, and reads its output as bytes. It does not get the keys in the environment. Never
 * rejects.
 *
 * @param program - Absolute path.
 */
export function runProgram(program: string, args: readonly string[], options: RunProgramOptions): Promise<ProgramOutput> {
  const { timeoutMs, maxBytes, cwd } = options;
  const { promise, resolve } = Promise.withResolvers<ProgramOutput>();
  const child = execFile(
    program,
    [...args],
    {
      cwd,
      env: withoutKeys(options.env),
      encoding: "buffer",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: maxBytes,
      windowsHide: true,
    },
    (error, stdout) => resolve(error ? { problem: describe(error, options) } : { output: stdout }),
  );
  child.stdin?.on("error", () => undefined); // the program has ended without reading it
  child.stdin?.end();
  return promise;
}

export interface FeedProgramOptions extends Pick<RunProgramOptions, "env" | "timeoutMs"> {
  /** Its input. */
  text: string;
}

/**
 * Runs a program with a text as its input and without a shell; its output is not read. It does not get the keys in the environment. Never
 * rejects.
 *
 * @param program - Absolute path.
 * @returns Whether it succeeded.
 */
export function feedProgram(program: string, args: readonly string[], options: FeedProgramOptions): Promise<boolean> {
  const { text, env, timeoutMs } = options;
  return new Promise((resolve) => {
    // Its outputs are closed: xclip keeps running, to serve the clipboard, and would keep them open.
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], env: withoutKeys(env), windowsHide: true });
    const timer = setTimeout(() => child.kill(), timeoutMs);
    const end = (isDone: boolean) => {
      clearTimeout(timer);
      resolve(isDone);
    };
    child.once("error", () => end(false));
    child.once("close", (code) => end(code === 0));
    // The program may end before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}

function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return createCommandEnvironment({ env, passKeys: false });
}

function describe(
  error: Error & { code?: string | number | null; killed?: boolean; signal?: unknown },
  limits: RunProgramOptions,
): string {
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `its output is larger than ${limits.maxBytes / 1024 / 1024} MB`;
  if (error.killed) return `it did not end within ${limits.timeoutMs / 1000} s`;
  if (typeof error.code === "number") return `it ended with exit code ${error.code}`;
  return typeof error.code === "string" ? error.code : `it was ended by ${String(error.signal)}`;
}
