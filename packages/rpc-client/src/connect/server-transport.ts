import { AgentProcessError } from "../errors.ts";
import { protocolVersion, wrongVersion } from "../handshake.ts";
import type { SessionState } from "../protocol-types.ts";
import { type SentRecord, type Transport, type TransportHandlers, toRecord } from "../transport.ts";
import { backoff } from "./backoff.ts";
import { ConnectFailure } from "./failure.ts";
import { OpenCommands } from "./open-commands.ts";
import { OpenQuestions } from "./open-questions.ts";
import type { SessionServer } from "./session-server.ts";
import type { OpenSocket, Socket, SocketTarget } from "./socket.ts";

/** Milliseconds between two pings. */
const pingMs = 15_000;
/** Milliseconds without a sign of life after which a connection is given up. */
const silenceMs = 45_000;
/** Milliseconds that the server may take to close its side. */
const closeGraceMs = 2_000;
/** The longest pause that a server can ask for, in milliseconds. */
const maxRetryAfterMs = 60_000;

/** Frames that get no response. */
const answerTypes: ReadonlySet<string> = new Set([
  ...["extension_ui_response", "host_tool_result", "host_tool_update"],
  ...["host_model_event", "host_model_result", "host_model_error"],
]);

export interface ServerTransportOptions {
  openSocket: OpenSocket;
  /** Returns the address for the next connection. @param since - The position of the latest frame, `epoch:seq`. */
  findTarget: (since: string | undefined) => Promise<SocketTarget>;
  /** The server that has the session. */
  server: SessionServer;
  reconnectDelayMs: number;
  maxReconnects: number;
  /** Called at each connection with the id of the session, which commands of other clients may have changed. */
  onSession: (sessionId: string) => void;
  /** Called once, with the state of the session, when the first connection is made. Later frames are held until `release` is called. */
  onOpen: (state: SessionState) => void;
}

/** The place of a frame. */
interface Position {
  epoch: string;
  seq: number;
}

type Frame = Record<string, unknown>;

/**
 * Carries the frames of a session of a server, over one WebSocket after another. Each frame is handed over once and in order: frames that came
 * before are dropped, and after a missing one the connection is made again. Commands without a response are sent again.
 */
export class ServerTransport implements Transport {
  readonly #options: ServerTransportOptions;
  readonly #handlers: TransportHandlers;
  readonly #commands = new OpenCommands();
  readonly #questions = new OpenQuestions();
  readonly #closed = Promise.withResolvers<void>();
  #socket: Socket | undefined;
  /** Whether the server takes commands over the current socket, and knows those of earlier ones. */
  #isReady = false;
  #isReading = true;
  /** The position of the latest frame. */
  #position: Position | undefined;
  /** The frames that wait for `release`. */
  #held: { frame: Frame; text: string }[] | undefined = [];
  /** Failed attempts in a row. */
  #failures = 0;
  #lastFailure: ConnectFailure | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #lastSignMs = 0;
  #stopping: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ServerTransportOptions, handlers: TransportHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    this.#connect();
  }

  /** The reason why the latest attempt has failed. */
  get lastFailure(): ConnectFailure | undefined {
    return this.#lastFailure;
  }

  write(line: string, record: SentRecord): void {
    const text = line.trimEnd();
    const isAnswer = answerTypes.has(record.type);
    if (isAnswer) this.#questions.answer(record, text);
    else this.#commands.add(record.id, record.type, text);
    if (!this.#isReady) return;
    if (isAnswer) this.#send(text);
    else this.#commands.sendOne(record.id, this.#send);
  }

  forget(id: string): void {
    this.#commands.delete(id);
  }

  setReading(isReading: boolean): void {
    this.#isReading = isReading;
    this.#lastSignMs = performance.now();
    if (this.#held === undefined) this.#socket?.setReading(isReading);
  }

  /** Hands over what has come since the first connection was made, and from now on everything at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { frame, text } of held) this.#handlers.onRecord(frame, text);
    this.#socket?.setReading(this.#isReading);
  }

  /** Closes the dialogs and calls that have ended during a gap in the frames. Called when the server has repeated those that are open. */
  closeEndedQuestions(): void {
    for (const frame of this.#questions.takeUnconfirmed()) this.#handOver(frame, JSON.stringify(frame));
  }

  /** Closes the connection, after everything that was written, and makes no other. The session lives on. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Ends the connection at once. */
  end(reason: AgentProcessError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#drop();
    clearTimeout(this.#timer);
    this.#closed.resolve();
    this.#handlers.onClose(reason);
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer);
    const grace = setTimeout(() => this.#closed.resolve(), closeGraceMs);
    if (this.#socket === undefined) this.#closed.resolve();
    else this.#socket.close();
    await this.#closed.promise;
    clearTimeout(grace);
    this.end(new AgentProcessError("stopped", "The connection to the server was closed."));
  }

  readonly #send = (text: string): void => this.#socket?.send(text);

  #connect(): void {
    const { findTarget, openSocket } = this.#options;
    const since = this.#position && `${this.#position.epoch}:${this.#position.seq}`;
    findTarget(since).then(
      (target) => {
        if (this.#isClosed || this.#stopping !== undefined) return;
        this.#open(openSocket, target);
      },
      (cause: unknown) => this.#fail(new ConnectFailure(`No token for the connection: ${(cause as Error).message}`, { cause })),
    );
  }

  #open(openSocket: OpenSocket, target: SocketTarget): void {
    const onSignOfLife = () => {
      this.#lastSignMs = performance.now();
    };
    onSignOfLife();
    const socket: Socket = openSocket(target, {
      onSignOfLife,
      onText: (text) => {
        if (this.#socket !== socket || this.#stopping !== undefined) return;
        onSignOfLife();
        this.#onText(text);
      },
      onClose: (failure) => {
        if (this.#socket !== socket) return;
        if (this.#stopping === undefined) this.#fail(failure);
        else this.#closed.resolve();
      },
    });
    this.#socket = socket;
    socket.setReading(this.#isReading && (this.#held === undefined || this.#position === undefined));
    this.#watch = setInterval(() => this.#checkLife(), pingMs);
    this.#watch.unref();
  }

  /** Drops the socket. */
  #drop(): void {
    clearInterval(this.#watch);
    this.#isReady = false;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }

  /** Handles the end of a connection, or an attempt that failed: makes another one, unless that is useless. */
  #fail(failure: ConnectFailure): void {
    this.#drop();
    if (this.#isClosed || this.#stopping !== undefined) return;
    this.#lastFailure = failure;
    const { server, maxReconnects, reconnectDelayMs } = this.#options;
    if (server.follow(failure)) {
      this.#connect();
      return;
    }
    this.#failures += 1;
    const isFirst = this.#position === undefined;
    // A server that another one has named may have died a moment ago.
    const isGone = server.leave() && failure.status === undefined;
    if (!isGone && (isFirst ? failure.isFinalAtStart : failure.isFinal)) {
      this.end(toError(failure));
    } else if (!isFirst && this.#failures > maxReconnects) {
      const text = `The server was not reached again after ${maxReconnects} attempts: ${failure.message}`;
      this.end(new AgentProcessError("gave_up", text, { cause: failure }));
    } else {
      const delayMs = Math.max(backoff(this.#failures, reconnectDelayMs), Math.min(failure.retryAfterMs, maxRetryAfterMs));
      this.#timer = setTimeout(() => this.#connect(), delayMs);
    }
  }

  #checkLife(): void {
    // Signs of life are not read during a pause.
    if (!this.#isReading || this.#held !== undefined) this.#lastSignMs = performance.now();
    if (performance.now() - this.#lastSignMs > silenceMs) {
      this.#fail(new ConnectFailure(`The server gave no sign of life for ${silenceMs} ms.`, {}));
    } else this.#socket?.ping();
  }

  #onText(text: string): void {
    const frame = toRecord(text);
    if (frame?.type === "ready") this.#onReady(frame);
    else if (frame?.type === "resync") this.#onResync(frame, text);
    else if (frame?.type === "response") this.#onResponse(frame, text);
    else if (frame?.again === true) this.#onRepeatedQuestion(frame, text);
    else if (typeof frame?.seq === "number") this.#onNumbered(frame, text, frame.seq);
    else this.#handOver(frame, text);
  }

  #onReady({ protocolVersion: version, version: release, sessionId, epoch }: Frame): void {
    if (typeof sessionId === "string") this.#options.onSession(sessionId);
    if (version !== protocolVersion) this.end(wrongVersion("server", { version, release }));
    // In another epoch, a resync follows.
    else if (epoch === this.#position?.epoch) this.#becomeReady();
  }

  #becomeReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.server.reached();
    this.#commands.sendAll(this.#send);
  }

  #onResync(frame: Frame, text: string): void {
    const { epoch, seq, state } = frame as unknown as Position & { state: SessionState };
    const before = this.#position;
    this.#position = { epoch, seq };
    this.#failures = 0;
    if (before === undefined) this.#socket?.setReading(false);
    else if (before.epoch === epoch) this.#questions.unconfirm();
    else this.#questions.clear();
    this.#handOver(frame, text);
    if (before !== undefined && before.epoch !== epoch) this.#reportLost();
    this.#becomeReady();
    if (before === undefined) this.#options.onOpen(state);
  }

  #reportLost(): void {
    for (const { id, command, error } of this.#commands.takeLost()) {
      const response = { type: "response", id, command, success: true };
      if (error === undefined) this.#handOver(response, JSON.stringify(response));
      else this.#handlers.onLost(id, error);
    }
  }

  #onResponse(frame: Frame, text: string): void {
    this.#failures = 0;
    this.#commands.delete(String(frame.id));
    this.#handOver(frame, text);
  }

  #onRepeatedQuestion(frame: Frame, text: string): void {
    if (this.#questions.isNew(frame, this.#send)) this.#handOver(frame, text);
  }

  #onNumbered(frame: Frame, text: string, seq: number): void {
    const position = this.#position;
    if (position === undefined || frame.epoch !== position.epoch || seq > position.seq + 1) {
      const text = `The server sent frame ${frame.epoch}:${seq} after frame ${position?.epoch}:${position?.seq}.`;
      this.#fail(new ConnectFailure(text, {}));
      return;
    }
    if (seq <= position.seq) return;
    position.seq = seq;
    this.#failures = 0;
    this.#questions.note(frame);
    this.#handOver(frame, text);
  }

  #handOver(frame: Frame | undefined, text: string): void {
    if (this.#held === undefined || frame === undefined) this.#handlers.onRecord(frame, text);
    else this.#held.push({ frame, text });
  }
}

/** The error for an attempt that is the last one. */
export function toError(failure: ConnectFailure): AgentProcessError {
  const isRefusal = failure.status !== undefined && failure.status >= 400;
  return new AgentProcessError(isRefusal ? "refused" : "start_failed", failure.message, { cause: failure });
}
