import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { type CliOptions, cleanEnvironment, cliArguments } from "./cli.ts";
import { findViolations } from "./outgoing.ts";
import type { WireRecord } from "./wire-record.ts";
import type { Workspace } from "./workspace.ts";

export type { WireRecord } from "./wire-record.ts";

/** The first text of a `tool_execution_end`, which is what the model reads. */
export function resultText(record: WireRecord | undefined): string | undefined {
  const result = record?.result as { content: { text?: string }[] } | undefined;
  return result?.content[0]?.text;
}

type Match = Partial<WireRecord> | ((record: WireRecord) => boolean);

/** One side of a connection with the RPC mode, with everything that it has written so far. */
export class RpcConnection {
  /** The line that comes before all others, unless `--no-ready` leaves it out; not among the records. */
  ready: WireRecord | undefined;
  /** Whether `prompt_result` and `session_settled`, which repeat what the events say, are among the records. */
  keepsResults = false;
  /** Records in order of arrival. */
  readonly records: WireRecord[] = [];
  /** Lines as they came, without LF. */
  readonly lines: string[] = [];
  stderr = "";
  /** What the protocol's own schemas object to in the records; checked when the test is over. */
  readonly violations: string[] = [];
  /** Resolves with the exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly #input: Writable;
  #exitCode: number | null | undefined;
  /** Pieces of a line whose end has not come. */
  #held: string[] = [];
  #changed = Promise.withResolvers<void>();
  #requestCount = 0;

  constructor(input: Writable, output: Readable, exited: Promise<number | null>) {
    this.#input = input;
    input.on("error", () => {}); // EPIPE: it has ended without reading everything
    output.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.exited = exited.then((code) => {
      this.#exitCode = code;
      this.#notify();
      return code;
    });
  }

  /** Writes records as lines, all of them at once. */
  send(...records: object[]): void {
    this.sendText(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  sendText(text: string | Uint8Array): void {
    this.#input.write(text);
  }

  /** Sends a command with an id of its own and waits for its response. */
  request(command: { type: string; [field: string]: unknown }): Promise<WireRecord> {
    this.#requestCount += 1;
    const id = `request-${this.#requestCount}`;
    this.send({ id, ...command });
    return this.waitFor({ type: "response", id });
  }

  /** Sends a command that must succeed and resolves with its data. */
  async ask(command: { type: string; [field: string]: unknown }): Promise<Record<string, unknown>> {
    const response = await this.request(command);
    expect(response).toMatchObject({ success: true });
    return response.data ?? {};
  }

  /** What `get_state` tells now. */
  state(): Promise<Record<string, unknown>> {
    return this.ask({ type: "get_state" });
  }

  /** Sends a prompt and waits until its run has settled; returns the records from its response on. */
  async promptAndWait(message: string): Promise<WireRecord[]> {
    const from = this.records.length;
    await this.request({ type: "prompt", message });
    await this.waitFor({ type: "agent_settled" }, from);
    return this.records.slice(from);
  }

  /** The first record from index `from` on that has these fields. Rejects when the process ends without it. */
  async waitFor(match: Match, from = 0): Promise<WireRecord> {
    const isMatch =
      typeof match === "function"
        ? match
        : (record: WireRecord) => Object.entries(match).every(([key, value]) => record[key] === value);
    for (let index = from; ; index += 1) {
      while (index >= this.records.length) {
        if (this.#exitCode !== undefined) {
          throw new Error(`pi ended with ${this.#exitCode} before ${JSON.stringify(match)}; stderr: ${this.stderr}`);
        }
        await this.#changed.promise;
      }
      const record = this.records[index] as WireRecord;
      if (isMatch(record)) return record;
    }
  }

  /** Closes stdin and resolves with the exit code. */
  end(): Promise<number | null> {
    this.#input.end();
    return this.exited;
  }

  #read(text: string): void {
    this.#held.push(text);
    if (!text.includes("\n")) return;
    const pieces = this.#held.join("").split("\n");
    this.#held = [pieces.pop() ?? ""];
    for (const line of pieces) {
      const record = JSON.parse(line) as WireRecord;
      this.violations.push(...findViolations(record));
      if (record.type === "ready" && this.lines.length === 0 && !this.ready) {
        this.ready = record;
        continue;
      }
      if (!this.keepsResults && (record.type === "prompt_result" || record.type === "session_settled")) continue;
      this.lines.push(line);
      this.records.push(record);
    }
    this.#notify();
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

/** `pi --mode rpc` as a real process. */
export class RpcProcess extends RpcConnection {
  readonly child: ChildProcessWithoutNullStreams;

  constructor(child: ChildProcessWithoutNullStreams) {
    super(child.stdin, child.stdout, new Promise((resolve) => child.on("close", resolve)));
    this.child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }
}

/** Starts `pi --mode rpc` from source. It is killed when the test is over, if it still runs. */
export function startRpc(workspace: Workspace, args: readonly string[], options: CliOptions = {}): RpcProcess {
  return startProgram(workspace, [...cliArguments, "--mode", "rpc", ...args], options);
}

/** Starts a program of ours that imports the sources and speaks the protocol. */
export function startSource(workspace: Workspace, program: string, env: NodeJS.ProcessEnv = {}): RpcProcess {
  // Compiling all modules anew is most of what a start from source costs.
  const { NODE_COMPILE_CACHE } = process.env;
  return startProgram(workspace, ["--conditions=pikit-source", program], { env: { NODE_COMPILE_CACHE, ...env } });
}

/** Starts a program of Node's that speaks the protocol. */
export function startProgram(workspace: Workspace, args: readonly string[], options: CliOptions = {}): RpcProcess {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd ?? workspace.cwd,
    env: cleanEnvironment(workspace, options.env),
  });
  const rpc = new RpcProcess(child);
  onTestFinished(() => {
    child.kill("SIGKILL");
    expect(rpc.violations).toEqual([]);
  });
  return rpc;
}
