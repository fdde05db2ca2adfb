import { randomBytes } from "node:crypto";
import { fchmodSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolderSync, replaceFileSync } from "@pikit/ai/files";
import { FileLock } from "../../../locks/file-lock.ts";

/** Bytes of a new token: 256 random bits. */
const tokenBytes = 32;

/** Maximum milliseconds to wait for another process that creates the file. */
const waitMs = 5000;

/**
 * Creates the token file under a lock, so that processes that start at the same time use one token. It appears with its content: a process reads
 * the file before it takes the lock.
 *
 * @param tryRead - Reads the token; undefined while there is no file.
 * @returns The token of this or of the other process.
 */
export async function createToken(path: string, tryRead: () => string | undefined): Promise<string> {
  makeFolderSync(dirname(path), 0o700);
  const lock = await FileLock.wait(path, { waitMs });
  try {
    const existing = tryRead();
    if (existing !== undefined) return existing;
    const token = randomBytes(tokenBytes).toString("base64url");
    replaceFileSync(path, (file) => {
      fchmodSync(file, 0o600);
      writeSync(file, `${token}\n`);
    });
    return token;
  } finally {
    lock.release();
  }
}
