import { isTooDeep } from "../nesting.ts";
import { type MaskedText, maskText } from "./text-mask.ts";

/** A string inside an event. `place` is the same for the strings at the same place of later events. */
interface Leaf {
  place: string;
  holder: Record<string, unknown>;
  name: string;
}

/** A line that waits because its end may be the beginning of a masked text. */
interface Held<T> {
  line: T;
  event: unknown;
  isChanged: boolean;
}

/** A masked text whose first `matched` characters have arrived. */
interface Beginning<T> {
  mask: MaskedText;
  matched: number;
  /** The places of these characters: from `keep` to the end of each leaf. */
  pieces: { held: Held<T>; leaf: Leaf; keep: number; from: number; to: number }[];
}

/** Maximum number of waiting lines, so that a killed process loses little of its recording. */
const maxHeld = 64;

/**
 * Masks texts in the JSON of successive events, even if a text spans several events, such as a path that a model writes token by token.
 * It works for every wire: strings at the same place of successive events count as one continuous text.
 */
export class EventMask<T extends { data: string }> {
  readonly #masks: readonly MaskedText[];
  readonly #write: (line: T) => void;
  #held: Held<T>[] = [];
  readonly #beginnings = new Map<string, Beginning<T>>();

  /** @param write - Receives the lines, in order. */
  constructor(masks: readonly MaskedText[], write: (line: T) => void) {
    this.#masks = masks;
    this.#write = write;
  }

  push(line: T): void {
    const event = tryParse(line.data);
    if (typeof event !== "object" || event === null) {
      this.#held.push({ line: { ...line, data: maskText(line.data, this.#masks) }, event: undefined, isChanged: false });
    } else {
      const held: Held<T> = { line, event, isChanged: false };
      this.#held.push(held);
      for (const leaf of leavesOf(event as Record<string, unknown>, "")) this.#mask(held, leaf);
    }
    if (this.#beginnings.size === 0 || this.#held.length >= maxHeld) this.flush();
  }

  /** Writes the waiting lines. */
  flush(): void {
    this.#beginnings.clear();
    for (const { line, event, isChanged } of this.#held.splice(0)) {
      this.#write(isChanged ? { ...line, data: JSON.stringify(event) } : line);
    }
  }

  #mask(held: Held<T>, leaf: Leaf): void {
    let text = leaf.holder[leaf.name] as string;
    let masked = "";
    const beginning = this.#beginnings.get(leaf.place);
    if (beginning) {
      const { mask, matched } = beginning;
      const rest = mask.text.slice(matched);
      if (rest.length > text.length && rest.startsWith(text)) {
        const to = matched + text.length;
        beginning.pieces.push({ held, leaf, keep: 0, from: matched, to });
        beginning.matched = to;
        return;
      }
      this.#beginnings.delete(leaf.place);
      if (text.startsWith(rest)) {
        for (const piece of beginning.pieces) complete(piece, mask);
        masked = mask.write(matched, mask.text.length);
        text = text.slice(rest.length);
      }
    }
    const tail = this.#findBeginning(text);
    masked += maskText(text, this.#masks);
    if (masked !== leaf.holder[leaf.name]) {
      leaf.holder[leaf.name] = masked;
      held.isChanged = true;
    }
    if (!tail) return;
    const { mask, length } = tail;
    const piece = { held, leaf, keep: masked.length - length, from: 0, to: length };
    this.#beginnings.set(leaf.place, { mask, matched: length, pieces: [piece] });
  }

  /** Finds the longest end of `text` that is the beginning of a masked text. */
  #findBeginning(text: string): { mask: MaskedText; length: number } | undefined {
    let longest: { mask: MaskedText; length: number } | undefined;
    for (const mask of this.#masks) {
      for (let length = Math.min(mask.text.length - 1, text.length); length > (longest?.length ?? 0); length -= 1) {
        if (text.endsWith(mask.text.slice(0, length))) longest = { mask, length };
      }
    }
    return longest;
  }
}

function complete<T>({ held, leaf, keep, from, to }: Beginning<T>["pieces"][number], mask: MaskedText): void {
  const text = leaf.holder[leaf.name] as string;
  leaf.holder[leaf.name] = text.slice(0, keep) + mask.write(from, to);
  held.isChanged = true;
}

/** On every wire, a field named `index`, `…_index` or `contentIndex` tells which of several streamed texts a string belongs to. */
function* leavesOf(holder: Record<string, unknown>, place: string): Generator<Leaf> {
  const entries = Object.entries(holder);
  const indexes = entries.filter(([name, value]) => /(?:^|_)index$|^contentIndex$/.test(name) && typeof value === "number");
  const here = `${place}/${indexes.map(([, value]) => value).join(",")}`;
  for (const [name, value] of entries) {
    if (typeof value === "string") yield { place: `${here}.${name}`, holder, name };
    else if (typeof value === "object" && value !== null) {
      yield* leavesOf(value as Record<string, unknown>, `${here}.${name}`);
    }
  }
}

function tryParse(data: string): unknown {
  try {
    const event: unknown = JSON.parse(data);
    return isTooDeep(event) ? undefined : event;
  } catch {
    return undefined; // an end marker, or a broken event, which is recorded unchanged
  }
}
