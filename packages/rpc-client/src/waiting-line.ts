import type { Signal } from "./abort-signal.ts";
import { RpcAbortError, RpcTimeoutError } from "./errors.ts";

export interface WaitOptions {
  /** Timeout in milliseconds. Default: 0, no timeout. */
  timeoutMs?: number;
  /** An abort ends the wait. */
  signal?: Signal;
}

/** One place in a waiting line. Settles once; later calls have no effect. */
export class Turn<T> {
  readonly #given = Promise.withResolvers<T>();
  readonly #release: () => void;
  #isWaiting = true;

  /** @param what - The name of the call, for errors. */
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

  /** Returns false if the call no longer waits. */
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

/** The waiting calls, in their order. */
export class WaitingLine<T> {
  #turns: Turn<T>[] = [];

  get length(): number {
    this.#turns = this.#turns.filter(({ isWaiting }) => isWaiting);
    return this.#turns.length;
  }

  join(turn: Turn<T>): void {
    this.#turns.push(turn);
  }

  /** Puts a turn that was taken back to the front. */
  putFirst(turn: Turn<T>): void {
    this.#turns.unshift(turn);
  }

  takeFirst(): Turn<T> | undefined {
    for (let turn = this.#turns.shift(); turn !== undefined; turn = this.#turns.shift()) if (turn.isWaiting) return turn;
    return undefined;
  }
}
