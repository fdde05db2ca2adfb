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

/** What turns the event loop for ever takes a core from all files that come behind it. What is only just ending gets its time. */
async function turnsForEver(): Promise<boolean> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (!process.getActiveResourcesInfo().includes("Immediate")) return false;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return true;
}

afterAll(async () => {
  expect(vi.isFakeTimers(), "this test file leaves the clock stopped: call vi.useRealTimers()").toBe(false);
  expect(stateOfProcess(), "this test file leaves the process changed, which other files share").toEqual(before);
  expect(await turnsForEver(), "this test file leaves something that calls setImmediate again and again").toBe(false);
});
