import { endProcess } from "./end-process.ts";

/** The signals that end the process, with their exit codes. */
const endSignals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Maximum milliseconds for the clean-up before the process exits. */
const cleanUpMs = 5000;

let interrupt: () => boolean = () => false;

/** Calls `handle` at SIGINT. If it returns true, SIGINT was meant for the work, and the process goes on. */
export function onInterrupt(handle: () => boolean): void {
  interrupt = handle;
}

/**
 * Handles the same signals for a server, whose end is not a failure: the first signal calls `end`, and a second one exits at
 * once.
 */
export function onServerEnd(end: () => void): void {
  let isEnding = false;
  for (const [signal, exitCode] of Object.entries(endSignals)) {
    process.on(signal, () => {
      if (isEnding) process.exit(exitCode);
      isEnding = true;
      end();
    });
  }
}

let cleanUp: (() => Promise<void>) | undefined;

/**
 * Handles SIGINT, SIGTERM and SIGHUP: the first signal cleans up, then exits with its code; a second signal exits at once. A later call replaces
 * the clean-up.
 */
export function onEndSignal(how: () => Promise<void>): void {
  const isFirst = cleanUp === undefined;
  cleanUp = how;
  if (isFirst) listen();
}

function listen(): void {
  let isEnding = false;
  for (const [signal, exitCode] of Object.entries(endSignals)) {
    process.on(signal, () => {
      if (signal === "SIGINT" && !isEnding && interrupt()) return;
      if (isEnding) process.exit(exitCode);
      isEnding = true;
      // For the case that the clean-up ends the work, and the process exits by itself.
      process.exitCode = exitCode;
      const timer = setTimeout(() => process.exit(exitCode), cleanUpMs);
      void Promise.resolve(cleanUp?.())
        .catch(() => undefined)
        .then(() => endProcess(exitCode))
        .finally(() => clearTimeout(timer));
    });
  }
}
