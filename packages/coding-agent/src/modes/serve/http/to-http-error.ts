import { isSessionError, UsageError } from "../../../errors.ts";
import { KeyReusedError, TooManyCommandsError } from "../live/command-log.ts";
import { OutsideRootsError } from "../sessions/rooted-store.ts";
import { outside } from "../sessions/roots.ts";
import { HttpError, retrySoon } from "./http-error.ts";

/**
 * The answer to a failed request; undefined for an internal fault, of which the client learns nothing.
 *
 * @param options - `isShared`: sessions are in a store of several servers, such as a database. It may be away for a while.
 */
export function toHttpError(error: unknown, { isShared }: { isShared: boolean }): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof OutsideRootsError) return outside();
  if (error instanceof KeyReusedError) return new HttpError("key_reused", error.message);
  if (error instanceof TooManyCommandsError) return new HttpError("too_many", error.message, retrySoon);
  if (!isSessionError(error)) return error instanceof UsageError ? new HttpError("cannot_open", error.message) : undefined;
  const isAway = isShared && (error.code === "read_failed" || error.code === "write_failed");
  if (isAway) return new HttpError("unavailable", error.message, retrySoon);
  return new HttpError(error.code === "locked" ? "conflict" : "cannot_open", error.message);
}
