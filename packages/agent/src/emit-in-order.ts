import type { Emit } from "./types.ts";

/**
 * Delivers one event at a time, also those of tools that run side by side or report on their way: each waits until the listeners are
 * done with the one before, so that all listeners see the same order.
 */
export function emitInOrder(emit: Emit): Emit {
  let last: Promise<void> | undefined;
  return (event) => {
    const wait = last === undefined ? emit(event) : last.then(() => emit(event));
    if (wait === undefined) return;
    const delivered = wait.then(() => {
      if (last === delivered) last = undefined;
    });
    last = delivered;
    return delivered;
  };
}
