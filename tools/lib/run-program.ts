import { execFile } from "node:child_process";

/** The end of a program. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ProgramOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. */
  input?: string;
  /** Maximum time in milliseconds, after which the program is killed. Default: two minutes. */
  timeoutMs?: number;
}

/** Runs a program to its end. Rejects only if it cannot be started. */
export function runProgram(
  command: string,
  args: readonly string[],
  { input = "", timeoutMs = 120_000, ...options }: ProgramOptions,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const limits = { maxBuffer: 64e6, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
    const child = execFile(command, args, { ...options, ...limits }, (error, stdout, stderr) => {
      if (error && typeof error.code === "string") reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
    child.stdin?.on("error", () => {}); // EPIPE: it has ended without reading everything
    child.stdin?.end(input);
  });
}
