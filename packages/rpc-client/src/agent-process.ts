import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { AgentProcessError } from "./errors.ts";
import type { CliCommand } from "./find-cli.ts";
import { LineDecoder } from "./protocol.ts";
import { TextTail } from "./text-tail.ts";
import { type Transport, type TransportHandlers, toRecord } from "./transport.ts";

/** Maximum characters of stderr in `stderrTail`. */
const stderrTailLength = 16_384;
/** Maximum characters of stderr in an error message. */
const stderrInMessage = 2_000;
/** Milliseconds to read output after the end of the process, if a process outside its group keeps the pipes open. */
const lastReadMs = 1_000;

export interface AgentProcessOptions {
  command: CliCommand;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Milliseconds between the steps of `stop`. */
  stopGraceMs: number;
}

/**
 * One agent process, the leader of its own process group. However it ends (not found, crash, kill, closed pipes, `stop`), `onClose` is
 * called once, and no timer, listener or process remains.
 */
export class AgentProcess implements Transport {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: AgentProcessOptions;
  readonly #handlers: TransportHandlers;
  readonly #stderr = new TextTail(stderrTailLength);
  readonly #closed = Promise.withResolvers<AgentProcessError>();
  #closedBy: AgentProcessError | undefined;
  #isStopRequested = false;
  #killedBecause: (() => AgentProcessError) | undefined;
  #ending: Promise<void> | undefined;
  #lastRead: NodeJS.Timeout | undefined;
  /** Whether the process is ending. The rest of its output is then read without pauses, because `onClose` waits for it. */
  #isReadToEnd = false;

  /** @throws {AgentProcessError} `start_failed` when `spawn` rejects the options. */
  constructor(options: AgentProcessOptions, handlers: TransportHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    const { command, args, cwd, env } = options;
    try {
      this.#child = spawn(command.file, [...command.args, ...args], { cwd, env, stdio: "pipe", detached: true, windowsHide: true });
    } catch (cause) {
      throw new AgentProcessError("start_failed", `Cannot start ${command.file}: ${(cause as Error).message}`, { cause });
    }
    this.#listen(this.#child);
  }

  get stderrTail(): string {
    return this.#stderr.text;
  }

  /** Sends a line, or buffers it while the pipe is full. If the process is ending, the line is dropped without an error. */
  write(line: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(line);
  }

  /** Pauses or resumes the reading of stdout, for backpressure. A pause has no effect on an ending process. */
  setReading(isReading: boolean): void {
    if (isReading) this.#child.stdout.resume();
    else if (!this.#isReadToEnd) this.#child.stdout.pause();
  }

  /**
   * Ends the process: closes its stdin, sends SIGTERM after `stopGraceMs`, and SIGKILL to its group after another `stopGraceMs`. May be
   * called at any time and repeatedly. Resolves when the process is gone.
   */
  stop(): Promise<void> {
    this.#isStopRequested = true;
    return this.#end();
  }

  /**
   * Kills the process group at once.
   *
   * @param reason - Creates the error for `onClose`, after all output has been read.
   * @returns The error given to `onClose`, when the process is gone. If the process had already ended, the error of that end.
   */
  kill(reason: () => AgentProcessError): Promise<AgentProcessError> {
    this.#killedBecause ??= reason;
    this.#killGroup();
    return this.#closed.promise;
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const { onRecord, onTooLong } = this.#handlers;
    const lines = new LineDecoder({ onLine: (line) => onRecord(toRecord(line), line), onTooLong });
    child.stdout.on("data", (chunk: Uint8Array) => lines.push(chunk));
    child.stderr.on("data", (chunk: Uint8Array) => this.#stderr.push(chunk));
    // Without stdin or stdout the process is useless, so it is ended. EPIPE arrives here when it has just died.
    child.stdin.on("error", () => void this.#end());
    child.stdout.on("close", () => void this.#end());
    child.on("error", (error) => {
      // This event is also emitted for a signal that could not be sent. Only a process that never started has no pid.
      if (child.pid === undefined) this.#settle(this.#startError(error));
    });
    child.on("exit", () => {
      this.#readToEnd();
      // Remaining processes of its group would keep the pipes open.
      this.#killGroup();
      this.#lastRead = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, lastReadMs);
    });
    child.on("close", (exitCode, signal) => {
      lines.end();
      this.#settle(this.#killedBecause?.() ?? this.#exitError(exitCode, signal));
    });
  }

  #settle(reason: AgentProcessError): void {
    if (this.#closedBy !== undefined) return;
    this.#closedBy = reason;
    clearTimeout(this.#lastRead);
    this.#closed.resolve(reason);
    this.#handlers.onClose(reason);
  }

  #readToEnd(): void {
    this.#isReadToEnd = true;
    this.#child.stdout.resume();
  }

  #end(): Promise<void> {
    this.#readToEnd();
    this.#ending ??= this.#descendLadder();
    return this.#ending;
  }

  async #descendLadder(): Promise<void> {
    this.#child.stdin.end();
    if (await this.#closesWithinGrace()) return;
    this.#child.kill("SIGTERM");
    if (await this.#closesWithinGrace()) return;
    this.#killGroup();
    await this.#closed.promise;
  }

  async #closesWithinGrace(): Promise<boolean> {
    const { promise: graceEnd, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, this.#options.stopGraceMs, false);
    const isClosed = await Promise.race([this.#closed.promise.then(() => true), graceEnd]);
    clearTimeout(timer);
    return isClosed;
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The group is empty, or the system has no process groups (Windows): end the child itself.
      if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    }
  }

  #startError(cause: Error): AgentProcessError {
    const { command, cwd } = this.#options;
    // The system's error names the program even if the working folder is missing.
    if (!existsSync(cwd)) {
      return new AgentProcessError("not_found", `Cannot start the agent: the working folder ${cwd} does not exist.`, { cause });
    }
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const text = isMissing ? "it was not found; correct runtime or cliPath." : `${cause.message}.`;
    return new AgentProcessError(isMissing ? "not_found" : "start_failed", `Cannot start ${command.file}: ${text}`, { cause });
  }

  #exitError(exitCode: number | null, signal: string | null): AgentProcessError {
    const details = { exitCode, signal, stderrTail: this.stderrTail };
    if (this.#isStopRequested) return new AgentProcessError("stopped", "The agent was stopped.", details);
    const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
    return new AgentProcessError("exited", `The agent ended unexpectedly ${how}${quoteStderr(details.stderrTail)}`, details);
  }
}

/** The end of an error message with the last stderr output of the process. */
export function quoteStderr(tail: string): string {
  const text = tail.trim().slice(-stderrInMessage);
  return text === "" ? ", and wrote nothing to stderr." : `; the end of its stderr: ${text}`;
}
