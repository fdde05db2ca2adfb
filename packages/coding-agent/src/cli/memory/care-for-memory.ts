import { hasWork, type WorkListener, watchWork } from "../../process-work.ts";

/** The time in milliseconds after which a first run that is still active counts as a long one. The usual modules are loaded then. */
const longRunMs = 1000;

/**
 * Keeps the memory of this process small from its first run on: bounds the growth of the heap, and collects garbage when nothing happens. For
 * modes that live on after a run. The modules for it are loaded when the first run has ended or takes long, so that a start does not pay for
 * them.
 *
 * @param load - Loads the keeper. Called once.
 */
export function careForMemory(
  load: () => Promise<{ createMemoryKeeper(): WorkListener }> = () => import("./memory-keeper.ts"),
): void {
  let timer: NodeJS.Timeout | undefined;
  const begin = async () => {
    clearTimeout(timer);
    watchWork({ onBusy() {}, onIdle() {} });
    const keeper = (await load()).createMemoryKeeper();
    watchWork(keeper);
    if (hasWork()) keeper.onBusy();
    else keeper.onIdle();
  };
  watchWork({
    onBusy() {
      clearTimeout(timer);
      timer = setTimeout(begin, longRunMs);
      timer.unref();
    },
    onIdle: begin,
  });
}
