import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { isTooDeep, maxNesting } from "@pikit/ai";
import type { WebSocket } from "ws";
import type { StreamMode } from "../../../protocol/data.ts";
import type { RpcResponse } from "../../../protocol/frames.ts";
import { isLong } from "../../../protocol/json-pieces.ts";
import { encodeLine } from "../../../protocol/jsonl.ts";
import type { LinePiece } from "../../../protocol/line-pieces.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { RecordWriter } from "../../record-writer.ts";
import type { RpcOutput, RpcPeer } from "../../rpc-session/peer.ts";
import { isClientFrame, parseRecord, RpcServer } from "../../rpc-session/server.ts";
import { Activity } from "./activity.ts";
import { type Answer, CommandLog, KeyReusedError, TooManyCommandsError } from "./command-log.ts";
import { EventStream } from "./event-stream.ts";
import { FrameRing } from "./frame-ring.ts";
import { SocketStream } from "./socket-stream.ts";
import { type WatchedSession, Watcher, type WatcherSink, type WatchOptions } from "./watcher.ts";
import { beginsWork, endingReason, onlyReads } from "./work-commands.ts";

export interface LiveSessionOptions {
  /** Characters of the latest frames that are kept for clients that come back. */
  replayBytes: number;
}

/** The sender of a message over a socket. */
interface SocketClient {
  peer: RpcPeer;
  clientId: string | undefined;
  onAnswer: (answer: Answer) => void;
}

/** The response to a command. */
export interface CommandOutcome {
  /** The JSON of the response, or the response itself if it is long and does not change; undefined for a frame of a client. */
  response: string | object | undefined;
  /** The position of the frame after which the response comes, `epoch:seq`. */
  position: string;
}

/**
 * One session in the memory of the server. It runs the commands of its clients, numbers the frames, keeps the latest of them, and serves any
 * number of watchers, who come and go without any effect on its work.
 */
export class LiveSession implements WatchedSession {
  readonly session: AgentSession;
  readonly ring: FrameRing;
  /** Called when `isIdle` or the session's id may have changed. */
  onChange: (() => void) | undefined;
  readonly #server: RpcServer;
  readonly #writer: RecordWriter;
  readonly #activity = new Activity();
  readonly #commands = new CommandLog();
  readonly #watchers = new Set<Watcher>();
  /** The numbers of the frames of questions. */
  readonly #numbers = new WeakMap<object, number>();
  #takesWork = true;
  #disposal: Promise<void> | undefined;

  /** Serves and starts the session, which was created with `autoStart: false`. */
  constructor(session: AgentSession, { replayBytes }: LiveSessionOptions) {
    this.session = session;
    this.ring = new FrameRing(randomBytes(6).toString("base64url"), replayBytes);
    this.#writer = new RecordWriter({ write: (pieces) => this.#onLines(pieces) }, "deltas");
    session.subscribe((event) => this.#activity.onEvent(event));
    this.#server = new RpcServer(session, this.#output);
    session.subscribe((event) => {
      if (event.type === "agent_settled" || event.type === "compaction_end") this.#changed();
    });
  }

  /** Names this life of the session in the memory of the server. */
  get epoch(): string {
    return this.ring.epoch;
  }

  get sessionId(): string {
    return this.session.sessionId;
  }

  /** The position of the latest frame, `epoch:seq`. */
  get position(): string {
    this.#writer.writeNow();
    return `${this.epoch}:${this.ring.last}`;
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  /** The number of dialogs, and of calls of host tools and host models, that wait for an answer. */
  get openQuestionCount(): number {
    return this.#server.openQuestions().length;
  }

  /** Whether the server may close it: it has no watchers, runs nothing, and no command or question waits. */
  get isIdle(): boolean {
    const { session } = this;
    if (this.#watchers.size > 0 || this.#commands.openCount > 0 || this.openQuestionCount > 0) return false;
    return !session.isStreaming && !session.compaction.isCompacting;
  }

  /**
   * Runs an RPC command, or takes a frame of a client.
   *
   * @param key - An idempotency key: a command with the same key runs once, and gets the same response each time.
   * @throws {KeyReusedError} When the key was used with another command.
   * @throws {TooManyCommandsError}
   */
  command(record: Record<string, unknown>, { key }: { key?: string | undefined } = {}): Promise<CommandOutcome> {
    if (isClientFrame(record)) {
      this.#server.handleRecord(record, postPeer);
      return Promise.resolve({ response: undefined, position: this.position });
    }
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#run(record, key === undefined ? undefined : `key ${key}`, postPeer, resolve);
    return promise.then((answer) => ({
      response: "json" in answer ? answer.json : answer.record,
      position: `${this.epoch}:${answer.after}`,
    }));
  }

  /** Refuses new work from now on, because the server is ending. Active work continues, and may still be watched, answered and aborted. */
  takeNoWork(): void {
    this.#takesWork = false;
  }

  /** Streams the frames as server-sent events until the client leaves or the session ends. */
  streamEvents(response: ServerResponse, options: WatchOptions): void {
    this.#watch(options, (onClose) => new EventStream(response, this.epoch, onClose));
  }

  /** Speaks RPC over an accepted WebSocket until the client leaves or the session ends. */
  serveSocket(socket: WebSocket, options: WatchOptions & { clientId: string | undefined }): void {
    const watcher = this.#watch(options, (onClose) => new SocketStream(socket, onClose));
    const peer: RpcPeer = {
      get mode() {
        return watcher.mode;
      },
      set mode(mode) {
        watcher.mode = mode;
      },
      clientId: options.clientId,
      send: (response) => watcher.send(this.#toAnswer(response)),
    };
    socket.on("close", () => this.#server.leave(peer));
    socket.on("message", (data, isBinary) => {
      if (isBinary) socket.close(1003, "Send text: one JSON object a message.");
      else this.#onMessage(String(data), { peer, clientId: options.clientId, onAnswer: (answer) => watcher.send(answer) });
    });
  }

  /**
   * Aborts what runs, closes the open questions with their defaults, and disposes of the session, so that everything is stored. The watchers
   * get the last frames; then their connections end.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  /** The fields of a `resync` that describe the session. */
  describe(streamMode: StreamMode): object {
    const { message, running } = this.#activity;
    return { state: { ...this.session.state(), streamMode }, ...(message && { message }), running };
  }

  openQuestions(): { frame: object; seq: number }[] {
    return this.#server.openQuestions().map((frame) => ({ frame, seq: this.#numbers.get(frame) ?? 0 }));
  }

  readonly #output: RpcOutput = {
    sendEvent: (event) => this.#writer.sendEvent(event),
    sendBashUpdate: (update) => this.#writer.sendBashUpdate(update),
    sendAnswered: (frame) => this.#output.send(frame),
    send: (frame) => {
      this.#writer.writeNow();
      this.#numbers.set(frame, this.ring.append(encodeLine(frame).trimEnd()));
      this.#pump();
      this.#changed();
    },
  };

  /** Numbers the lines that the writer has encoded. In deltas mode its pieces are texts. */
  #onLines(pieces: readonly LinePiece[]): undefined {
    for (const line of pieces.join("").split("\n")) if (line !== "") this.ring.append(line);
    this.#pump();
  }

  #pump(): void {
    for (const watcher of this.#watchers) watcher.pump();
    this.ring.trim();
  }

  #changed(): void {
    this.onChange?.();
  }

  #watch(options: WatchOptions, open: (onClose: () => void) => WatcherSink): Watcher {
    const sink = open(() => {
      this.#watchers.delete(watcher);
      this.#changed();
    });
    const watcher: Watcher = new Watcher(this, sink, options);
    // The frames that wait in the writer come before the beginning of the connection.
    this.#writer.writeNow();
    this.#watchers.add(watcher);
    watcher.begin(options.since);
    if (this.#disposal !== undefined) watcher.end();
    this.#changed();
    return watcher;
  }

  #onMessage(text: string, { peer, clientId, onAnswer }: SocketClient): void {
    const record = parseRecord(text);
    if (typeof record === "string" || isTooDeep(record)) {
      const reason = typeof record === "string" ? record : `it is nested more than ${maxNesting} levels deep`;
      this.#server.refuseLine(reason, peer);
      return;
    }
    if (isClientFrame(record)) {
      this.#server.handleRecord(record, peer);
      return;
    }
    const key = clientId === undefined || record.id === undefined ? undefined : `client ${clientId} ${JSON.stringify(record.id)}`;
    try {
      this.#run(record, key, peer, onAnswer);
    } catch (error) {
      if (!(error instanceof KeyReusedError || error instanceof TooManyCommandsError)) throw error;
      peer.send(refusal(record, error.message));
    }
  }

  #run(record: Record<string, unknown>, key: string | undefined, peer: RpcPeer, onAnswer: (answer: Answer) => void): void {
    this.#commands.run(
      key,
      record,
      (onAnswered) => {
        if (!this.#takesWork && beginsWork(record)) {
          onAnswered(this.#toAnswer(refusal(record, endingReason)));
          return;
        }
        const once: RpcPeer = {
          get mode() {
            return peer.mode;
          },
          set mode(mode) {
            peer.mode = mode;
          },
          // An error event that accompanies a refused command is for clients that read no responses; they send no keys.
          send: (response) => {
            const isResponse = (response as { type?: unknown }).type === "response";
            if (isResponse) onAnswered(onlyReads(record) ? this.#toAnswerOfAnyLength(response) : this.#toAnswer(response));
            else peer.send(response);
          },
        };
        this.#server.handleRecord(record, once);
      },
      (answer) => {
        onAnswer(answer);
        this.#changed();
      },
    );
  }

  /** The response with its place among the frames. */
  #toAnswer(response: object): Answer {
    this.#writer.writeNow();
    return { json: encodeLine(response).trimEnd(), after: this.ring.last };
  }

  /** The same for a command that only reads: a long response stays an object. */
  #toAnswerOfAnyLength(response: object): Answer {
    if (!isLong(response)) return this.#toAnswer(response);
    this.#writer.writeNow();
    return { record: response, after: this.ring.last };
  }

  async #dispose(): Promise<void> {
    this.#server.endInput();
    await this.session.abort();
    await this.#server.drainLane();
    await this.session.dispose();
    await this.#server.settle();
    this.#writer.writeNow();
    for (const watcher of this.#watchers) watcher.end();
  }
}

function refusal({ id, type }: Record<string, unknown>, error: string): RpcResponse {
  return { ...(id === undefined ? {} : { id }), type: "response", command: String(type), success: false, error };
}

/** The sender of a command or frame over POST. */
const postPeer: RpcPeer = {
  get mode(): StreamMode {
    return "deltas";
  },
  set mode(_mode) {
    throw new Error('set_stream_mode has no effect here: it is for sockets. Use the parameter "stream" of the events.');
  },
  send: () => undefined,
};
