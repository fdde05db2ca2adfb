import type { LiveSession } from "../live/live-session.ts";
import type { LiveStore } from "./stored-sessions.ts";

/** Maximum number of former ids under which a moved session is found. */
const maxFormerIds = 1000;

/** A live session in the registry. */
export class ServedSession {
  readonly live: LiveSession;
  /** Undefined for a session in memory. */
  readonly store: LiveStore | undefined;
  /** The id under which the registry has it. */
  id: string;
  /** Whether it is being closed; then it takes no further requests. */
  isClosed = false;
  /** Since when nothing happens, as the time of `performance.now()`. Undefined while something does. */
  idleSinceMs: number | undefined;
  #formerIds: string[] = [];
  #holds = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveSession, store: LiveStore | undefined) {
    this.live = live;
    this.store = store;
    this.id = live.session.sessionId;
  }

  /** Whether it may be closed: no client watches it, no request uses it, and it does nothing. */
  get isIdle(): boolean {
    return this.#holds === 0 && this.live.isIdle;
  }

  /** Whether it can be opened again after it was closed. A session in memory cannot. */
  get isStored(): boolean {
    return this.store !== undefined;
  }

  /** Whether it has this id, or had it before a move. */
  isKnownAs(id: string): boolean {
    return this.id === id || this.#formerIds.includes(id);
  }

  /** Takes the id of the session to which the live session has moved. */
  move(): void {
    this.#formerIds = [...this.#formerIds, this.id].slice(-maxFormerIds);
    this.id = this.live.session.sessionId;
  }

  /** Keeps the session open while a request uses it. */
  hold(): void {
    this.#holds += 1;
    this.stopTimer();
  }

  release(): void {
    this.#holds -= 1;
  }

  /** Calls `onIdle` after it was idle for this time. Does nothing if the time runs already. */
  startTimer(idleMs: number, onIdle: () => void): void {
    if (this.#timer !== undefined) return;
    this.idleSinceMs = performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      onIdle();
    }, idleMs);
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.idleSinceMs = undefined;
  }
}
