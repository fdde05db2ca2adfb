import { setImmediate as atEndOfTurn } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum milliseconds of work in one turn of the event loop. */
const maxTurnMs = 5;

/** When the first caller of the present turn came. */
let turnStartMs: number | undefined;

/**
 * Pauses long synchronous work for the event loop, and the work of many callers that began in the same turn: when this turn has worked for 5 ms,
 * the caller continues in a later one. Call it often: it seldom waits.
 *
 * @returns Undefined if no pause is due, so that a short or lone piece of work loses no time.
 */
export function breathe(): Promise<void> | undefined {
  return isTurnLong() ? pause() : undefined;
}

async function pause(): Promise<void> {
  // Others that have paused continue in the same turn, until it is long, too.
  do await nextTurn();
  while (isTurnLong());
}

function isTurnLong(): boolean {
  const now = uptimeMs();
  if (turnStartMs === undefined) {
    turnStartMs = now;
    atEndOfTurn(() => {
      turnStartMs = undefined;
    });
  }
  return now - turnStartMs >= maxTurnMs;
}

/** In place of `performance`, whose first use loads more of Node than a start needs. */
function uptimeMs(): number {
  return process.uptime() * 1000;
}
