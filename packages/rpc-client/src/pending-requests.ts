import type { Signal } from "./abort-signal.ts";
import { RpcAbortError, RpcCommandError, type RpcError, RpcProtocolError, RpcTimeoutError } from "./errors.ts";

export interface RequestOptions {
  /** Timeout for the response in milliseconds; 0 means no timeout. */
  timeoutMs: number;
  /** An abort rejects the request. */
  signal?: Signal;
  /**
   * Called with the data of a successful response before the next line is read; the promise resolves later. `after` is the number of the
   * event that comes before the response; a response that is sent once only has none, and then it is infinite: the last event.
   */
  onAnswer?: (data: unknown, after: number) => void;
}

interface PendingRequest {
  command: string;
  onAnswer: RequestOptions["onAnswer"] | undefined;
  resolve: (data: unknown) => void;
  reject: (error: RpcError) => void;
  /** Clears the timer and removes the abort listener. */
  release: () => void;
}

/** The open requests. Each settles once: by the response with its id, its timeout, its signal, or the end of the process. */
export class PendingRequests {
  readonly #pending = new Map<unknown, PendingRequest>();

  /**
   * Waits for the response to `id`.
   *
   * @throws {RpcCommandError} When the command fails.
   * @throws {RpcTimeoutError} When the timeout expires.
   * @throws {RpcAbortError} When the signal is aborted.
   */
  add(id: string, command: string, { timeoutMs, signal, onAnswer }: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const expire = () => this.#take(id)?.reject(new RpcTimeoutError(command, timeoutMs));
      const abort = () => this.#take(id)?.reject(new RpcAbortError(command, signal?.reason));
      const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
      // The timer must not keep the program running.
      timer?.unref();
      signal?.addEventListener("abort", abort);
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      this.#pending.set(id, { command, onAnswer, resolve, reject, release });
    });
  }

  /** Settles the request of `response`. Returns false if there is no such open request. */
  settle(response: Record<string, unknown>): boolean {
    const request = this.#take(response.id);
    if (request === undefined) return false;
    if (response.success === true) {
      const { after } = response;
      request.onAnswer?.(response.data, typeof after === "number" ? after : Number.POSITIVE_INFINITY);
      request.resolve(response.data);
    } else if (response.success === false) {
      request.reject(new RpcCommandError(request.command, String(response.error)));
    } else {
      const message = `The response to "${request.command}" has no boolean "success"; the program that was started is not an agent with this protocol.`;
      request.reject(new RpcProtocolError("bad_record", message));
    }
    return true;
  }

  /** Rejects an open request. */
  reject(id: string, reason: RpcError): void {
    this.#take(id)?.reject(reason);
  }

  /** Rejects all open requests. */
  rejectAll(reason: RpcError): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(reason);
  }

  #take(id: unknown): PendingRequest | undefined {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    request?.release();
    return request;
  }
}
