import { JSONParser } from "@streamparser/json";
import { cutDeep, maxNesting } from "./nesting.ts";

type Container = Record<string, unknown> | unknown[];
type Path = readonly { readonly key: unknown; readonly value: unknown }[];

/**
 * An incomplete escape or number at the end of a delta. The parser reports nothing in the middle of one, so the text before it is parsed
 * separately: the value must not depend on where the text was cut.
 */
const openTail = /(?:\\u[dD][89abAB][\da-fA-F]{2}|(?:\\u[dD][89abAB][\da-fA-F]{2})?\\(?:u[\da-fA-F]{0,3})?|[eE][+-]?|[.+-])$/;
/** Maximum length of such a tail in characters: a whole escape, and all but one character of the next. */
const maxTailLength = 11;

/** Text that continues a string: whole characters and whole escapes, without the quotation mark that ends it. */
const insideString = /^(?:[^"\\\p{Control}\p{Surrogate}]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[\da-fA-F]{4}))*$/u;
/** Maximum length of a text to test with this expression, because the test needs memory for each character. */
const maxTriedLength = 4096;

const emptyArguments: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Reads a tool call's arguments while their JSON text is still arriving: `{"a":"he` is `{a: "he"}`, `{"a":1,"b"` is `{a: 1}`.
 *
 * Every character is read once, so the cost of a delta does not depend on the length of the text. A returned value never changes. If the
 * text is not a JSON object or is nested too deeply, the value holds everything before the error, or `{}`. Nothing here throws. Never run
 * a tool with this value: the complete text is parsed strictly for that.
 *
 * Used on both sides of the protocol: by the assembler, and by clients that rebuild messages from deltas.
 */
export class PartialArguments {
  readonly #parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true });
  /** The innermost open container, the value so far that is being read in it, and the path from the root. */
  #open: { parent: Container; key: unknown; value: unknown; path: Path } | undefined;
  #complete: unknown;
  #snapshot: Record<string, unknown> | undefined;
  /** The first half of a surrogate pair at the end of a delta; it waits for the second half. */
  #heldSurrogate = "";
  #failed = false;
  /** Whether the text so far ends inside a string value. `#open` holds all of this string. */
  #isInString = false;
  /** Whether the text so far ends within `true`, `false` or `null`. */
  #isInLiteral = false;
  /** The end of that string that the parser has not read: most deltas are in the middle of a string and need no parser. */
  #unread = "";
  #growth: string | undefined;

  constructor() {
    this.#parser.onValue = ({ value, key, parent, stack, partial }) => {
      // The first level of the stack is outside the root.
      if (stack.length > maxNesting && !this.#failed) this.#giveUp();
      if (this.#failed) return;
      if (parent === undefined) this.#complete = value;
      else this.#open = { parent: parent as Container, key, value, path: stack as Path };
      this.#isInString = partial === true && typeof value === "string";
      this.#isInLiteral = partial === true && (typeof value === "boolean" || value === null);
    };
    this.#parser.onError = () => {
      this.#failed = true;
      // `tru}` was read as true as long as it could become that.
      if (this.#isInLiteral && this.#open) this.#open = { ...this.#open, value: undefined };
    };
  }

  /** Keeps a copy of the value, because the parser continues to fill its containers with the rest of the delta. */
  #giveUp(): void {
    this.#failed = true;
    this.#snapshot = cutDeep(this.#takeSnapshot(), maxNesting - 2);
  }

  /** Reads the next delta of the text. */
  append(delta: string): void {
    this.#growth = undefined;
    if (this.#failed || this.#parser.isEnded || delta === "") return;
    this.#snapshot = undefined;
    const isInside = this.#isInString && delta.length <= maxTriedLength && insideString.test(delta);
    if (isInside && this.#open) this.#grow(this.#open, delta);
    else this.#parse(delta);
  }

  #grow(open: { value: unknown }, delta: string): void {
    this.#growth = delta.includes("\\") ? (JSON.parse(`"${delta}"`) as string) : delta;
    open.value = `${open.value as string}${this.#growth}`;
    this.#unread += delta;
  }

  #parse(delta: string): void {
    let text = this.#heldSurrogate + this.#unread + delta;
    this.#unread = "";
    const last = text.charCodeAt(text.length - 1);
    const splitsPair = last >= 0xd800 && last <= 0xdbff;
    this.#heldSurrogate = splitsPair ? text.slice(-1) : "";
    if (splitsPair) text = text.slice(0, -1);
    if (text !== "") {
      const tail = openTail.exec(text.slice(-maxTailLength))?.[0] ?? "";
      if (tail !== "" && tail !== text) this.#parser.write(text.slice(0, -tail.length));
      this.#isInString = false;
      if (!this.#failed) this.#parser.write(tail || text);
    }
    if (splitsPair) this.#isInString = false;
  }

  /**
   * The text that the last `append` added to the open string. Undefined if the delta did anything else, or if it did not take the fast
   * path inside a string.
   */
  get growth(): string | undefined {
    return this.#growth;
  }

  /**
   * The number of open containers around the open string: in the JSON of `value`, only this many brackets follow the string. Undefined if
   * no string is open, or if it is not the last value of its object, because `JSON.stringify` puts numeric keys first.
   */
  get openStringDepth(): number | undefined {
    if (!this.#open || !this.#isInString) return undefined;
    const { parent, key, value, path } = this.#open;
    if (!isLast(copyWith(parent, key, value), key)) return undefined;
    for (let depth = path.length - 1; depth > 0; depth -= 1) {
      const outer = path[depth];
      if (outer && !isLast(outer.value as Container, outer.key)) return undefined;
    }
    return path.length;
  }

  /** The value of the text so far. The same object until the next `append`. */
  get value(): Record<string, unknown> {
    this.#snapshot ??= this.#takeSnapshot();
    return this.#snapshot;
  }

  /** Copies the open containers, from the innermost to the root; finished values are shared. */
  #takeSnapshot(): Record<string, unknown> {
    if (this.#complete !== undefined) return asObject(this.#complete);
    if (!this.#open) return emptyArguments;
    const { parent, key, value, path } = this.#open;
    let node = value === undefined ? copy(parent) : copyWith(parent, key, value);
    // path[i].value holds the container at depth i under path[i].key; path[0] is outside the root and empty.
    for (let depth = path.length - 1; depth > 0; depth -= 1) {
      const outer = path[depth];
      if (outer) node = copyWith(outer.value as Container, outer.key, node);
    }
    return asObject(node);
  }
}

function copy(container: Container): Container {
  return Array.isArray(container) ? container.slice() : { ...container };
}

function copyWith(container: Container, key: unknown, value: unknown): Container {
  const result = copy(container) as Record<PropertyKey, unknown>;
  // A key named __proto__ is data. Other keys can be assigned, which is ten times as fast.
  if (key === "__proto__") Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true });
  else result[key as PropertyKey] = value;
  return result as Container;
}

function isLast(container: Container, key: unknown): boolean {
  return Array.isArray(container) ? key === container.length - 1 : Object.keys(container).at(-1) === key;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : emptyArguments;
}
