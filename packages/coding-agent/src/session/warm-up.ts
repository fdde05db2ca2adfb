import { setImmediate } from "node:timers/promises";
import { loadApi, type Model } from "@pikit/ai";
import { loadReaders } from "../prompt/prompt-resources.ts";
import { loadRuns } from "../tools/index.ts";

/** Loads the modules that the first run of a session needs and its start did not. Never rejects. */
export async function loadForRun(model: Model | undefined): Promise<void> {
  for (const load of [() => model && loadApi(model.api), loadReaders, loadRuns]) {
    try {
      await load();
    } catch {
      // The first use of the module reports the error.
    }
    // In steps, so that a command does not wait for all of them.
    await setImmediate();
  }
}
