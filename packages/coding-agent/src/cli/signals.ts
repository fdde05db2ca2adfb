import { endProcess } from "./end-process.ts";

/** Signals that end the process, with the exit code that tells of each. */
const endSignals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Milliseconds that the clean-up may take before the process ends all the same. */
const cleanUpMs = 5000;

/** On the first SIGINT, SIGTERM or SIGHUP cleans up, then exits with the signal's code. A second one exits at once. */
export function onEndSignal(cleanUp: () => Promise<void>): void {
  let isEnding = false;
  for (const [signal, exitCode] of Object.entries(endSignals)) {
    process.on(signal, () => {
      if (isEnding) process.exit(exitCode);
      isEnding = true;
      // Also when the clean-up lets the work come to an end of its own.
      process.exitCode = exitCode;
      const timer = setTimeout(() => process.exit(exitCode), cleanUpMs);
      void cleanUp()
        .catch(() => undefined)
        .then(() => endProcess(exitCode))
        .finally(() => clearTimeout(timer));
    });
  }
}
