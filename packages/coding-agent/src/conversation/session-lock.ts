import { SessionError } from "../errors.ts";
import { FileLock, LockedError, type TakeLockOptions } from "../locks/file-lock.ts";
import { describeHolder, isElsewhere } from "../locks/holder.ts";

/**
 * Takes the lock of a session file.
 *
 * @param target - The path with symbolic links resolved.
 * @param session - The path that the user knows, for error messages.
 * @throws {SessionError} `locked` while another holder has the lock.
 * @throws The system's error when the lock file cannot be written.
 */
export function lockSession(target: string, session: string, options?: TakeLockOptions): FileLock {
  try {
    return FileLock.take(target, options);
  } catch (error) {
    throw error instanceof LockedError ? new SessionError("locked", describe(error, session)) : error;
  }
}

function describe({ lockPath, found }: LockedError, session: string): string {
  if ("strange" in found) {
    return (
      `The session file ${session} cannot be locked, since ${lockPath} is in the lock's place: ${found.strange}. ` +
      "End what may be writing the session, then remove it."
    );
  }
  const { holder } = found;
  const isWritten = `The session file ${session} is being written by ${describeHolder(holder)}. End the session there, or fork it and go on in the copy.`;
  if (!isElsewhere(holder)) return isWritten;
  return `${isWritten} If that process has ended, open the session with --take-over (SDK and RPC: takeOverLock), or remove ${lockPath}.`;
}
