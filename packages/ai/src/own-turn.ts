/** The functions that let waiting callers continue, in their order. */
const waiting = new Set<() => void>();
let isTaken = false;

/**
 * Waits for a turn of the event loop in which no other caller of this function continues. For the beginning of long synchronous work, such as
 * a request: when hundreds of sessions begin at once, timers, input and answers are handled between them.
 *
 * @returns Undefined if the current turn is free, so that a single caller loses no time.
 */
export function ownTurn(): Promise<void> | undefined {
  if (isTaken) return new Promise((resolve) => waiting.add(resolve));
  isTaken = true;
  setImmediate(passOn);
  return undefined;
}

function passOn(): void {
  const [next] = waiting;
  isTaken = next !== undefined;
  if (next === undefined) return;
  waiting.delete(next);
  setImmediate(passOn);
  next();
}
