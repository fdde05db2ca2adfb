import type { Signal } from "./abort-signal.ts";
import { RpcAbortError, RpcCommandError, type RpcError, RpcProtocolError, RpcTimeoutError } from "./errors.ts";

export interface RequestOptions {
  /** How long to wait for the answer, in milliseconds; 0 waits for ever. */
  timeoutMs: number;
  /** Ends the wait. */
  signal?: Signal;
  /** Called with the data of a successful answer before the next line is read; the promise is told only after that. */
  onAnswer?: (data: unknown) => void;
}

interface PendingRequest {
  command: string;
  onAnswer: ((data: unknown) => void) | undefined;
  resolve: (data: unknown) => void;
  reject: (error: RpcError) => void;
  /** Ends its timer and its listening to a signal. */
  release: () => void;
}

/** The commands that wait for their response. Each settles once: by the response with its id, its timeout, its signal, or the end of the process. */
export class PendingRequests {
  readonly #pending = new Map<unknown, PendingRequest>();

  /**
   * Waits for the response to `id`.
   *
   * @throws {RpcCommandError} When the agent refuses.
   * @throws {RpcTimeoutError} When no response came in time.
   * @throws {RpcAbortError} When the signal was aborted before.
   */
  add(id: string, command: string, { timeoutMs, signal, onAnswer }: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const expire = () => this.#take(id)?.reject(new RpcTimeoutError(command, timeoutMs));
      const abort = () => this.#take(id)?.reject(new RpcAbortError(command, signal?.reason));
      const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
      // A program that has nothing else to do may end.
      timer?.unref();
      signal?.addEventListener("abort", abort);
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      this.#pending.set(id, { command, onAnswer, resolve, reject, release });
    });
  }

  /** Settles the request that `response` answers. @returns false when there is none (any more). */
  settle(response: Record<string, unknown>): boolean {
    const request = this.#take(response.id);
    if (request === undefined) return false;
    if (response.success === true) {
      request.onAnswer?.(response.data);
      request.resolve(response.data);
    } else if (response.success === false) {
      request.reject(new RpcCommandError(request.command, String(response.error)));
    } else {
      const message = `The response to "${request.command}" has no boolean "success"; the program that was started is no agent of this protocol.`;
      request.reject(new RpcProtocolError("bad_record", message));
    }
    return true;
  }

  /** Rejects whatever waits. */
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
