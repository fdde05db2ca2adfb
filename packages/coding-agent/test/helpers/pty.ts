import { type IPty, spawn } from "@lydell/node-pty";
import { afterEach } from "vitest";
import { cleanEnvironment, cliArguments } from "./cli.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";
import type { Workspace } from "./workspace.ts";

export interface PtyOptions {
  columns?: number;
  rows?: number;
  env?: NodeJS.ProcessEnv;
  /** The program and its arguments. Default: `pi` with the arguments of `start`. */
  command?: readonly string[];
}

/** Milliseconds after which a condition that is not met is a failure. Long, because the machine may be busy. */
const hangMs = 50_000;

/** Whether what has been written leaves a terminal in the state in which it was found. */
export function isSane(written: string): boolean {
  const last = (on: string, off: string) => written.lastIndexOf(off) > written.lastIndexOf(on);
  return last("\x1b[?2004h", "\x1b[?2004l") && last("\x1b[>5u", "\x1b[<u") && !last("\x1b[?25h", "\x1b[?25l");
}

/** `pi` on a terminal of its own, which a test types into and reads. */
export class PtyProcess {
  readonly terminal: VirtualTerminal;
  /** Resolves with the exit code, or the number of the signal. */
  readonly exited: Promise<{ exitCode: number; signal: number | undefined }>;
  readonly #pty: IPty;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  private constructor(pty: IPty, terminal: VirtualTerminal) {
    this.#pty = pty;
    this.terminal = terminal;
    terminal.onAnswer((answer) => !this.#isOver && pty.write(answer));
    pty.onData((text) => {
      terminal.write(text);
      this.#wake();
    });
    this.exited = new Promise((resolve) =>
      pty.onExit(({ exitCode, signal }) => {
        this.#isOver = true;
        this.#wake();
        resolve({ exitCode, signal });
      }),
    );
  }

  static start(workspace: Workspace, args: readonly string[], options: PtyOptions = {}): PtyProcess {
    const { columns = 80, rows = 24, env, command = [process.execPath, ...cliArguments, ...args] } = options;
    const [program = "", ...rest] = command;
    const pty = spawn(program, rest, {
      ...{ name: env?.TERM ?? "xterm-256color", cols: columns, rows, cwd: workspace.cwd },
      env: cleanEnvironment(workspace, { TERM: "xterm-256color", SHELL: "/bin/sh", ...env }) as Record<string, string>,
    });
    return new PtyProcess(pty, new VirtualTerminal({ columns, rows }));
  }

  get isRunning(): boolean {
    return !this.#isOver;
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  async resize(columns: number, rows: number): Promise<void> {
    // The terminal takes its new size with what it has got so far, as real ones do.
    this.#pty.resize(columns, rows);
    await this.terminal.resize(columns, rows);
  }

  /** Closes the terminal under the program, as when its window is closed. */
  closeWindow(): void {
    // The definitions of the library leave it out.
    (this.#pty as IPty & { destroy(): void }).destroy();
  }

  kill(signal: string): void {
    this.#pty.kill(signal);
  }

  /** Resolves with the lines of the terminal when `isMet` returns true for them. Rejects with them if the process ends before, or hangs. */
  async until(isMet: string | RegExp | ((lines: readonly string[]) => boolean)): Promise<string[]> {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, hangMs);
    try {
      return await this.#look(isMet, () => isLate);
    } finally {
      clearTimeout(limit);
    }
  }

  async #look(isMet: string | RegExp | ((lines: readonly string[]) => boolean), isLate: () => boolean): Promise<string[]> {
    for (;;) {
      const next = new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
      const lines = await this.terminal.lines();
      const text = lines.join("\n");
      const isNow = typeof isMet === "string" ? text.includes(isMet) : isMet instanceof RegExp ? isMet.test(text) : isMet(lines);
      if (isNow) return lines;
      const problem = this.#isOver ? "The process has ended" : isLate() ? "The process hangs" : undefined;
      if (problem !== undefined) throw new Error(`${problem}, and the terminal does not show ${String(isMet)}:\n${text}`);
      await next;
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

/** Starts `pi` on terminals in this workspace. Call it after `useWorkspace`: the processes end before their folder is removed. */
export function useTerminals(workspace: Workspace): (args: readonly string[], options?: PtyOptions) => PtyProcess {
  const started: PtyProcess[] = [];
  afterEach(async () => {
    for (const pi of started.splice(0)) {
      if (pi.isRunning) pi.kill("SIGKILL");
      await pi.exited;
      pi.terminal.dispose();
    }
  });
  return (args, options) => {
    const pi = PtyProcess.start(workspace, args, options);
    started.push(pi);
    return pi;
  };
}
