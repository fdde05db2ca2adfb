import type { AssistantMessageEvent } from "@pikit/ai";
import type { PatternSet, TextScanner } from "./pattern-set.ts";
import { StringValues } from "./string-values.ts";

/** A content block that is being streamed. */
interface OpenBlock {
  append(delta: string): void;
  /** @param whole - The arguments of a tool call, for calls without deltas. */
  end(whole?: unknown): void;
}

/**
 * Searches an answer for patterns. Each text block is searched separately, and so is each decoded string in the arguments of a tool call.
 * Thinking is not searched, because it is not part of the answer.
 */
export class AnswerScanner {
  readonly #patterns: PatternSet;
  readonly #blocks = new Map<number, OpenBlock>();
  #matched = new Set<number>();

  constructor(patterns: PatternSet) {
    this.#patterns = patterns;
  }

  /** @returns The indexes of the patterns that have matched in the event's text so far. */
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

/** The strings in a JSON value. Not recursive: a model's nesting may exceed the stack. */
function* stringsIn(value: unknown): Generator<string> {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
}
