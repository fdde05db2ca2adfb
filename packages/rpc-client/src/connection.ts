import { callSafely } from "./call-safely.ts";
import { type AgentProcessError, RpcProtocolError } from "./errors.ts";
import { PendingRequests, type RequestOptions } from "./pending-requests.ts";
import { encodeLine, maxLineLength } from "./protocol.ts";
import type { ResyncEvent, RpcEvent } from "./protocol-types.ts";
import { SnapshotRebuilder } from "./snapshots.ts";
import { isRecord, type SentRecord, type Transport, type TransportHandlers } from "./transport.ts";

/** A record that is neither a response nor an event, by its `type`. */
export interface IncomingFrame extends Record<string, unknown> {
  type:
    | "extension_ui_request"
    | "extension_ui_response"
    | "host_tool_call"
    | "host_tool_cancel"
    | "host_model_call"
    | "host_model_cancel";
}

export interface ConnectionHandlers {
  onEvent: (event: RpcEvent) => void;
  /** May throw for a frame without the required fields of its type; the frame is then noise. */
  onFrame: (frame: IncomingFrame) => void;
  /** Called for a line that is not a record of the protocol, or a response without an open request. */
  onNoise: (line: string) => void;
  /** Called once, after every open request was rejected with `reason`. */
  onClose: (reason: AgentProcessError) => void;
}

/** Receives the output of a shell command while it runs. */
export type OutputListener = (delta: string) => void;

/**
 * Records that the client does not need: `ready`, because an agent counts as ready after its first response, and what other clients wait for
 * in the place of `agent_settled`.
 */
const ignoredTypes: ReadonlySet<string> = new Set(["ready", "prompt_result", "session_settled"]);

const frameTypes: ReadonlySet<string> = new Set<IncomingFrame["type"]>([
  "extension_ui_request",
  "extension_ui_response",
  "host_tool_call",
  "host_tool_cancel",
  "host_model_call",
  "host_model_cancel",
]);

/** The connection to one agent: its open requests and its events. */
export class Connection<T extends Transport = Transport> {
  readonly transport: T;
  readonly #handlers: ConnectionHandlers;
  readonly #requests = new PendingRequests();
  readonly #snapshots: SnapshotRebuilder;
  readonly #outputListeners = new Map<unknown, OutputListener>();

  /** @param open - Opens the transport; what it throws is thrown. It calls its handlers later. */
  constructor(open: (handlers: TransportHandlers) => T, handlers: ConnectionHandlers) {
    this.#handlers = handlers;
    this.#snapshots = new SnapshotRebuilder(handlers.onEvent);
    this.transport = open({
      onRecord: (record, line) => this.#onRecord(record, line),
      onTooLong: () => this.#onTooLong(),
      onLost: (id, reason) => this.#requests.reject(id, reason),
      onClose: (reason) => {
        this.#requests.rejectAll(reason);
        handlers.onClose(reason);
      },
    });
  }

  /**
   * Sends a command and waits for its response.
   *
   * @param id - Must be unique for this agent.
   * @throws {RpcError}
   */
  async request(id: string, command: string, params: object, options: RequestOptions): Promise<unknown> {
    const line = encodeLine({ ...params, id, type: command });
    this.#checkLength(line, `The command "${command}"`);
    const onAnswer = (data: unknown, after: number) => {
      this.#noteStreamMode(command, data);
      options.onAnswer?.(data, after);
    };
    const answer = this.#requests.add(id, command, { ...options, onAnswer });
    this.transport.write(line, { type: command, id });
    try {
      return await answer;
    } finally {
      this.transport.forget?.(id);
    }
  }

  /** Calls `listener` with the output of the command with this id until `work` has ended. */
  async listenToOutput<T>(id: string, listener: OutputListener, work: () => Promise<T>): Promise<T> {
    this.#outputListeners.set(id, listener);
    try {
      return await work();
    } finally {
      this.#outputListeners.delete(id);
    }
  }

  /** Sends a record that has no response. @throws {RpcProtocolError} `too_long`. */
  sendFrame(frame: SentRecord): void {
    const line = encodeLine(frame);
    this.#checkLength(line, "A record");
    this.transport.write(line, frame);
  }

  /** Pauses or resumes the reading of the agent's output. */
  setReading(isReading: boolean): void {
    this.transport.setReading(isReading);
  }

  #checkLength(line: string, what: string): void {
    if (line.length <= maxLineLength) return;
    const text = `${what} is ${line.length} characters long, but an agent reads at most ${maxLineLength}; send less at once.`;
    throw new RpcProtocolError("too_long", text);
  }

  /** Runs in order with the other records, because the mode applies to the records after it. */
  #noteStreamMode(command: string, data: unknown): void {
    if (!isRecord(data)) return;
    const mode = command === "set_stream_mode" ? data.mode : command === "get_state" ? data.streamMode : undefined;
    if (mode !== undefined) this.#snapshots.isDeltas = mode === "deltas";
  }

  #onRecord(record: Record<string, unknown> | undefined, line: string): void {
    try {
      if (record !== undefined && this.#read(record)) return;
    } catch {
      // A record without the required fields: noise.
    }
    this.#handlers.onNoise(line);
  }

  #read(record: Record<string, unknown>): boolean {
    const { type } = record;
    if (type === "response") return this.#requests.settle(record);
    if (typeof type !== "string") return false;
    if (frameTypes.has(type)) this.#handlers.onFrame(record as IncomingFrame);
    else if (type === "resync") this.#resync(record as unknown as ResyncEvent);
    else if (type === "bash_execution_update") this.#onOutput(record);
    else if (!ignoredTypes.has(type)) this.#snapshots.read(record as unknown as RpcEvent);
    return true;
  }

  #resync(event: ResyncEvent): void {
    this.#noteStreamMode("get_state", event.state);
    this.#snapshots.read(event);
  }

  #onOutput({ id, delta }: Record<string, unknown>): void {
    const listener = this.#outputListeners.get(id);
    if (listener !== undefined) callSafely(() => listener(String(delta)));
  }

  /** The skipped record may be the response to any open request, so all of them are rejected. */
  #onTooLong(): void {
    this.#requests.rejectAll(
      new RpcProtocolError("too_long", "The agent sent a record that is too long to be read; it was skipped."),
    );
  }
}
