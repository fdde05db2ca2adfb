import type { StreamMode } from "../../../protocol/data.ts";
import { countLength } from "../../../protocol/json-pieces.ts";
import { protocolVersion } from "../../../protocol/version.ts";
import { packageVersion } from "../../../version.ts";
import type { Answer } from "./command-log.ts";
import type { FrameRing } from "./frame-ring.ts";
import { SnapshotView } from "./snapshot-view.ts";

/** Characters that are written at a time. */
const batchLength = 256 * 1024;
/** Maximum characters of responses that wait for a client that does not read. */
const maxWaitingResponses = 64 * 1024 * 1024;

/** A frame on its way to a client. */
export interface SentFrame {
  json: string;
  /** The number of the frame, with which a client can come back; undefined for a response or a repeated question. */
  seq: number | undefined;
}

/** The way to one client. */
export interface WatcherSink {
  /** Whether it waits for the client to read. `onRoom` is called when it no longer does. */
  readonly isFull: boolean;
  onRoom: () => void;
  /** Writes frames in this order. */
  write(frames: readonly SentFrame[]): void;
  /**
   * Writes a long response in pieces, with nothing between them. Resolves when it is written or the connection is closed. Undefined for a client
   * that gets no responses.
   */
  writeLong?(response: object): Promise<void>;
  /** Ends the connection in order, after everything that was written. */
  end(): void;
  /** Ends the connection because the client does not keep up. */
  cut(reason: string): void;
}

/** The session of a watcher, as far as the watcher needs it. */
export interface WatchedSession {
  readonly ring: FrameRing;
  readonly sessionId: string;
  /** The fields of a `resync` that describe the session after its latest frame. */
  describe(mode: StreamMode): object;
  /** The questions without an answer and the numbers of their frames, the oldest first. */
  openQuestions(): { frame: object; seq: number }[];
}

export interface WatchOptions {
  /** How answers are streamed. */
  stream: StreamMode;
  /** The position that the client has, `epoch:seq`; undefined for a client that has nothing. */
  since: string | undefined;
}

/**
 * One client that watches a session. It has a position in the ring of frames and no queue of its own: a client that reads slowly costs no memory
 * and holds up no other. If the frames after its position are gone, it gets a `resync`.
 */
export class Watcher {
  readonly #session: WatchedSession;
  readonly #sink: WatcherSink;
  /** Responses that come after a frame which was not written yet. */
  #answers: { answer: Answer; length: number }[] = [];
  #answersLength = 0;
  /** Whether a long response is being written. Everything else comes after it. */
  #isWriting = false;
  /** The number of the latest frame that was written. */
  #seq = 0;
  #mode: StreamMode;
  /** The mode of the next answers. */
  #nextMode: StreamMode;
  #snapshots: SnapshotView | undefined;
  #isEnding = false;

  constructor(session: WatchedSession, sink: WatcherSink, { stream }: Pick<WatchOptions, "stream">) {
    this.#session = session;
    this.#sink = sink;
    this.#mode = stream;
    this.#nextMode = stream;
    sink.onRoom = () => this.pump();
  }

  get mode(): StreamMode {
    return this.#nextMode;
  }

  /** Takes effect with the next answer. */
  set mode(mode: StreamMode) {
    this.#nextMode = mode;
  }

  /** Begins the connection: `ready`, then what the client has missed, then the open questions. */
  begin(since: string | undefined): void {
    const { ring } = this.#session;
    const from = this.#findStart(since);
    const seq = typeof from === "number" ? from : ring.last;
    const { sessionId } = this.#session;
    const ready = { type: "ready", protocolVersion, version: packageVersion(), sessionId, epoch: ring.epoch, seq };
    this.#seq = seq;
    // Before a resync it is no position: a client that is cut off in between must get the resync again.
    this.#sink.write([{ json: JSON.stringify(ready), seq: typeof from === "number" ? seq : undefined }]);
    if (typeof from === "number") {
      this.#askAgain(seq);
      this.pump();
    } else this.#resync(from);
  }

  /** Writes the frames and responses that wait, as long as the client reads. */
  pump(): void {
    const { ring } = this.#session;
    while (!this.#sink.isFull && !this.#isWriting) {
      const answer = this.#answers[0]?.answer;
      if (answer && answer.after <= this.#seq) {
        this.#answersLength -= this.#answers.shift()?.length ?? 0;
        this.#writeAnswer(answer);
        continue;
      }
      if (this.#seq >= ring.last) break;
      if (!ring.holdsAfter(this.#seq)) {
        this.#resync("overrun");
        continue;
      }
      this.#writeFrames(Math.min(ring.last, answer?.after ?? ring.last));
    }
    if (this.#isEnding && !this.#isWriting && this.#seq >= ring.last && this.#answers.length === 0) this.#sink.end();
  }

  /** Sends a response, after the frames that come before it. */
  send(answer: Answer): void {
    const length = "json" in answer ? answer.json.length : countLength(answer.record, maxWaitingResponses);
    this.#answersLength += length;
    // One response may be longer than the limit.
    if (this.#answersLength > maxWaitingResponses && this.#answers.length > 0) {
      this.#sink.cut("The client does not read the responses to its commands.");
      return;
    }
    this.#answers.push({ answer, length });
    this.pump();
  }

  /** Ends the connection when the client has read everything. */
  end(): void {
    this.#isEnding = true;
    this.pump();
  }

  #writeAnswer(answer: Answer): void {
    if ("json" in answer) {
      this.#sink.write([{ json: withPlace(answer.json, answer.after), seq: undefined }]);
      return;
    }
    this.#isWriting = true;
    const written = this.#sink.writeLong?.({ ...answer.record, after: answer.after });
    written?.then(
      () => {
        this.#isWriting = false;
        this.pump();
      },
      // The client has got the beginning of the response.
      () => this.#sink.cut("The response cannot be written."),
    );
  }

  /** The number of the frame after which to begin, or the reason why the client cannot go on from its position. */
  #findStart(since: string | undefined): number | "start" | "epoch" | "overrun" {
    if (since === undefined) return "start";
    const { ring } = this.#session;
    const [epoch, seq] = readPosition(since);
    if (epoch !== ring.epoch || seq > ring.last) return "epoch";
    if (!ring.holdsAfter(seq)) return "overrun";
    if (this.#mode === "deltas") return seq;
    this.#snapshots = SnapshotView.at(ring, seq);
    return this.#snapshots ? seq : "overrun";
  }

  #resync(reason: "start" | "epoch" | "overrun"): void {
    const { ring } = this.#session;
    this.#mode = this.#nextMode;
    const description = this.#session.describe(this.#mode);
    const resync = { type: "resync", reason, epoch: ring.epoch, seq: ring.last, ...description };
    this.#seq = ring.last;
    this.#snapshots = this.#mode === "snapshots" ? new SnapshotView(description) : undefined;
    this.#sink.write([{ json: JSON.stringify(resync), seq: ring.last }]);
    this.#askAgain(ring.last);
  }

  /** Repeats the open questions whose frames the client has, or has missed. */
  #askAgain(until: number): void {
    const again = this.#session.openQuestions().filter(({ seq }) => seq <= until);
    if (again.length === 0) return;
    const { epoch } = this.#session.ring;
    this.#sink.write(
      again.map(({ frame, seq }) => ({ json: JSON.stringify({ ...frame, epoch, seq, again: true }), seq: undefined })),
    );
  }

  #writeFrames(until: number): void {
    const { ring } = this.#session;
    const first = this.#seq + 1;
    const frames = ring.between(this.#seq, until, batchLength);
    this.#seq += frames.length;
    const sent: SentFrame[] = [];
    for (const [index, json] of frames.entries()) {
      if (this.#nextMode !== this.#mode && startsAnswer(json)) this.#changeMode();
      const shown = this.#snapshots ? this.#snapshots.convert(json) : json;
      sent.push({ json: shown, seq: first + index });
    }
    this.#sink.write(sent);
  }

  #changeMode(): void {
    this.#mode = this.#nextMode;
    this.#snapshots = this.#mode === "snapshots" ? new SnapshotView({}) : undefined;
  }
}

/** A response with its place: when it is sent again over a later connection, frames that came after it may stand before it. */
function withPlace(json: string, after: number): string {
  return `${json.slice(0, -1)},"after":${after}}`;
}

/** Whether a frame is the beginning of an answer. */
function startsAnswer(json: string): boolean {
  return json.startsWith('{"type":"message_start","message":{"role":"assistant"');
}

/** The epoch and number of a position; an ill-formed one belongs to no epoch. */
function readPosition(position: string): [epoch: string, seq: number] {
  const colon = position.lastIndexOf(":");
  const seq = Number(position.slice(colon + 1));
  return colon > 0 && Number.isSafeInteger(seq) && seq >= 0 ? [position.slice(0, colon), seq] : ["", 0];
}
