import { isSessionError, UsageError } from "../../../errors.ts";
import { KeyReusedError, TooManyCommandsError } from "../live/command-log.ts";
import { OutsideRootsError } from "../sessions/rooted-store.ts";
import { outside } from "../sessions/roots.ts";
import { HttpError, retrySoon } from "./http-error.ts";

/** The answer to a failed request; undefined for an internal fault, of which the client learns nothing. */
export function toHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof OutsideRootsError) return outside();
  if (error instanceof KeyReusedError) return new HttpError("key_reused", error.message);
  if (error instanceof TooManyCommandsError) return new HttpError("too_many", error.message, retrySoon);
  if (isSessionError(error)) return new HttpError(error.code === "locked" ? "conflict" : "cannot_open", error.message);
  if (error instanceof UsageError) return new HttpError("cannot_open", error.message);
  return undefined;
}
