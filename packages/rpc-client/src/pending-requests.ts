import { RpcCommandError, type RpcError, RpcProtocolError, RpcTimeoutError } from "./errors.ts";

export interface RequestOptions {
  /** How long to wait for the answer, in milliseconds; 0 waits for ever. */
  timeoutMs: number;
  /** Called with the data of a successful answer before the next line is read; the promise is told only after that. */
  onAnswer?: (data: unknown) => void;
}

interface PendingRequest {
  command: string;
  onAnswer: ((data: unknown) => void) | undefined;
  resolve: (data: unknown) => void;
  reject: (error: RpcError) => void;
  timer: NodeJS.Timeout | undefined;
}

/** The commands that wait for their response. Each settles once: by the response with its id, its timeout, or the end of the process. */
export class PendingRequests {
  readonly #pending = new Map<unknown, PendingRequest>();

  /**
   * Waits for the response to `id`.
   *
   * @throws {RpcCommandError} When the agent refuses.
   * @throws {RpcTimeoutError} When no response came in time.
   */
  add(id: string, command: string, { timeoutMs, onAnswer }: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = timeoutMs > 0 ? setTimeout(() => this.#expire(id, timeoutMs), timeoutMs) : undefined;
      // A program that has nothing else to do may end.
      timer?.unref();
      this.#pending.set(id, { command, onAnswer, resolve, reject, timer });
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

  #expire(id: string, timeoutMs: number): void {
    const request = this.#take(id);
    request?.reject(new RpcTimeoutError(request.command, timeoutMs));
  }

  #take(id: unknown): PendingRequest | undefined {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(request?.timer);
    return request;
  }
}
