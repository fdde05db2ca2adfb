import { isKeyRelease, ProcessTerminal } from "./library.ts";
import type { ScreenOutput } from "./screen/screen.ts";

/** What the device tells of. */
export interface DeviceHandlers {
  /** A key as the terminal sent it, a pasted text between its marks, or the answer to a query. */
  onKey(key: string): void;
  /** The size of the terminal has changed. */
  onResize(): void;
}

/** The milliseconds to wait for an answer of the terminal before the next program gets its keys. */
const drainMs = 200;
/** The milliseconds without an answer after which no more is expected. */
const quietMs = 30;

/**
 * The terminal of the process: keys in, text out. While it is open the terminal gives each key as it is typed (raw mode), marks pasted text, and
 * reports keys with modifiers where it can.
 */
export class TerminalDevice implements ScreenOutput {
  readonly #handlers: DeviceHandlers;
  #terminal: ProcessTerminal | undefined;

  constructor(handlers: DeviceHandlers) {
    this.#handlers = handlers;
  }

  get isOpen(): boolean {
    return this.#terminal !== undefined;
  }

  get columns(): number {
    return process.stdout.columns || 80;
  }

  get rows(): number {
    return process.stdout.rows || 24;
  }

  write(text: string): void {
    process.stdout.write(text);
  }

  /** Takes the terminal. */
  open(): void {
    if (this.#terminal) return;
    this.#terminal = new ProcessTerminal();
    this.#terminal.start(
      (key) => {
        if (!isKeyRelease(key)) this.#handlers.onKey(key);
      },
      () => this.#handlers.onResize(),
    );
  }

  /** Gives the terminal back as it was. At once, because the process may be ending. */
  close(): void {
    if (!this.#terminal) return;
    this.#terminal.stop();
    this.#terminal = undefined;
    // The library restores the mode that it found, which is the one of the first screen.
    process.stdin.setRawMode?.(false);
  }

  /** Gives the terminal back when answers that are on their way have come; another program would take them for keys. */
  async drain(): Promise<void> {
    await this.#terminal?.drainInput(drainMs, quietMs);
    this.close();
  }
}
