import type { Message } from "../types.ts";
import { type ConvertedHistory, convertHistory, type HistoryWire, KeptHistory } from "./kept-history.ts";

/** A conversation and its kept history. */
interface Holder {
  /** Its items are of the wire that asks: the key that is compared contains the api. */
  history: KeptHistory<never> | undefined;
  /** The number of the latest call. */
  lastUse: number;
  /** The first message of a conversation for which nothing can be kept. */
  refused: Message | undefined;
}

/**
 * The converted conversations of a process. One that is garbage is forgotten; beyond the maximum, so are those that were used least
 * recently.
 */
export class KeptHistories {
  readonly #maxBytes: number;
  readonly #maxBytesOfOne: number;
  readonly #holders = new WeakMap<object, Holder>();
  /** All holders. Weak, so that a conversation that is gone takes its bytes with it. */
  readonly #references = new Set<WeakRef<Holder>>();
  #uses = 0;
  /** At least the bytes of all conversations; exact after `#sweep`. */
  #bytes = 0;
  /** The number of references from which the next `#sweep` removes those that are gone. */
  #sweepAt = 64;

  /**
   * @param maxBytes - Maximum bytes of all conversations together.
   * @param maxBytesOfOne - Maximum bytes of a conversation; of a longer one nothing is kept.
   */
  constructor(maxBytes: number, maxBytesOfOne: number) {
    this.#maxBytes = maxBytes;
    this.#maxBytesOfOne = maxBytesOfOne;
  }

  /** The number of messages of a conversation that a call would not convert again, unless they have changed. */
  keptCount(conversation: object): number {
    return this.#holders.get(conversation)?.history?.count ?? 0;
  }

  /** Whether a conversation is kept, as far as it is known. */
  keeps(conversation: object): boolean {
    return this.#holders.get(conversation)?.refused === undefined;
  }

  /**
   * Converts a conversation. Of one that was converted before, only the new messages are converted.
   *
   * @param conversation - The same object for each call of a conversation. Undefined: nothing is kept.
   */
  convert<Item>(conversation: object | undefined, messages: readonly Message[], wire: HistoryWire<Item>): ConvertedHistory<Item> {
    if (conversation === undefined) return convertHistory(messages, wire);
    const holder = this.#holderOf(conversation);
    this.#uses += 1;
    holder.lastUse = this.#uses;
    if (holder.refused !== undefined && holder.refused === messages[0]) return convertHistory(messages, wire);
    const present = holder.history as KeptHistory<Item> | undefined;
    const bytesBefore = bytesOf(holder);
    // It is kept again only if the conversion does not throw.
    holder.history = undefined;
    let history = present?.fits(wire, messages) ? present : new KeptHistory(wire);
    let converted = history.extend(messages);
    if (!converted && history === present) {
      history = new KeptHistory(wire);
      converted = history.extend(messages);
    }
    const isKept = converted !== undefined && history.byteLength <= this.#maxBytesOfOne;
    holder.refused = isKept ? undefined : messages[0];
    if (isKept) holder.history = history as KeptHistory<never>;
    this.#bytes += bytesOf(holder) - bytesBefore;
    this.#forget();
    return converted ?? convertHistory(messages, wire);
  }

  #holderOf(conversation: object): Holder {
    const present = this.#holders.get(conversation);
    if (present) return present;
    const holder: Holder = { history: undefined, lastUse: 0, refused: undefined };
    this.#holders.set(conversation, holder);
    this.#references.add(new WeakRef(holder));
    return holder;
  }

  /** Beyond the maximum, forgets conversations until half of it is free, so that not every call has to. */
  #forget(): void {
    if (this.#bytes <= this.#maxBytes && this.#references.size < this.#sweepAt) return;
    const present = this.#sweep();
    if (this.#bytes <= this.#maxBytes) return;
    for (const holder of present.sort((first, second) => first.lastUse - second.lastUse)) {
      if (this.#bytes <= this.#maxBytes / 2) break;
      this.#bytes -= bytesOf(holder);
      holder.history = undefined;
    }
  }

  /** Removes the conversations that are gone, and returns the others. */
  #sweep(): Holder[] {
    const present: Holder[] = [];
    for (const reference of this.#references) {
      const holder = reference.deref();
      if (holder) present.push(holder);
      else this.#references.delete(reference);
    }
    this.#bytes = present.reduce((sum, holder) => sum + bytesOf(holder), 0);
    this.#sweepAt = 2 * present.length + 64;
    return present;
  }
}

function bytesOf({ history }: Holder): number {
  return history?.byteLength ?? 0;
}
