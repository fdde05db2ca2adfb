import { setImmediate as nextTurn } from "node:timers/promises";

/** How long a search may hold the event loop. */
const sliceMs = 10;

/** Lets other work in between slices of long work; `await` it often, it seldom waits. */
export type Breather = () => Promise<void> | undefined;

export function createBreather(): Breather {
  let sliceStart = performance.now();
  return () => {
    if (performance.now() - sliceStart < sliceMs) return undefined;
    return nextTurn().then(() => {
      sliceStart = performance.now();
    });
  };
}
