import { JSONParser } from "@streamparser/json";

type Container = Record<string, unknown> | unknown[];
type Path = readonly { readonly key: unknown; readonly value: unknown }[];

/**
 * The beginning of an escape or of the next part of a number, at the end of a delta. The parser reports nothing while it is in the
 * middle of one, so what stands before is written by itself: the value must not depend on where the text happened to be cut.
 */
const openTail = /(?:\\u[dD][89abAB][\da-fA-F]{2}|(?:\\u[dD][89abAB][\da-fA-F]{2})?\\(?:u[\da-fA-F]{0,3})?|[eE][+-]?|[.+-])$/;
/** Characters of the longest such tail: a whole escape and all but one character of the next. */
const maxTailLength = 11;

const emptyArguments: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Reads a tool call's arguments while their JSON text is still arriving: `{"a":"he` is `{a: "he"}`, `{"a":1,"b"` is `{a: 1}`.
 *
 * Every character is read once, so a long text costs the same a delta from first to last. A value that was handed out never
 * changes. Text that is no JSON object gives what could be read up to the fault, at worst `{}`; nothing here throws, and nothing
 * read here may be executed: for that, the whole text is parsed strictly when it is complete.
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

  constructor() {
    this.#parser.onValue = ({ value, key, parent, stack }) => {
      if (parent === undefined) this.#complete = value;
      else this.#open = { parent: parent as Container, key, value, path: stack as Path };
    };
    this.#parser.onError = () => {
      this.#failed = true;
    };
  }

  /** Reads the next piece of the text. */
  append(delta: string): void {
    if (this.#failed || this.#parser.isEnded) return;
    let text = this.#heldSurrogate + delta;
    const last = text.charCodeAt(text.length - 1);
    const splitsPair = last >= 0xd800 && last <= 0xdbff;
    this.#heldSurrogate = splitsPair ? text.slice(-1) : "";
    if (splitsPair) text = text.slice(0, -1);
    if (text === "") return;
    const tail = openTail.exec(text.slice(-maxTailLength))?.[0] ?? "";
    if (tail !== "" && tail !== text) this.#parser.write(text.slice(0, -tail.length));
    if (!this.#failed) this.#parser.write(tail || text);
    this.#snapshot = undefined;
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
  const result = copy(container);
  // defineProperty, not assignment: a key named __proto__ is data.
  Object.defineProperty(result, key as PropertyKey, { value, writable: true, enumerable: true, configurable: true });
  return result;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : emptyArguments;
}
