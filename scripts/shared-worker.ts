// Runs before each test file of a worker that several files share: a file must leave the process as it was.
import { afterAll, expect, vi } from "vitest";

/** What one file can change for the next. Values are compared by identity. */
function stateOfProcess() {
  return {
    folder: process.cwd(),
    user: process.geteuid?.(),
    umask: process.umask(),
    environment: { ...process.env },
    replaced: [
      globalThis.fetch,
      globalThis.setTimeout,
      globalThis.setImmediate,
      Date,
      process.kill,
      process.exit,
      process.stdout.write,
    ],
    signalListeners: Object.fromEntries(["SIGINT", "SIGTERM", "SIGHUP"].map((name) => [name, process.listenerCount(name)])),
  };
}

const before = stateOfProcess();

afterAll(() => {
  expect(vi.isFakeTimers(), "this test file leaves the clock stopped: call vi.useRealTimers()").toBe(false);
  expect(stateOfProcess(), "this test file leaves the process changed, which other files share").toEqual(before);
});
