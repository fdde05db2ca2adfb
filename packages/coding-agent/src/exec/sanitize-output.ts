/** C0 without tab and LF, DEL, and C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const BEL = 0x07;

/** The state within an escape sequence (ECMA-48). `string` is the payload of OSC, DCS, SOS, PM and APC. */
type State = "text" | "escape" | "intermediate" | "csi" | "string";

/**
 * Converts terminal output to plain text: removes escape sequences and control characters, replaces CRLF by LF, and replaces a bare CR by LF,
 * so that the states of a progress bar are on separate lines. Sequences may be split over any number of `write` calls. The time is linear in
 * the length of any input.
 */
export class OutputSanitizer {
  #state: State = "text";
  /** Whether a CR came after text in this line; the next character decides between CRLF and a bare CR. */
  #pendingReturn = false;
  #lineHasText = false;

  /**
   * @param text - The next chunk of output.
   * @returns The plain text of the chunk. A CR at its end is held back until the next call, and dropped if there is none.
   */
  write(text: string): string {
    const pieces: string[] = [];
    let position = 0;
    while (position < text.length) {
      if (this.#state !== "text") {
        position = this.#skip(text, position);
        continue;
      }
      const end = plainEnd(text, position);
      if (end > position) this.#keep(text.slice(position, end), pieces);
      if (end < text.length) this.#control(text.charCodeAt(end));
      position = end + 1;
    }
    return pieces.join("");
  }

  #keep(plain: string, pieces: string[]): void {
    if (this.#pendingReturn && plain.charCodeAt(0) !== LF) pieces.push("\n");
    this.#pendingReturn = false;
    this.#lineHasText = plain.charCodeAt(plain.length - 1) !== LF;
    pieces.push(plain);
  }

  #control(code: number): void {
    if (code === CR) this.#pendingReturn = this.#lineHasText;
    else if (code === ESC) this.#state = "escape";
    // The one-character forms of ESC [ and of ESC P, X, ], ^ and _.
    else if (code === 0x9b) this.#state = "csi";
    else if (code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f)) this.#state = "string";
  }

  /** Consumes one character of a sequence, or the available payload of a string. Returns the next position. */
  #skip(text: string, position: number): number {
    const code = text.charCodeAt(position);
    if (this.#state === "string") return this.#skipString(text, position);
    if (code === ESC) {
      this.#state = "escape";
      return position + 1;
    }
    const isIntermediate = code >= 0x20 && code <= 0x2f;
    if (this.#state === "csi" && (isIntermediate || (code >= 0x30 && code <= 0x3f))) return position + 1;
    if (this.#state !== "csi" && isIntermediate) {
      this.#state = "intermediate";
      return position + 1;
    }
    const isFinal = code >= (this.#state === "csi" ? 0x40 : 0x30) && code <= 0x7e;
    this.#state = this.#state === "escape" && isFinal ? afterEscape(code) : "text";
    // Any other character ends the sequence and is processed as text.
    return isFinal ? position + 1 : position;
  }

  /**
   * Skips a payload. It ends at BEL, ST or the next escape sequence, and also before LF: real titles and links do not contain one, and an
   * unterminated string would remove the rest of the output.
   */
  #skipString(text: string, start: number): number {
    for (let position = start; position < text.length; position++) {
      const code = text.charCodeAt(position);
      if (code === ESC) {
        // ST is ESC and a backslash; the state `escape` consumes the backslash.
        this.#state = "escape";
        return position + 1;
      }
      if (code === BEL || code === 0x9c || code === LF) {
        this.#state = "text";
        return code === LF ? position : position + 1;
      }
    }
    return text.length;
  }
}

/** The position of the first control character from `start` on. */
function plainEnd(text: string, start: number): number {
  // The regular expression is fast for long text, but each call takes 60 ns, which is too slow for a sequence of NUL characters.
  if (isControl(text.charCodeAt(start))) return start;
  control.lastIndex = start;
  return control.exec(text)?.index ?? text.length;
}

function isControl(code: number): boolean {
  return code < 0x20 ? code !== LF && code !== TAB : code >= 0x7f && code <= 0x9f;
}

function afterEscape(code: number): State {
  switch (String.fromCharCode(code)) {
    case "[":
      return "csi";
    case "]":
    case "P":
    case "X":
    case "^":
    case "_":
      return "string";
    default:
      return "text";
  }
}
