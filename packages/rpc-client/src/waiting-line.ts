import type { Signal } from "./abort-signal.ts";
import { RpcAbortError, RpcTimeoutError } from "./errors.ts";

export interface WaitOptions {
  /** How long to wait, in milliseconds. Default 0: for ever. */
  timeoutMs?: number;
  /** Ends the wait. */
  signal?: Signal;
}

/** One place in a line. Settles once; what comes later is without effect. */
export class Turn<T> {
  readonly #given = Promise.withResolvers<T>();
  readonly #release: () => void;
  #isWaiting = true;

  /** @param what - That is waited for, as errors call it. */
  constructor(what: string, { timeoutMs = 0, signal }: WaitOptions) {
    const expire = () => this.fail(new RpcTimeoutError(what, timeoutMs, `No agent of the pool was free`));
    const abort = () => this.fail(new RpcAbortError(what, signal?.reason));
    const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
    signal?.addEventListener("abort", abort);
    this.#release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    if (signal?.aborted) abort();
  }

  get promise(): Promise<T> {
    return this.#given.promise;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** @returns false when nobody waits for it any more. */
  give(value: T): boolean {
    return this.#settle(() => this.#given.resolve(value));
  }

  fail(error: Error): boolean {
    return this.#settle(() => this.#given.reject(error));
  }

  #settle(tell: () => void): boolean {
    if (!this.#isWaiting) return false;
    this.#isWaiting = false;
    this.#release();
    tell();
    return true;
  }
}

/** Who waits, in the order in which they came. */
export class WaitingLine<T> {
  #turns: Turn<T>[] = [];

  get length(): number {
    this.#turns = this.#turns.filter(({ isWaiting }) => isWaiting);
    return this.#turns.length;
  }

  join(turn: Turn<T>): void {
    this.#turns.push(turn);
  }

  /** Gives a turn that was taken its place at the front back. */
  putFirst(turn: Turn<T>): void {
    this.#turns.unshift(turn);
  }

  takeFirst(): Turn<T> | undefined {
    for (let turn = this.#turns.shift(); turn !== undefined; turn = this.#turns.shift()) if (turn.isWaiting) return turn;
    return undefined;
  }
}
