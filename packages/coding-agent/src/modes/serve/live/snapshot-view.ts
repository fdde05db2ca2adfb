import type { AssistantMessage } from "@pikit/ai";
import { SnapshotBuilder } from "../../../protocol/snapshots.ts";
import type { DeltaUpdate } from "../../../protocol/stream-records.ts";
import type { FrameRing } from "./frame-ring.ts";

const updateStart = '{"type":"message_update",';
const messageStart = '{"type":"message_start",';
const messageEnd = '{"type":"message_end",';

/** Converts the frames of a session, which are in deltas mode, to snapshots mode for one client. */
export class SnapshotView {
  #builder: SnapshotBuilder | undefined;

  /** @param from - `message`: the answer that is being streamed at this position; without it there is none. */
  constructor({ message }: { message?: AssistantMessage }) {
    this.#builder = message && new SnapshotBuilder(message);
  }

  /** The view after the frame with this number; undefined if the beginning of an answer that is then being streamed is no longer held. */
  static at(ring: FrameRing, seq: number): SnapshotView | undefined {
    const view = new SnapshotView({});
    for (let start = seq; start >= ring.first; start -= 1) {
      const frame = ring.at(start);
      if (frame.startsWith(updateStart)) continue;
      if (!frame.startsWith(messageStart) && !frame.startsWith(messageEnd)) continue;
      for (const json of ring.between(start - 1, seq, Number.POSITIVE_INFINITY)) view.convert(json);
      return view;
    }
    return seq === 0 || ring.first === 1 ? view : undefined;
  }

  convert(json: string): string {
    if (json.startsWith(updateStart)) return this.#convertUpdate(json);
    if (json.startsWith(messageEnd)) this.#builder = undefined;
    else if (json.startsWith(messageStart)) {
      const { message } = JSON.parse(json) as { message: { role: string } };
      if (message.role === "assistant") this.#builder = new SnapshotBuilder(message as AssistantMessage);
    }
    return json;
  }

  #convertUpdate(json: string): string {
    if (!this.#builder) return json;
    const { epoch, seq, ...delta } = JSON.parse(json) as DeltaUpdate & { epoch: string; seq: number };
    return JSON.stringify({ ...this.#builder.apply(delta), epoch, seq });
  }
}
