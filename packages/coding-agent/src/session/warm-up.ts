import { setImmediate } from "node:timers/promises";
import { loadApi, type Model } from "@pikit/ai";
import { loadReaders } from "../prompt/prompt-resources.ts";
import { loadRuns } from "../tools/index.ts";

/** Loads what the first run of a session needs and its start did not. Never rejects. */
export async function loadForRun(model: Model | undefined): Promise<void> {
  for (const load of [() => model && loadApi(model.api), loadReaders, loadRuns]) {
    try {
      await load();
    } catch {
      // Whoever needs it tells of it.
    }
    // In steps, so that a command need not wait for all of them.
    await setImmediate();
  }
}
