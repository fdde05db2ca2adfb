import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum milliseconds of a search without a pause for the event loop. */
const sliceMs = 10;

/** Pauses long work when its time slice is over. `await` it often; it seldom waits. */
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
