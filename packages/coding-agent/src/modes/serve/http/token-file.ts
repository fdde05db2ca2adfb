import { closeSync, readSync } from "node:fs";
import { isMissing, openFileSync, reasonOf } from "@pikit/ai/files/sync";
import { UsageError } from "../../../errors.ts";

/** Maximum bytes of a token file. */
const maxBytes = 4096;

/** Other users, who must not read the file. */
const othersMask = 0o077;

/**
 * Reads the token of a file. A missing file is created, with a random token and mode 0600.
 *
 * @throws {UsageError} When other users may read the file, or when it has no usable token. The message never contains the token.
 */
export async function readToken(path: string): Promise<string> {
  try {
    return tryRead(path) ?? (await (await import("./create-token.ts")).createToken(path, () => tryRead(path)));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError("config_unavailable", `Cannot use the token file ${path}: ${reasonOf(cause)}. Check its permissions.`);
  }
}

/** The token; undefined if the file does not exist. */
function tryRead(path: string): string | undefined {
  let opened: ReturnType<typeof openFileSync>;
  try {
    opened = openFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const { file, stats } = opened;
  try {
    if ((stats.mode & othersMask) !== 0 && process.platform !== "win32") {
      throw unusable(`The token file ${path} can be read by other users. Run: chmod 600 ${path}`);
    }
    const buffer = Buffer.alloc(maxBytes + 1);
    const length = readSync(file, buffer, 0, buffer.length, 0);
    const token = buffer.toString("latin1", 0, length).trim();
    if (length <= maxBytes && /^[\w-]{32,}$/.test(token)) return token;
    const found = token === "" ? "is empty" : "has no usable token";
    throw unusable(
      `The token file ${path} ${found}: expected at least 32 letters, digits, "_" or "-". Remove it, and pi serve creates a new one.`,
    );
  } finally {
    closeSync(file);
  }
}

function unusable(message: string): UsageError {
  return new UsageError("config_unavailable", message);
}
