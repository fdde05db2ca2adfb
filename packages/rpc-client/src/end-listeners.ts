import { callSafely } from "./call-safely.ts";
import type { AgentProcessError } from "./errors.ts";

type EndListener = (reason: AgentProcessError) => void;

/** Listeners that are called with the reason of an end. The same function may be added more than once. */
export class EndListeners {
  readonly #entries = new Set<{ listener: EndListener }>();

  /** Returns a function that removes the listener. */
  add(listener: EndListener): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  }

  call(reason: AgentProcessError): void {
    for (const { listener } of [...this.#entries]) callSafely(() => listener(reason));
  }
}
