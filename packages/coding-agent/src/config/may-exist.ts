import { statSync } from "node:fs";

/** Whether a path exists. Also true if it cannot be checked; opening it then reports the error. */
export function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
