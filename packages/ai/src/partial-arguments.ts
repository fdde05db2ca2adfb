import { JSONParser } from "@streamparser/json";
import { cutDeep, maxNesting } from "./nesting.ts";

type Container = Record<string, unknown> | unknown[];
type Path = readonly { readonly key: unknown; readonly value: unknown }[];

/**
 * The beginning of an escape or of the next part of a number, at the end of a delta. The parser reports nothing while it is in the
 * middle of one, so what stands before is written by itself: the value must not depend on where the text happened to be cut.
 */
const openTail = /(?:\\u[dD][89abAB][\da-fA-F]{2}|(?:\\u[dD][89abAB][\da-fA-F]{2})?\\(?:u[\da-fA-F]{0,3})?|[eE][+-]?|[.+-])$/;
/** Characters of the longest such tail: a whole escape and all but one character of the next. */
const maxTailLength = 11;

/** Text that can only be the next part of a string: whole characters and whole escapes, and not the quotation mark that ends it. */
const insideString = /^(?:[^"\\\p{Control}\p{Surrogate}]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[\da-fA-F]{4}))*$/u;
/** Characters of the longest text that is tried with this expression, which needs memory for each character. */
const maxTriedLength = 4096;

const emptyArguments: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Reads a tool call's arguments while their JSON text is still arriving: `{"a":"he` is `{a: "he"}`, `{"a":1,"b"` is `{a: 1}`.
 *
 * Every character is read once, so a long text costs the same a delta from first to last. A value that was handed out never
 * changes. Text that is no JSON object, or is nested too deep, gives what could be read up to the fault, at worst `{}`; nothing here throws,
 * and nothing read here may be executed: for that, the whole text is parsed strictly when it is complete.
 *
 * Used on both ends of the protocol: where a stream is assembled, and where a client rebuilds messages from deltas.
 */
export class PartialArguments {
  readonly #parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true });
  /** The innermost open container, what is known of the value being read in it, and the way to it from the root. */
  #open: { parent: Container; key: unknown; value: unknown; path: Path } | undefined;
  #complete: unknown;
  #snapshot: Record<string, unknown> | undefined;
  /** Half a surrogate pair at the end of a delta waits for its other half. */
  #heldSurrogate = "";
  #failed = false;
  /** Whether the text so far ends within a string that is a value, all of which is in `#open`. */
  #isInString = false;
  /** What the parser has not seen of that string: most deltas are the middle of one, which needs no parser. */
  #unread = "";
  #growth: string | undefined;

  constructor() {
    this.#parser.onValue = ({ value, key, parent, stack, partial }) => {
      // The first level of the stack is what surrounds the root.
      if (stack.length > maxNesting && !this.#failed) this.#giveUp();
      if (this.#failed) return;
      if (parent === undefined) this.#complete = value;
      else this.#open = { parent: parent as Container, key, value, path: stack as Path };
      this.#isInString = partial === true && typeof value === "string";
    };
    this.#parser.onError = () => {
      this.#failed = true;
    };
  }

  /** Keeps a copy of what there is: the parser goes on filling its own containers with what is left of the delta. */
  #giveUp(): void {
    this.#failed = true;
    this.#snapshot = cutDeep(this.#takeSnapshot(), maxNesting - 2);
  }

  /** Reads the next piece of the text. */
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
   * What the last `append` added to the end of the string that is being read, where it did that and nothing else; undefined otherwise,
   * also where that would have to be looked for.
   */
  get growth(): string | undefined {
    return this.#growth;
  }

  /**
   * How many containers of `value` end behind the string that is being read: its JSON is followed by so many brackets and nothing else.
   * Undefined where no string is being read, or it is not the last of its object: JSON has keys that are numbers first.
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

  /** What the text says so far. The same object until the next `append`. */
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
    // path[i].value holds the container at depth i under path[i].key; path[0] is what surrounds the root: nothing.
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
  // A key named __proto__ is data. The others can be assigned, which is ten times as fast.
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
