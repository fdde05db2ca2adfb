import type { ProcessRunner } from "../exec/run-process.ts";
import type { ExecOptions, ExecResult } from "./api.ts";

/** Maximum characters to keep of each stream. */
const maxKept = 1024 * 1024;

/**
 * Runs a program to its end and returns its output.
 *
 * @throws {ToolError} When the program cannot be started.
 */
export async function execProgram(
  run: ProcessRunner,
  command: readonly [program: string, ...args: string[]],
  { cwd, env, signal, timeout, timeoutMs = timeout }: ExecOptions & { cwd: string },
): Promise<ExecResult> {
  const kept = { stdout: "", stderr: "" };
  const { exitCode, outcome } = await run({
    command,
    cwd,
    streams: "separate",
    onOutput(text, stream) {
      kept[stream] += text.slice(0, maxKept - kept[stream].length);
    },
    ...(env === undefined ? {} : { env }),
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { ...kept, exitCode, code: exitCode ?? 1, killed: outcome !== "exited" };
}
