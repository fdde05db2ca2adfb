import type { HostModel } from "../apis/host/model.ts";
import { EventMask } from "./event-mask.ts";
import type { EventLine } from "./format.ts";
import type { ResponseRecorderOptions } from "./response-recorder.ts";

/** The copy of a host model that records the frames of one call. */
export interface RecordedHost {
  model: HostModel;
  /** Ends the record: writes the waiting lines, and records nothing more. */
  finish(): void;
}

/** Records the frames of a host, as the events of a response. A frame that cannot be written fails the call. */
export function recordHost(model: HostModel, { stream, masks, elapsed, write }: ResponseRecorderOptions): RecordedHost {
  const mask = new EventMask<EventLine>(masks, write);
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    mask.flush();
  };
  return {
    finish,
    model: {
      ...model,
      start(call, receive) {
        write({ type: "response", stream, ms: elapsed(), status: 200, headers: {} });
        model.start(call, (frame) => {
          try {
            if (!isOver) mask.push({ type: "event", stream, ms: elapsed(), data: JSON.stringify(frame) ?? "null" });
          } catch (error) {
            receive({ type: "host_model_error", message: (error as Error).message, retryable: false });
          }
          receive(frame);
        });
      },
    },
  };
}
