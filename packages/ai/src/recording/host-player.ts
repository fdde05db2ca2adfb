import type { HostModel } from "../apis/host/model.ts";
import type { Model } from "../types.ts";
import type { RecordedResponse } from "./read-recording.ts";
import type { ResponsePlayerOptions } from "./response-player.ts";
import { unmaskFolder } from "./text-mask.ts";

/** Creates a host model that answers one call with recorded frames. */
export function playHost(
  model: Model,
  response: RecordedResponse,
  options: Omit<ResponsePlayerOptions, "signal" | "endMs">,
): HostModel {
  const { pace, folder, breakOff } = options;
  const play = async (signal: AbortSignal, receive: (frame: unknown) => void) => {
    for (const step of response.steps) {
      await pace(step.ms, signal);
      if (step.type === "event") receive(JSON.parse(unmaskFolder(step.data, folder)));
    }
    // Has no effect after the last frame of a complete answer.
    breakOff();
    receive({ type: "host_model_error", message: "The recording ends here." });
  };
  return {
    ...model,
    api: "host",
    start({ signal }, receive) {
      play(signal, receive).catch((error: Error) =>
        receive({ type: "host_model_error", message: error.message, retryable: false }),
      );
    },
  };
}
