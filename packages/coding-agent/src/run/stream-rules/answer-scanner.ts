import type { AssistantMessageEvent } from "@pikit/ai";
import type { PatternSet, TextScanner } from "./pattern-set.ts";
import { StringValues } from "./string-values.ts";

/** A block of an answer that is being streamed. */
interface OpenBlock {
  append(delta: string): void;
  /** @param whole - The arguments of a call, for calls that come without deltas. */
  end(whole?: unknown): void;
}

/**
 * Looks for patterns in what an answer says: each text block, and each string in the arguments of a tool call, decoded, are a text of
 * their own. Thinking is not looked at: it is not what the model says.
 */
export class AnswerScanner {
  readonly #patterns: PatternSet;
  readonly #blocks = new Map<number, OpenBlock>();
  #matched = new Set<number>();

  constructor(patterns: PatternSet) {
    this.#patterns = patterns;
  }

  /** @returns The numbers of the patterns that the event completes or has completed in its text before. */
  see(event: AssistantMessageEvent): ReadonlySet<number> {
    this.#matched = new Set();
    if (event.type === "text_start") this.#blocks.set(event.contentIndex, this.#openText());
    else if (event.type === "toolcall_start") this.#blocks.set(event.contentIndex, this.#openCall());
    else if (event.type === "text_delta" || event.type === "toolcall_delta") {
      this.#blocks.get(event.contentIndex)?.append(event.delta);
    } else if (event.type === "text_end") this.#close(event.contentIndex);
    else if (event.type === "toolcall_end") this.#close(event.contentIndex, event.toolCall.arguments);
    return this.#matched;
  }

  #close(contentIndex: number, whole?: unknown): void {
    this.#blocks.get(contentIndex)?.end(whole);
    this.#blocks.delete(contentIndex);
  }

  #openText(): OpenBlock {
    const scanner = this.#patterns.begin();
    return {
      append: (delta) => this.#add(scanner.append(delta)),
      end: () => this.#add(scanner.end()),
    };
  }

  #openCall(): OpenBlock {
    let scanner: TextScanner | undefined;
    let hasDeltas = false;
    const values = new StringValues({
      begin: () => {
        scanner = this.#patterns.begin();
      },
      append: (piece) => scanner && this.#add(scanner.append(piece)),
      end: () => scanner && this.#add(scanner.end()),
    });
    return {
      append: (delta) => {
        hasDeltas = true;
        values.append(delta);
      },
      end: (whole) => {
        if (!hasDeltas) this.#scanWhole(whole);
      },
    };
  }

  #scanWhole(value: unknown): void {
    for (const text of stringsIn(value)) {
      const scanner = this.#patterns.begin();
      this.#add(scanner.append(text));
      this.#add(scanner.end());
    }
  }

  #add(matched: ReadonlySet<number>): void {
    for (const index of matched) this.#matched.add(index);
  }
}

/** The strings in a JSON value. Not recursive: a model may nest deeper than a stack goes. */
function* stringsIn(value: unknown): Generator<string> {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
}
