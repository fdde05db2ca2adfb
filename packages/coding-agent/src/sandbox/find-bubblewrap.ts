import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram, type ProgramSearch } from "../exec/find-program.ts";
import type { Bubblewrap } from "./bubblewrap.ts";

/** Milliseconds for bubblewrap to start an empty sandbox. */
const limitMs = 10_000;

let found: Promise<Bubblewrap> | undefined;

/**
 * Finds bubblewrap and starts an empty sandbox with it, once in a process.
 *
 * @throws {Error} The message says what is missing, as the end of a sentence.
 */
export function findBubblewrap(search: ProgramSearch): Promise<Bubblewrap> {
  found ??= find(search).catch((error: Error) => {
    // The user may install it meanwhile.
    found = undefined;
    throw error;
  });
  return found;
}

async function find(search: ProgramSearch): Promise<Bubblewrap> {
  const program = await findProgram("bwrap", search);
  if (program === undefined) throw new Error("the program bwrap was not found; install the package bubblewrap");
  if ((await tryProgram(program, ["--disable-userns"])) === undefined) return { program, canForbidNamespaces: true };
  const problem = await tryProgram(program, []);
  if (problem === undefined) return { program, canForbidNamespaces: false };
  throw new Error(`bubblewrap cannot make a sandbox on this machine (${problem}); ${advice}`);
}

const advice = "the system or its container must allow user namespaces";

/** Starts an empty sandbox. Returns the error of bubblewrap; undefined if it works. */
async function tryProgram(program: string, further: readonly string[]): Promise<string | undefined> {
  const namespaces = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"];
  const args = [...namespaces, ...further, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/sh", "-c", ":"];
  try {
    await promisify(execFile)(program, args, { cwd: "/", env: { LC_ALL: "C" }, timeout: limitMs });
    return undefined;
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    const line = (stderr.trim() === "" ? message : stderr).trim().split("\n")[0] ?? "";
    return line.replace(/^bwrap: /, "").slice(0, 200);
  }
}
