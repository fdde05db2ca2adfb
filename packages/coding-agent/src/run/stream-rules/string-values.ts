/** Gets the strings of a JSON text: the begin of each, its pieces, and its end. */
export interface StringValueReader {
  begin(): void;
  append(piece: string): void;
  end(): void;
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Extracts the decoded string values from a JSON text that arrives in pieces. Names of fields are left out. Invalid JSON never fails: its
 * strings are extracted as far as possible.
 */
export class StringValues {
  readonly #reader: StringValueReader;
  /** The open objects and arrays, outermost first. */
  readonly #open: ("{" | "[")[] = [];
  #isInString = false;
  #isKey = false;
  #nameComesNext = false;
  /** An incomplete escape, with its backslash; empty outside of an escape. */
  #escape = "";

  constructor(reader: StringValueReader) {
    this.#reader = reader;
  }

  append(json: string): void {
    let position = 0;
    while (position < json.length) position = this.#isInString ? this.#readString(json, position) : this.#readOther(json, position);
  }

  #readOther(json: string, position: number): number {
    const character = json[position];
    if (character === "{" || character === "[") {
      this.#open.push(character);
      this.#nameComesNext = character === "{";
    } else if (character === "}" || character === "]") {
      this.#open.pop();
      this.#nameComesNext = false;
    } else if (character === ",") {
      this.#nameComesNext = this.#open.at(-1) === "{";
    } else if (character === '"') {
      this.#isInString = true;
      this.#isKey = this.#nameComesNext;
      this.#nameComesNext = false;
      if (!this.#isKey) this.#reader.begin();
    }
    return position + 1;
  }

  #readString(json: string, position: number): number {
    if (this.#escape !== "") return this.#readEscape(json, position);
    const character = json[position];
    if (character === "\\") {
      this.#escape = "\\";
      return position + 1;
    }
    if (character === '"') {
      this.#isInString = false;
      if (!this.#isKey) this.#reader.end();
      return position + 1;
    }
    const stop = findSpecial(json, position);
    this.#tell(json.slice(position, stop));
    return stop;
  }

  #readEscape(json: string, position: number): number {
    this.#escape += json[position];
    const kind = this.#escape[1] as string;
    const isComplete = kind !== "u" || this.#escape.length === 6;
    if (isComplete) {
      const code = Number.parseInt(this.#escape.slice(2), 16);
      this.#escape = "";
      this.#tell(kind === "u" ? String.fromCharCode(code) : Object.hasOwn(escapes, kind) ? (escapes[kind] as string) : kind);
    }
    return position + 1;
  }

  #tell(piece: string): void {
    if (!this.#isKey) this.#reader.append(piece);
  }
}

/** The end of the plain characters. */
function findSpecial(json: string, from: number): number {
  let position = from;
  while (position < json.length && json[position] !== '"' && json[position] !== "\\") position += 1;
  return position;
}
