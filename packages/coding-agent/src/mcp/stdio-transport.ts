import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { markEnvironment } from "../exec/command-mark.ts";
import { killTree } from "../exec/kill-tree.ts";
import { OutputTail } from "../exec/output-tail.ts";
import { isOurGroup, leaderExited, trackGroup } from "../exec/running-groups.ts";
import { OutputSanitizer } from "../exec/sanitize-output.ts";
import { ensureWatchdog } from "../exec/watchdog.ts";
import { LineReader } from "./line-reader.ts";

/** One message: a screenshot of many megapixels fits. */
const maxMessageBytes = 64 * 1024 ** 2;
/** What is kept of stderr for error messages. */
const keptErrorOutput = { maxLines: 20, maxBytes: 4096 };
/** How long a server may take to end by itself when its stdin ends. */
const graceMs = 500;
/** How long output may still come after the exit while something that the server has started holds the pipe. */
const drainMs = 100;

export interface StdioTransportOptions {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** By what the server and everything it starts are known; see `exec/command-mark.ts`. */
  mark: string;
}

/**
 * A server that is a child of this process: a message a line, on its stdin and stdout. It has its own process group, which is killed when
 * the connection or this process ends, whatever that dies of.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  readonly #errorOutput = new OutputTail(keptErrorOutput);
  #child: ChildProcess | undefined;
  /** Why there is no connection any more. */
  #end: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { program, args, cwd, env, mark } = this.#options;
    // Before the server: what it starts is known by its mark from the first moment.
    ensureWatchdog();
    const child = spawn(program, args, { cwd, env: markEnvironment(env, mark), stdio: "pipe", detached: true });
    this.#child = child;
    if (child.pid !== undefined) trackGroup(child.pid);
    // EPIPE, when the server has gone: its exit says more. There is no pipe where the system could not make one.
    (child.stdin as Writable | undefined)?.on("error", () => undefined);
    await once(child, "spawn");
    const pid = child.pid as number;
    this.#readMessages(child);
    this.#readErrorOutput(child);
    child.on("error", (error) => this.onerror?.(error));
    child.on("exit", (code, signal) => {
      leaderExited(pid);
      const end = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      // The pipes may have more to say, also about why.
      void Promise.race([happened(child, "close"), wait(drainMs)]).then(() => this.#finish(end));
    });
  }

  /** Resolves when the server's pipe has taken the message. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin: Writable | null | undefined = this.#child?.stdin;
    if (!stdin?.writable || this.#end !== undefined) return Promise.reject(new Error(this.describeEnd()));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /** Ends the server: its stdin first, and after half a second everything that is left of it. Resolves when it is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** How the connection ended, and the end of what the server had written to stderr. */
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
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    }
    this.#finish("was ended");
  }

  #finish(end: string): void {
    if (this.#end !== undefined) return;
    const output = this.#errorOutput.snapshot().text.trim();
    this.#end = output === "" ? end : `${end}. The end of its stderr:\n${output}\n`;
    this.onclose?.();
    // What it has started goes with it.
    void this.close();
  }

  #readMessages({ stdout }: ChildProcess): void {
    const lines = new LineReader(maxMessageBytes);
    stdout?.on("data", (chunk: Buffer) => {
      try {
        for (const line of lines.read(chunk)) this.#take(line);
      } catch (error) {
        stdout.destroy();
        this.#finish(`sent what cannot be read: ${(error as Error).message}`);
      }
    });
    stdout?.on("end", () => void wait(drainMs).then(() => this.#finish("closed its output")));
    stdout?.on("error", (error) => this.onerror?.(error));
  }

  #take(line: string): void {
    const message = parseMessage(line);
    // Servers that log to stdout are common; what they say may explain an end.
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

/** The child itself keeps this process waiting, while there is any. */
function wait(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
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
