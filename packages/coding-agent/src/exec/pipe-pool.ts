import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, constants, mkdirSync, openSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, type ProgramSearch } from "./find-program.ts";
import { type PipeSource, readPipe } from "./pipe-source.ts";
import { watchFolder } from "./watchdog.ts";

/** The number of pipes that are created at once. This takes 2 ms for any number. */
const batchSize = 16;

/** The watchdog and `old-outputs.ts` identify the folders by this prefix. */
const pipeFolderPrefix = "pikit-pipes-";

/** A pipe for the output of a command. */
export interface OutputPipe {
  /** The end for the command. The caller must close it after the spawn, so that the pipe ends with the last process of the command. */
  writeEnd: number;
  /** Reads the pipe. */
  source: PipeSource;
}

let batch: { folder: string; paths: string[] } | undefined;
let making: Promise<void> | undefined;

/**
 * Opens a new pipe: a FIFO in a private folder, which is opened at both ends and then removed. Node gives child processes sockets, which
 * cannot be opened by name: `echo x > /dev/stderr` would fail.
 *
 * @returns undefined if no FIFO can be created, for example because the temporary folder is missing.
 */
export async function takePipe(search: ProgramSearch): Promise<OutputPipe | undefined> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (!batch) {
      making ??= makeBatch(search).finally(() => {
        making = undefined;
      });
      await making;
    }
    const path = batch?.paths.pop();
    const folder = batch?.folder;
    if (batch?.paths.length === 0) batch = undefined;
    if (path === undefined || folder === undefined) continue;
    const pipe = openPipe(path);
    if (!batch) removeFolder(folder);
    if (pipe) return pipe;
    // Another program has cleaned up the temporary folder.
    batch = undefined;
    removeFolder(folder);
  }
  return undefined;
}

async function makeBatch(search: ProgramSearch): Promise<void> {
  const program = await findProgram("mkfifo", search);
  if (program === undefined) return;
  const folder = join(tmpdir(), pipeFolderPrefix + randomBytes(12).toString("hex"));
  const paths = Array.from({ length: batchSize }, (_, index) => join(folder, String(index)));
  try {
    mkdirSync(folder, { mode: 0o700 });
    watchFolder(folder);
    const maker = spawn(program, ["-m", "600", "--", ...paths], { cwd: "/", env: {}, stdio: "ignore" });
    const [code] = (await once(maker, "exit")) as [number | null];
    if (code === 0) batch = { folder, paths };
    else removeFolder(folder);
  } catch {
    removeFolder(folder); // no temporary folder, or no FIFOs on its file system
  }
}

function openPipe(path: string): OutputPipe | undefined {
  let readEnd: number | undefined;
  try {
    // The read end is opened first and without blocking; otherwise each open would wait for the other end.
    readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY);
    unlinkSync(path);
    return { writeEnd, source: readPipe(readEnd) };
  } catch {
    if (readEnd !== undefined) closeSync(readEnd);
    return undefined;
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The folder belongs to another user now.
  }
}
