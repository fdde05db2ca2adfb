import type { FrameClock } from "./screen/frame-clock.ts";
import type { Screen } from "./screen/screen.ts";
import type { StrayOutput } from "./stray-output.ts";
import { handleSuspension } from "./suspend.ts";
import type { TerminalDevice } from "./terminal-device.ts";

export interface HeldParts {
  device: TerminalDevice;
  screen: Screen;
  frames: FrameClock;
  stray: StrayOutput;
}

/** Takes the terminal for the mode and gives it back: to another program, to the shell, and at the end, whatever ends the process. */
export class TerminalHold {
  readonly #parts: HeldParts;
  readonly #suspension = handleSuspension({ release: () => this.release(), resume: () => this.resume() });
  #isOver = false;

  constructor(parts: HeldParts) {
    this.#parts = parts;
    process.on("exit", this.#onExit);
  }

  /** Whether the terminal is given back for good, or gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param typed - Keys that came before. */
  take(typed: string): void {
    this.#parts.stray.start();
    this.#parts.device.open(typed);
  }

  /** Stops the process, as Ctrl-Z does. */
  suspend(): void {
    this.#suspension.suspend();
  }

  async lend<T>(use: () => Promise<T>): Promise<T> {
    const { device, frames, screen, stray } = this.#parts;
    frames.flush();
    screen.close();
    await device.closeInOrder();
    stray.stop();
    try {
      return await use();
    } finally {
      this.resume();
    }
  }

  /** Gives the terminal back for good, after the last frame. */
  async end(): Promise<void> {
    const { device, frames, screen, stray } = this.#parts;
    if (!this.#isOver) frames.flush();
    this.#close();
    if (device.isOpen) {
      screen.close();
      await device.closeInOrder();
    }
    stray.stop();
    process.off("exit", this.#onExit);
  }

  /** Gives the terminal back at once and for good, after a fault of the program: nothing more can be drawn reliably. */
  abandon(): void {
    this.#close();
    if (this.#parts.device.isOpen) this.#giveBack();
  }

  /** The terminal is gone. */
  lose(): void {
    this.#isOver = true;
  }

  #close(): void {
    this.#isOver = true;
    this.#parts.frames.stop();
    this.#suspension.remove();
  }

  /** Gives the terminal back at once, until `resume`. The last frame is not kept on it. */
  release(): void {
    if (!this.#parts.device.isOpen) return;
    this.#parts.frames.flush();
    this.#giveBack();
  }

  #giveBack(): void {
    const { device, screen, stray } = this.#parts;
    try {
      screen.close();
    } catch {
      // A fault of what draws, after which the region stays: the next text is below it.
      device.write("\r\n");
    }
    device.close();
    stray.stop();
  }

  /** Takes the terminal back. The next frame begins at the cursor. */
  resume(): void {
    if (this.#isOver || this.#parts.device.isOpen) return;
    const { frames, screen } = this.#parts;
    screen.forget();
    this.take("");
    frames.request(true);
  }

  readonly #onExit = () => {
    if (this.#parts.device.isOpen) this.#giveBack();
  };
}
