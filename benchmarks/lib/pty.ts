import { type IPty, spawn } from "@lydell/node-pty";
import type { Workplace } from "./workplace.ts";

/** A program on a terminal of 80 by 24, which answers no query. */
export class PtyProgram implements AsyncDisposable {
  readonly startedAt = performance.now();
  /** All that the program has written. */
  written = "";
  readonly #pty: IPty;
  readonly #exited: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor([program = "", ...args]: readonly string[], { cwd, env }: Workplace) {
    this.#pty = spawn(program, args, { name: "xterm-256color", cols: 80, rows: 24, cwd, env: env as Record<string, string> });
    this.#pty.onData((text) => {
      this.written += text;
      this.#wake();
    });
    this.#exited = new Promise((resolve) =>
      this.#pty.onExit(() => {
        this.#isOver = true;
        this.#wake();
        resolve();
      }),
    );
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Resolves with the time at which `text` was written, from `start` of all that was written on. */
  async waitFor(text: string, start = 0): Promise<number> {
    while (!this.written.includes(text, start)) {
      if (this.#isOver) throw new Error(`The program ended before it wrote ${JSON.stringify(text)}: ${this.written.slice(-500)}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    return performance.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) this.#pty.kill("SIGKILL");
    await this.#exited;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
