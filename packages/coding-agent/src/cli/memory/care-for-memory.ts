import { type WorkListener, watchWork } from "../../process-work.ts";

/**
 * Keeps the memory of this process small from its first run on: bounds the growth of the heap, and collects garbage when nothing happens. For
 * modes that live on after a run. The modules for it are loaded when the first run has ended, so that a start does not pay for them.
 */
export function careForMemory(): void {
  watchWork({
    onBusy() {},
    async onIdle() {
      watchWork({ onBusy() {}, onIdle() {} });
      const { createMemoryKeeper } = await import("./memory-keeper.ts");
      const keeper: WorkListener = createMemoryKeeper();
      watchWork(keeper);
      keeper.onIdle();
    },
  });
}
