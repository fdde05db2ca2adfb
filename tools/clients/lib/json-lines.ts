import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { ProgramOptions } from "../../lib/run-program.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** A program that reads and writes JSON, one object a line. */
export class JsonLines {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything that it has written so far. */
  readonly records: JsonRecord[] = [];
  stderr = "";
  /** Resolves with the exit code when it has ended and everything is read. */
  readonly ended: Promise<number | null>;
  #rest = "";
  #hasEnded = false;
  #changed = Promise.withResolvers<void>();

  constructor(command: string, args: readonly string[], options: ProgramOptions) {
    this.child = spawn(command, args, { cwd: options.cwd, env: options.env });
    this.child.stdin.on("error", () => {}); // EPIPE
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code) => {
        this.#hasEnded = true;
        this.#notify();
        resolve(code);
      });
    });
  }

  send(record: object): void {
    this.child.stdin.write(`${JSON.stringify(record)}\n`);
  }

  /** The first record from index `from` on for which `isMeant` returns true. Rejects if the program ends without it. */
  async find(isMeant: (record: JsonRecord) => boolean, from = 0): Promise<JsonRecord> {
    for (let index = from; ; index += 1) {
      while (index >= this.records.length) {
        if (this.#hasEnded) throw new Error(`the program has ended. stderr: ${this.stderr.slice(-500)}`);
        await this.#changed.promise;
      }
      const record = this.records[index];
      if (record !== undefined && isMeant(record)) return record;
    }
  }

  /** Sends a command of RPC mode and resolves with its response. */
  request(command: { type: string; [field: string]: unknown }): Promise<JsonRecord> {
    const id = `request ${this.records.length}`;
    this.send({ id, ...command });
    return this.find((record) => record.type === "response" && record.id === id);
  }

  /** Closes stdin and waits for the end. */
  end(): Promise<number | null> {
    this.child.stdin.end();
    return this.ended;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("{")) this.records.push(JSON.parse(line) as JsonRecord);
    this.#notify();
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
