import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** How long a program may take to answer, in milliseconds. */
export const patienceMs = 60_000;
/** How long it may take to end once its stdin has, in milliseconds. */
const graceMs = 3000;
/** How much of its stderr is kept, in characters. */
const stderrLength = 2000;

export interface RpcLine {
  line: string;
  /** When it was read, as `performance.now()` tells the time. */
  at: number;
}

interface Waiter {
  matches: (line: string) => boolean;
  resolve: (found: RpcLine) => void;
  reject: (error: Error) => void;
}

/** A program that reads commands from stdin and writes records to stdout, one JSON object a line. It is seen from outside only. */
export class RpcProcess implements AsyncDisposable {
  readonly startedAt = performance.now();
  readonly pid: number;
  /** Written to stdout so far. */
  bytesRead = 0;
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #exited: Promise<unknown>;
  readonly #waiters = new Set<Waiter>();
  #pieces: string[] = [];
  #errorOutput = "";
  #end: Error | undefined;

  /**
   * @param command - The program and its arguments.
   * @param options - `pace`: how its stdout is read; by default as fast as it comes.
   */
  constructor(
    command: readonly string[],
    { pace = readAtOnce, ...options }: { cwd: string; env: NodeJS.ProcessEnv; pace?: (output: Readable) => void },
  ) {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    this.#stdin = child.stdin;
    this.pid = child.pid ?? 0;
    this.#exited = new Promise((resolve) => child.once("close", resolve).once("error", resolve));
    child.stdin.on("error", () => undefined); // It has ended, which its end tells.
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-stderrLength);
    });
    child.stdout.setEncoding("utf8").on("data", (text) => this.#read(text));
    pace(child.stdout);
    child.once("error", (error) => this.#fail(`cannot be started: ${error.message}`));
    child.once("close", (code, signal) => this.#fail(`ended with ${signal ?? `exit code ${code}`}${this.#lastWords()}`));
  }

  send(...commands: readonly object[]): void {
    this.#stdin.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
  }

  /**
   * The next line of which `matches` is true. Lines that came before are not looked at.
   *
   * @throws {Error} When the program ends first, or takes longer than `timeoutMs` (default `patienceMs`).
   */
  async waitFor(what: string, matches: (line: string) => boolean, timeoutMs = patienceMs): Promise<RpcLine> {
    if (this.#end) throw this.#end;
    const { promise, resolve, reject } = Promise.withResolvers<RpcLine>();
    const waiter = { matches, resolve, reject };
    this.#waiters.add(waiter);
    const timer = setTimeout(() => reject(new Error(`no ${what} within ${Math.round(timeoutMs / 1000)} s`)), timeoutMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** For a program that does not read its stdin. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Ends its stdin, so that it ends by itself (Node writes its compile cache then); kills it when it does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stdin.end();
    this.#child.stdout?.resume(); // It cannot end before all of its output is read.
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.#exited;
    clearTimeout(timer);
  }

  #read(text: string): void {
    const at = performance.now();
    this.bytesRead += Buffer.byteLength(text);
    // Pieces are joined once: a snapshot is many reads long.
    const lines = text.split("\n");
    for (const end of lines.slice(0, -1)) {
      this.#pieces.push(end);
      const line = this.#pieces.join("");
      this.#pieces = [];
      for (const waiter of this.#waiters) if (waiter.matches(line)) waiter.resolve({ line, at });
    }
    this.#pieces.push(lines.at(-1) ?? "");
  }

  #fail(reason: string): void {
    this.#end ??= new Error(reason);
    for (const { reject } of this.#waiters) reject(this.#end);
  }

  #lastWords(): string {
    const lines = this.#errorOutput.trim().split("\n");
    // Node says last which version it is.
    const line = lines.find((text) => text.includes("Error")) ?? lines.at(-1);
    return line ? `: ${line}` : "";
  }
}

function readAtOnce(output: Readable): void {
  output.resume();
}
