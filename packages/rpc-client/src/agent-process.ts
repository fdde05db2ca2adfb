import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { AgentProcessError } from "./errors.ts";
import type { CliCommand } from "./find-cli.ts";
import { LineDecoder } from "./protocol.ts";
import { TextTail } from "./text-tail.ts";

/** Characters of stderr that an error carries. */
const stderrTailLength = 16_384;
/** Characters of them that its message shows. */
const stderrInMessage = 2_000;
/** How long output is still read after the process ended, if something outside its group holds the pipes open. Milliseconds. */
const lastReadMs = 1_000;

export interface AgentProcessOptions {
  command: CliCommand;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** How long each step of `stop` waits before the next one, in milliseconds. */
  stopGraceMs: number;
}

export interface AgentProcessHandlers {
  /** A line of stdout that is not blank. */
  onLine: (line: string) => void;
  /** A line of stdout was too long to be read. */
  onTooLong: () => void;
  /** Called once, when the process is gone and all of its output was read. */
  onClose: (reason: AgentProcessError) => void;
}

/**
 * One agent process, leader of its own process group. However it ends (not found, crash, kill, closed pipes, `stop`), `onClose` tells
 * of it once, and neither timer nor listener nor process is left.
 */
export class AgentProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: AgentProcessOptions;
  readonly #handlers: AgentProcessHandlers;
  readonly #stderr = new TextTail(stderrTailLength);
  readonly #closed = Promise.withResolvers<AgentProcessError>();
  #closedBy: AgentProcessError | undefined;
  #isStopRequested = false;
  #killedBecause: (() => AgentProcessError) | undefined;
  #ending: Promise<void> | undefined;
  #lastRead: NodeJS.Timeout | undefined;
  /** The rest of its output is bounded, and its end is told only when all was read. */
  #isReadToEnd = false;

  /** @throws {AgentProcessError} `start_failed` for options that no process can be started with. */
  constructor(options: AgentProcessOptions, handlers: AgentProcessHandlers) {
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

  /** Sends a line; what the process cannot take yet waits. Lost without an error when the process is ending: `onClose` tells. */
  write(line: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(line);
  }

  /** Leaves its stdout unread for a while, so that it has to wait; to no effect once it is ending. */
  setReading(isReading: boolean): void {
    if (isReading) this.#child.stdout.resume();
    else if (!this.#isReadToEnd) this.#child.stdout.pause();
  }

  /**
   * Ends the process: closes its stdin, sends SIGTERM after the grace, SIGKILL to its group after another one. May be called at any time
   * and any number of times.
   *
   * @returns when the process is gone.
   */
  stop(): Promise<void> {
    this.#isStopRequested = true;
    return this.#end();
  }

  /**
   * Kills the group at once.
   *
   * @param reason - Makes what `onClose` gets, when all output was read.
   * @returns that, when the process is gone; what it ended of if it was gone before.
   */
  kill(reason: () => AgentProcessError): Promise<AgentProcessError> {
    this.#killedBecause ??= reason;
    this.#killGroup();
    return this.#closed.promise;
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const { onLine, onTooLong } = this.#handlers;
    const lines = new LineDecoder({ onLine, onTooLong });
    child.stdout.on("data", (chunk: Uint8Array) => lines.push(chunk));
    child.stderr.on("data", (chunk: Uint8Array) => this.#stderr.push(chunk));
    // A process that can no longer be asked, or no longer answer, is of no use. EPIPE arrives here when it has just died.
    child.stdin.on("error", () => void this.#end());
    child.stdout.on("close", () => void this.#end());
    child.on("error", (error) => {
      // Also emitted for a signal that could not be sent; only a process that never ran has no id.
      if (child.pid === undefined) this.#settle(this.#startError(error));
    });
    child.on("exit", () => {
      this.#readToEnd();
      // Whatever it left behind in its group would keep the pipes open.
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
      // Nobody is left in the group, or the system has no groups: then this is all there is to end.
      if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    }
  }

  #startError(cause: Error): AgentProcessError {
    const { command, cwd } = this.#options;
    // The system names the program also when it is the folder that does not exist.
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

/** The end of an error message: what the process wrote last. */
export function quoteStderr(tail: string): string {
  const text = tail.trim().slice(-stderrInMessage);
  return text === "" ? ", and wrote nothing to stderr." : `; the end of its stderr: ${text}`;
}
