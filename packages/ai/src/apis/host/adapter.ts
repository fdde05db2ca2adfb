import type { ApiAdapter } from "../../api-adapter.ts";
import { networkError } from "../../classify.ts";
import { AiError } from "../../errors.ts";
import { IdleTimer } from "../../idle-timer.ts";
import type { StreamOptions } from "../../types.ts";
import { HostFrameReader } from "./events.ts";
import type { HostModelRequest } from "./frames.ts";
import { type HostModel, isHostModel } from "./model.ts";
import { createRequest } from "./request.ts";

/**
 * Milliseconds between two frames of a host if the caller sets no limit. Unlike a server whose connection breaks, a host that has forgotten a call
 * gives no sign.
 */
const defaultIdleMs = 600_000;

/** Asks the program that holds the model. */
export const streamHost: ApiAdapter = async (request, assembler) => {
  const { model, options } = request;
  if (!isHostModel(model)) {
    throw new AiError("unsupported", `${model.provider}/${model.id} has no host. Make host models with createHostModel.`);
  }
  const body = createRequest(request);
  const replaced = await options.onPayload?.(body, model);
  await callHost(
    model,
    replaced === undefined ? body : (replaced as HostModelRequest),
    options,
    new HostFrameReader(assembler, model),
  );
};

/** Begins the call and reads its frames. Aborts the call if the answer ends before the host has ended it. */
function callHost(model: HostModel, body: HostModelRequest, options: StreamOptions, reader: HostFrameReader): Promise<void> {
  const { signal, idleTimeoutMs = 0, firstByteTimeoutMs = 0 } = options;
  const idleMs = idleTimeoutMs > 0 ? idleTimeoutMs : defaultIdleMs;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const controller = new AbortController();
  let isOver = false;
  const end = () => {
    isOver = true;
    idle.stop();
    clearTimeout(firstTimer);
    signal?.removeEventListener("abort", onAbort);
  };
  const cancel = (reason: unknown) => {
    if (isOver) return;
    end();
    reject(reason);
    if (!reader.hasEnded) controller.abort(reason);
  };
  const onAbort = () => cancel(signal?.reason);
  const tooLate = (limitMs: number) =>
    cancel(networkError(`nothing arrived within ${limitMs} ms`, `${model.provider}/${model.id}`));
  const idle = new IdleTimer(idleMs, () => tooLate(idleMs));
  let firstTimer = firstByteTimeoutMs > 0 ? setTimeout(() => tooLate(firstByteTimeoutMs), firstByteTimeoutMs) : undefined;
  const receive = (frame: unknown) => {
    if (isOver) return;
    idle.restart();
    if (firstTimer !== undefined) {
      clearTimeout(firstTimer);
      firstTimer = undefined;
    }
    try {
      if (!reader.read(frame)) return;
      end();
      resolve();
    } catch (error) {
      cancel(error);
    }
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  else begin(() => model.start({ ...body, signal: controller.signal }, receive), cancel);
  return promise;
}

function begin(start: () => void, onError: (error: unknown) => void): void {
  try {
    start();
  } catch (error) {
    onError(error);
  }
}
