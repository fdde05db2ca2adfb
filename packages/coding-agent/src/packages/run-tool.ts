import { spawn } from "node:child_process";
import { UsageError } from "../errors.ts";
import { runProcess } from "../exec/run-process.ts";

/** Milliseconds that npm or git may take while a session starts. */
const limitMs = 300_000;
/** Maximum lines of the output in an error. */
const maxLines = 6;
/** Lines of npm that say nothing about the problem. */
const emptyLinePattern =
  /^(?:npm \w+(?: [\w]+)?)?\s*$|Note that you can also install|tarball, folder, http url|complete log of this run/;

export interface ToolCommand {
  command: readonly [program: string, ...args: string[]];
  /** Absolute. */
  cwd: string;
}

/**
 * Runs npm or git to its end.
 *
 * @throws {UsageError} `package_failed` when it cannot be started or fails; the message ends with what it said.
 */
export type ToolRunner = (command: ToolCommand) => Promise<void>;

/** Runs a tool without a terminal: it cannot ask the user for anything. Its processes end with this process. */
export const runQuietly: ToolRunner = async (command) => {
  await captureOutput(command);
};

/** Like `runQuietly`; returns the output. */
export async function captureOutput({ command, cwd }: ToolCommand): Promise<string> {
  const { GIT_SSH_COMMAND = "ssh -o BatchMode=yes", ...others } = process.env;
  const env = { ...others, GIT_SSH_COMMAND, GIT_TERMINAL_PROMPT: "0" };
  const result = await runProcess({ command, cwd, env, timeoutMs: limitMs }).catch((error: Error) => {
    throw failure(command, `${error.message} Install ${command[0]}, or correct the PATH.`);
  });
  if (result.outcome === "timeout") throw failure(command, `it did not end within ${limitMs / 60_000} minutes.`);
  if (result.exitCode === 0) return result.output;
  const said = result.output
    .split("\n")
    .filter((line) => !emptyLinePattern.test(line))
    .slice(-maxLines)
    .join("\n");
  throw failure(command, `it ended with exit code ${result.exitCode}.${said === "" ? "" : `\n${said}`}`);
}

/** Runs a tool in the foreground of a terminal: it shows its progress on stderr and may ask the user for a password. */
export const runInForeground: ToolRunner = async ({ command, cwd }) => {
  const [program, ...args] = command;
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["inherit", process.stderr, "inherit"] });
    child.once("error", (error) => reject(failure(command, `${error.message}. Install ${program}, or correct the PATH.`)));
    child.once("close", resolve);
  });
  if (exitCode !== 0) throw failure(command, "see its messages above.");
};

function failure([program, ...args]: ToolCommand["command"], problem: string): UsageError {
  const verb = args.find((arg) => !arg.startsWith("-"));
  // Addresses in the output of git can have a password.
  const shown = problem.replace(/(:\/\/[^/@:\s]*):[^/@\s]*@/g, "$1:…@");
  return new UsageError("package_failed", `${program} ${verb ?? ""} failed: ${shown}`);
}
