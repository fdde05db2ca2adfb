import type { Emit } from "./types.ts";

/**
 * Delivers one event at a time, even if parallel tools emit them: each event waits until the listeners have finished with the previous one,
 * so that all listeners see the same order.
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
