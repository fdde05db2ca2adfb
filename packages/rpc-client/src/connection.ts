import { AgentProcess, type AgentProcessOptions } from "./agent-process.ts";
import { type AgentProcessError, RpcProtocolError } from "./errors.ts";
import { PendingRequests, type RequestOptions } from "./pending-requests.ts";
import { encodeLine, maxLineLength } from "./protocol.ts";
import type { RpcEvent } from "./protocol-types.ts";
import { SnapshotRebuilder } from "./snapshots.ts";

/** None of these may throw. */
export interface ConnectionHandlers {
  onEvent: (event: RpcEvent) => void;
  /** A line that is no record of the protocol, or answers nothing that is open. */
  onNoise: (line: string) => void;
  /** Called once, after every open request was rejected with `reason`. */
  onClose: (reason: AgentProcessError) => void;
}

/** One life of an agent: its process, what it was asked, and what it tells. */
export class Connection {
  readonly #process: AgentProcess;
  readonly #handlers: ConnectionHandlers;
  readonly #requests = new PendingRequests();
  readonly #snapshots: SnapshotRebuilder;

  /** @throws {AgentProcessError} When no process can be started with these options. */
  constructor(options: AgentProcessOptions, handlers: ConnectionHandlers) {
    this.#handlers = handlers;
    this.#snapshots = new SnapshotRebuilder(handlers.onEvent);
    this.#process = new AgentProcess(options, {
      onLine: (line) => this.#onLine(line),
      onTooLong: () => this.#onTooLong(),
      onClose: (reason) => {
        this.#requests.rejectAll(reason);
        handlers.onClose(reason);
      },
    });
  }

  get stderrTail(): string {
    return this.#process.stderrTail;
  }

  /** To be set as soon as the agent has said how it streams. */
  set isDeltas(isDeltas: boolean) {
    this.#snapshots.isDeltas = isDeltas;
  }

  /**
   * Sends a command and waits for its answer.
   *
   * @param id - Never used before with this process.
   * @throws {RpcError}
   */
  async request(id: string, command: string, params: object, options: RequestOptions): Promise<unknown> {
    const line = encodeLine({ ...params, id, type: command });
    if (line.length > maxLineLength) {
      const text = `The command "${command}" is ${line.length} characters long, but an agent reads at most ${maxLineLength}; send less at once.`;
      throw new RpcProtocolError("too_long", text);
    }
    const answer = this.#requests.add(id, command, options);
    this.#process.write(line);
    return await answer;
  }

  /** @returns when the process is gone. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** Ends the process at once, for `reason`. @returns when it is gone. */
  kill(reason: AgentProcessError): Promise<void> {
    return this.#process.kill(reason);
  }

  #onLine(line: string): void {
    try {
      const record = JSON.parse(line) as unknown;
      if (isRecord(record) && this.#read(record)) return;
    } catch {
      // Not JSON, or not what its type promises: told below.
    }
    this.#handlers.onNoise(line);
  }

  #read(record: Record<string, unknown>): boolean {
    if (record.type === "response") return this.#requests.settle(record);
    if (typeof record.type !== "string") return false;
    this.#snapshots.read(record as unknown as RpcEvent);
    return true;
  }

  /** Whose answer was dropped cannot be known, and nobody shall wait for it for ever. */
  #onTooLong(): void {
    this.#requests.rejectAll(
      new RpcProtocolError("too_long", "The agent sent a record that is too long to be read; it was skipped."),
    );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
