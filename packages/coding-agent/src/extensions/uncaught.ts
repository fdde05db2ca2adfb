/** The event of `process` that reported an uncaught error. */
export type UncaughtKind = "uncaughtException" | "unhandledRejection";

type Teller = (error: unknown, kind: UncaughtKind) => boolean;

let tellExtension: Teller | undefined;

/** Sets the function that reports errors of extensions. Without it, there are no extensions. */
export function setTeller(teller: Teller): void {
  tellExtension = teller;
}

/**
 * Emits an uncaught error as an `extension_error` if it comes from an extension: a late throw, a rejection, an `error` event of a socket.
 * For the handlers of a host (the command `pi` has its own):
 *
 * `process.on("uncaughtException", (error, kind) => reportUncaught(error, kind) || endInOrder(error))`
 *
 * @returns True if the error comes from an extension; the session can continue. False if it does not; then nothing was emitted.
 */
export function reportUncaught(error: unknown, kind: UncaughtKind = "uncaughtException"): boolean {
  return tellExtension?.(error, kind) ?? false;
}
