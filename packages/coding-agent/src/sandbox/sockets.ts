import { lstatSync } from "node:fs";
import { readStartSync } from "@pikit/ai/files";

/** Maximum bytes of the list of sockets. A busy desktop has 100 kB. */
const maxListBytes = 4 * 1024 ** 2;

/**
 * Finds the sockets on disk that programs of this machine use. A socket can be used through a read-only mount, so each one is a way out of
 * a sandbox.
 *
 * @returns Absolute paths.
 */
export function findSockets(list = "/proc/net/unix"): string[] {
  let text: string;
  try {
    text = readStartSync(list, maxListBytes).bytes.toString("utf8");
  } catch {
    return [];
  }
  const found = new Set<string>();
  for (const line of text.split("\n")) {
    // Number, count, protocol, flags, type, state, inode, path. Most sockets have no path.
    const path = line.slice(line.indexOf(" /") + 1);
    if (path.startsWith("/") && !found.has(path) && isSocket(path)) found.add(path);
  }
  return [...found];
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false; // removed, or in a folder of another user
  }
}
