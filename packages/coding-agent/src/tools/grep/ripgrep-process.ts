import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ToolError } from "@pikit/agent";
import { leaderExited, trackGroup } from "../../exec/running-groups.ts";
import { type RecordHandler, RecordReader } from "./ripgrep-records.ts";

/** Maximum length of ripgrep's error output to keep. */
const maxErrorLength = 16 * 1024;
/** The end of an error line about an unreadable file or folder. */
const systemError = /\(os error \d+\)$/;

/** ripgrep cannot be used; the caller searches without it. */
export class RipgrepUnavailable extends Error {
  override readonly name = "RipgrepUnavailable";
}

/** ripgrep refuses its arguments; the message is that of ripgrep. */
export class RipgrepRefusal extends Error {
  override readonly name = "RipgrepRefusal";
}

export interface RipgrepRun extends RecordHandler {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  /** Absolute path. */
  cwd: string;
  signal: AbortSignal;
}

/**
 * Returns the path of the ripgrep that is installed with this package.
 *
 * @returns undefined if it is missing, for example after an installation without optional dependencies.
 */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined; // the module throws if the binary for this platform is not installed
  }
}

/**
 * Runs ripgrep to its end, or until the handler stops it.
 *
 * @returns The number of files and folders that could not be read.
 * @throws {RipgrepUnavailable} {@link RipgrepRefusal}, {ToolError} `search_failed`, and the reason of the abort signal.
 */
export async function runRipgrep({ program, args, cwd, signal, ...handler }: RipgrepRun): Promise<number> {
  signal.throwIfAborted();
  const child = await start(program, args, cwd);
  const kill = () => {
    child.kill("SIGKILL");
    // Drops the output that is still in the pipe.
    child.stdout?.destroy();
  };
  let isStopped = false;
  const reader = new RecordReader(handler);
  child.stdout?.on("data", (chunk: Buffer) => {
    if (isStopped || reader.push(chunk)) return;
    isStopped = true;
    kill();
  });
  const complaints = readComplaints(child);
  signal.addEventListener("abort", kill, { once: true });
  // An abort during the start was before this listener.
  if (signal.aborted) kill();
  try {
    await once(child, "close");
  } finally {
    signal.removeEventListener("abort", kill);
    leaderExited(child.pid as number);
  }
  signal.throwIfAborted();
  if (isStopped || child.exitCode === 0 || child.exitCode === 1) return complaints.unreadable;
  if (child.exitCode === 2 && complaints.unreadable > 0) return complaints.unreadable;
  if (child.exitCode === 2) throw new RipgrepRefusal(complaints.text);
  const reason = child.signalCode === null ? `code ${child.exitCode}` : `signal ${child.signalCode}`;
  throw new ToolError("search_failed", `The search was ended by ${reason}. Try again, or search a smaller folder.`);
}

async function start(program: string, args: readonly string[], cwd: string): Promise<ChildProcess> {
  try {
    // In its own process group, so that it ends with this process, like the commands of bash.
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    await once(child, "spawn");
    trackGroup(child.pid as number);
    return child;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "E2BIG") {
      throw new ToolError("invalid_pattern", "The pattern is too long (E2BIG). Search for a part of it.", { cause });
    }
    throw new RipgrepUnavailable(`Cannot start ${program}.`, { cause });
  }
}

interface Complaints {
  text: string;
  unreadable: number;
}

function readComplaints(child: ChildProcess): Complaints {
  const complaints: Complaints = { text: "", unreadable: 0 };
  let line = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    complaints.text = (complaints.text + chunk).slice(0, maxErrorLength);
    const lines = (line + chunk).split("\n");
    line = lines.pop()?.slice(-maxErrorLength) ?? "";
    complaints.unreadable += lines.filter((complaint) => systemError.test(complaint)).length;
  });
  return complaints;
}
