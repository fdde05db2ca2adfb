import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { markEnvironment } from "../exec/command-mark.ts";
import { containerFd, type EnteredCommand } from "../exec/container.ts";
import { killTree } from "../exec/kill-tree.ts";
import { OutputTail } from "../exec/output-tail.ts";
import { forgetEndedGroup, isOurGroup, leaderExited, trackGroup } from "../exec/running-groups.ts";
import { OutputSanitizer } from "../exec/sanitize-output.ts";
import { ensureWatchdog } from "../exec/watchdog.ts";
import { LineReader } from "./line-reader.ts";

/** Maximum bytes of a message: enough for a screenshot of many megapixels. */
const maxMessageBytes = 64 * 1024 ** 2;
/** The part of stderr to keep for error messages. */
const keptErrorOutput = { maxLines: 20, maxBytes: 4096 };
/** Maximum milliseconds for a server to exit after its stdin has ended. */
const graceMs = 500;
/** Maximum milliseconds from a failed write to the exit of the server that explains it. */
const endMs = 2000;
/** Milliseconds to wait for output after the exit, if another process holds the pipe. */
const drainMs = 100;

export interface StdioTransportOptions {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The mark that identifies the server and its processes; see `exec/command-mark.ts`. */
  mark: string;
  /** The program in its container; undefined without one. */
  entered?: EnteredCommand | undefined;
}

/**
 * The transport for a server that is a child process: one message per line, on its stdin and stdout. The server has its own process group,
 * which is killed when the connection ends, or when this process ends for any reason.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  readonly #errorOutput = new OutputTail(keptErrorOutput);
  #child: ChildProcess | undefined;
  /** A description of how the connection ended. */
  #end: string | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { program, args, cwd, env, mark, entered } = this.#options;
    // Before the server, so that the watchdog can find its processes by the mark from the start.
    ensureWatchdog();
    const [first, ...rest] = entered?.command ?? [program, ...args];
    const stdio: StdioOptions = ["pipe", "pipe", "pipe"];
    if (entered?.fd !== undefined) stdio[containerFd] = entered.fd;
    const variables = markEnvironment(env, mark);
    const child = spawn(first, rest, { cwd, env: variables, stdio: Array.from(stdio, (end) => end ?? "ignore"), detached: true });
    entered?.started();
    this.#child = child;
    if (child.pid !== undefined) trackGroup(child.pid);
    // EPIPE after the server has ended; its exit is reported instead. stdin is undefined if the system could not create a pipe.
    (child.stdin as Writable | undefined)?.on("error", () => undefined);
    await once(child, "spawn");
    const pid = child.pid as number;
    this.#readMessages(child);
    this.#readErrorOutput(child);
    child.on("error", (error) => this.onerror?.(error));
    child.on("exit", (code, signal) => {
      leaderExited(pid);
      const end = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      // The pipes may contain more output, also about the reason.
      void Promise.race([happened(child, "close"), wait(drainMs)]).then(() => this.#finish(end));
    });
  }

  /** Resolves when the message is written to the pipe. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin: Writable | null | undefined = this.#child?.stdin;
    if (!stdin?.writable || this.#end !== undefined) return Promise.reject(new Error(this.describeEnd()));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) => {
      if (error) void this.#explain(error).then(reject);
      else resolve();
    });
    return promise;
  }

  /** The reason why a message cannot be written: usually the server is ending, and its exit code and stderr say more than the failed write. */
  async #explain(error: Error): Promise<Error> {
    await Promise.race([this.#ended.promise, wait(endMs)]);
    return this.#end === undefined ? error : new Error(this.describeEnd());
  }

  /** Ends the server: first its stdin, then, after half a second, all its remaining processes. Resolves when they have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Describes how the connection ended, with the end of the server's stderr. */
  describeEnd(): string {
    return `the server ${this.#end ?? "is running"}`;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined) {
      child.stdin?.end();
      const hasExited = child.exitCode !== null || child.signalCode !== null;
      if (!hasExited) await Promise.race([happened(child, "exit"), wait(graceMs)]);
      await killTree({ groups: new Set([child.pid].filter(isOurGroup)), mark: this.#options.mark });
      forgetEndedGroup(child.pid);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    }
    this.#finish("was ended");
    this.#options.entered?.leave();
  }

  #finish(end: string): void {
    if (this.#end !== undefined) return;
    const output = this.#errorOutput.snapshot().text.trim();
    this.#end = output === "" ? end : `${end}. The end of its stderr:\n${output}\n`;
    this.#ended.resolve();
    this.onclose?.();
    // Also ends the processes that the server started.
    void this.close();
  }

  #readMessages({ stdout }: ChildProcess): void {
    const lines = new LineReader(maxMessageBytes);
    stdout?.on("data", (chunk: Buffer) => {
      try {
        for (const line of lines.read(chunk)) this.#take(line);
      } catch (error) {
        stdout.destroy();
        this.#finish(`sent an unreadable message: ${(error as Error).message}`);
      }
    });
    stdout?.on("end", () => void wait(drainMs).then(() => this.#finish("closed its output")));
    stdout?.on("error", (error) => this.onerror?.(error));
  }

  #take(line: string): void {
    const message = parseMessage(line);
    // Many servers log to stdout; their logs may explain the end of the connection.
    if (message) this.onmessage?.(message);
    else if (line.trim() !== "") this.#errorOutput.append(`${line.slice(0, keptErrorOutput.maxBytes)}\n`);
  }

  #readErrorOutput({ stderr }: ChildProcess): void {
    const decoder = new StringDecoder("utf8");
    const sanitizer = new OutputSanitizer();
    stderr?.on("data", (chunk: Buffer) => this.#errorOutput.append(sanitizer.write(decoder.write(chunk))));
    stderr?.on("error", (error) => this.onerror?.(error));
  }
}

function happened(child: ChildProcess, event: "exit" | "close"): Promise<void> {
  return new Promise((resolve) => child.once(event, () => resolve()));
}

/** Waits with a timer that does not keep this process alive. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value = JSON.parse(line);
    return value.jsonrpc === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}
