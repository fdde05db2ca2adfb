/** How an error came to the process that nobody has caught: the event of `process`. */
export type UncaughtKind = "uncaughtException" | "unhandledRejection";

type Teller = (error: unknown, kind: UncaughtKind) => boolean;

let tellExtension: Teller | undefined;

/** Says who knows the extensions; there are none before. */
export function setTeller(teller: Teller): void {
  tellExtension = teller;
}

/**
 * Tells an error that nobody has caught as an `extension_error`, if it comes from an extension: a late throw, a rejection, an `error` event of
 * a socket. For the handlers of a host; the command `pi` has its own:
 *
 * `process.on("uncaughtException", (error, kind) => reportUncaught(error, kind) || endInOrder(error))`
 *
 * @returns Whether it comes from an extension: the session is unharmed. If it does not, nothing was told.
 */
export function reportUncaught(error: unknown, kind: UncaughtKind = "uncaughtException"): boolean {
  return tellExtension?.(error, kind) ?? false;
}
