import { spawn } from "node:child_process";
import { SnapshotError } from "../snapshot-error.ts";

export interface GitRun {
  /** Absolute path of git. */
  program: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Maximum bytes of output. */
  maxBytes: number;
  /** Aborted when the time is over. */
  signal: AbortSignal;
  input?: string;
}

/**
 * Runs git and returns its output.
 *
 * @throws {SnapshotError} When git fails, writes too much, or the signal is aborted.
 */
export function runGit(args: readonly string[], { program, cwd, env, maxBytes, signal, input }: GitRun): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = spawn(program, args, { cwd, env, signal, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"] });
  const pieces: Buffer[] = [];
  let size = 0;
  let problem = "";
  child.stdout.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size <= maxBytes) pieces.push(piece);
    else child.kill("SIGKILL");
  });
  child.stderr.on("data", (piece: Buffer) => {
    if (problem.length < 1000) problem += piece.toString();
  });
  // Git may end before it has read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  child.on("error", (cause) => reject(toError(signal, cause.message)));
  child.on("close", (code) => {
    if (size > maxBytes) reject(new SnapshotError("too much has changed", "size"));
    else if (code !== 0) reject(toError(signal, problem.trim().split("\n")[0] ?? ""));
    else resolve(Buffer.concat(pieces));
  });
  return promise;
}

function toError(signal: AbortSignal, problem: string): SnapshotError {
  if (signal.aborted) return new SnapshotError("the git working tree is too large to be looked through in the time for it", "time");
  return new SnapshotError(`git reports: ${problem.slice(0, 300)}`, "git");
}
