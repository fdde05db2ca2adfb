import type { SharedStore } from "../../conversation/session-store.ts";

/** Maximum milliseconds that the store may take to answer. */
const probeMs = 2000;

/** Milliseconds for which an answer counts: load balancers ask often. */
const validMs = 1000;

/** An id that no session has: the store answers without reading a session. */
const noSession = "-";

export type ReadyStatus = "ready" | "draining" | "store_unavailable";

/** Whether the store of a server answers. */
export class Readiness {
  readonly #store: SharedStore | undefined;
  #latest: { atMs: number; answers: Promise<boolean> } | undefined;

  /** @param store - Undefined for files, which need no check. */
  constructor(store: SharedStore | undefined) {
    this.#store = store;
  }

  /** Asks the store, unless it was asked a moment ago. Never rejects. */
  check(): Promise<boolean> {
    if (this.#latest === undefined || performance.now() - this.#latest.atMs > validMs) {
      this.#latest = { atMs: performance.now(), answers: this.#store ? probe(this.#store) : Promise.resolve(true) };
    }
    return this.#latest.answers;
  }
}

async function probe(store: SharedStore): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, probeMs, false);
  const answer = store.holderOf(noSession).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
