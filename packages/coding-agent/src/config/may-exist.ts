import { statSync } from "node:fs";

/** Whether there is something at that path. Also when nobody can look: who opens it then says why. */
export function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
