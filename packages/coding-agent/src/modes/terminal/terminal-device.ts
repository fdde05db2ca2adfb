import { isKeyRelease, StdinBuffer, setKittyProtocolActive } from "./library.ts";
import type { ScreenOutput } from "./screen/screen.ts";

/** The handlers of a device. */
export interface DeviceHandlers {
  /** A key as the terminal sent it, a pasted text between its marks, or the answer to a query. */
  onKey(key: string): void;
  /** The size of the terminal has changed. */
  onResize(): void;
  /** The terminal is gone: no keys come, and nothing can be written. */
  onGone(): void;
}

const bracketedPasteOn = "\x1b[?2004h";
const bracketedPasteOff = "\x1b[?2004l";
// Keys with all their modifiers, see https://sw.kovidgoyal.net/kitty/keyboard-protocol/: 1 + 4 asks for unambiguous codes and alternate keys.
const kittyKeysOn = "\x1b[>5u";
const kittyKeysOff = "\x1b[<u";
const kittyKeysQuery = "\x1b[?u";
/** Every terminal answers this one. Without an answer to the query before it, there is no Kitty protocol. */
const attributesQuery = "\x1b[c";
// The older way, of xterm: https://invisible-island.net/xterm/modified-keys.html.
const modifiedKeysOn = "\x1b[>4;2m";
const modifiedKeysOff = "\x1b[>4;0m";
const showCursor = "\x1b[?25h";
/** Two presses of Escape that arrived together. */
const twoEscapes = "\x1b\x1b";

/** Milliseconds after which an Escape is the key, and not the beginning of a sequence. A remote terminal may send one in pieces. */
const escapeMs = { local: 20, remote: 100 } as const;
/** Milliseconds to wait for answers of the terminal, which the next program would take for keys. */
const drainMs = 100;

function ignore(): void {}

/**
 * The terminal of the process: keys in, text out. While it is open the terminal sends each key as it is typed (raw mode), marks pasted text, and
 * reports keys with modifiers where it can.
 */
export class TerminalDevice implements ScreenOutput {
  readonly #handlers: DeviceHandlers;
  readonly #writeText: (text: string) => void;
  #input: StdinBuffer | undefined;
  /** Resolves when the terminal has answered the queries. */
  #answered = Promise.withResolvers<void>();
  #hasAnswered = false;
  #hasKittyKeys = false;

  /** @param writeText - Writes to stdout of the process. */
  constructor(handlers: DeviceHandlers, writeText: (text: string) => void) {
    this.#handlers = handlers;
    this.#writeText = writeText;
  }

  get isOpen(): boolean {
    return this.#input !== undefined;
  }

  get columns(): number {
    return this.#size()[0];
  }

  get rows(): number {
    return this.#size()[1];
  }

  write(text: string): void {
    this.#writeText(text);
  }

  /**
   * Takes the terminal.
   *
   * @param typed - Keys that came before.
   */
  open(typed = ""): void {
    if (this.#input) return;
    const { stdin, stdout } = process;
    // They stay: when the window is closed, there are no modes to restore, and nothing can be written.
    for (const stream of [stdin, stdout]) stream.off("error", ignore).on("error", ignore);
    stdin.setRawMode(true);
    const isRemote = process.env.SSH_CONNECTION !== undefined;
    this.#input = new StdinBuffer({ escapeTimeout: isRemote ? escapeMs.remote : escapeMs.local });
    this.#input.on("data", (key) => this.#take(key));
    this.#input.on("paste", (text) => this.#handlers.onKey(`\x1b[200~${text}\x1b[201~`));
    stdin.setEncoding("utf8").on("data", this.#onData).on("end", this.#onGone).on("error", this.#onGone);
    stdin.resume();
    stdout.on("resize", this.#onResize).on("error", this.#onGone);
    this.#answered = Promise.withResolvers();
    this.#hasAnswered = false;
    this.write(`${bracketedPasteOn}${kittyKeysOn}${kittyKeysQuery}${attributesQuery}`);
    if (typed !== "") this.#onData(typed);
  }

  /** Gives the terminal back as it was. At once, because the process may be ending. */
  close(): void {
    if (!this.#input) return;
    const { stdin, stdout } = process;
    this.#input.destroy();
    this.#input = undefined;
    stdin.off("data", this.#onData).off("end", this.#onGone).off("error", this.#onGone);
    stdout.off("resize", this.#onResize).off("error", this.#onGone);
    this.write(`${kittyKeysOff}${this.#hasKittyKeys ? "" : modifiedKeysOff}${bracketedPasteOff}${showCursor}`);
    this.#hasKittyKeys = false;
    setKittyProtocolActive(false);
    stdin.pause();
    stdin.setRawMode(false);
  }

  /** Waits a short time for answers that are on their way, then gives the terminal back. */
  async closeInOrder(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs);
    if (this.#input) await Promise.race([this.#answered.promise, late]);
    clearTimeout(timer);
    this.close();
  }

  /** Asked anew each time: the size that Node keeps is the old one until its signal has come, and a frame for that would leave remains. */
  #size(): [columns: number, rows: number] {
    try {
      const [columns, rows] = process.stdout.getWindowSize();
      return [columns || 80, rows || 24];
    } catch {
      return [process.stdout.columns || 80, process.stdout.rows || 24]; // the terminal is gone
    }
  }

  readonly #onData = (text: string) => {
    // An Enter from before raw mode is a line feed. The answer of the terminal comes after such keys.
    this.#input?.process(this.#hasAnswered ? text : text.replaceAll("\n", "\r"));
  };
  readonly #onResize = () => this.#handlers.onResize();
  readonly #onGone = () => this.#handlers.onGone();

  #take(key: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: answers of terminals begin with Escape
    const [, flags] = /^\x1b\[\?(\d+)u$/.exec(key) ?? [];
    if (flags !== undefined) {
      this.#hasKittyKeys = flags !== "0";
      setKittyProtocolActive(this.#hasKittyKeys);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    } else if (/^\x1b\[\?[\d;]*c$/.test(key)) {
      if (!this.#hasKittyKeys) this.write(modifiedKeysOn);
      this.#hasAnswered = true;
      this.#answered.resolve();
    } else if (key === twoEscapes) {
      for (const each of key) this.#handlers.onKey(each);
    } else if (!isKeyRelease(key)) this.#handlers.onKey(key);
  }
}
