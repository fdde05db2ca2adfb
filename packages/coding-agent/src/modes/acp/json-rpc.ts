import { isTooDeep, maxNesting } from "@pikit/ai";

/** The id of a request. */
export type RequestId = string | number | null;

/** The error codes of JSON-RPC 2.0 and of ACP. */
export const errorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** An error response: one that is sent, or one that the other side has sent. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A request of the other side. */
export interface ReceivedRequest {
  id: RequestId;
  /** Aborted when the other side cancels the request. */
  signal: AbortSignal;
  /** Runs `work` when the response is sent. */
  afterwards(work: () => void): void;
}

/** Handles what the other side sends. */
export interface RpcHandler {
  /**
   * Answers a request.
   *
   * @throws {RpcError} The error response. Other errors are converted by `toRpcError`.
   */
  request(method: string, params: unknown, request: ReceivedRequest): Promise<unknown>;
  notification(method: string, params: unknown): void;
  /** Converts an error of `request` to the error response. */
  toRpcError(error: unknown): RpcError;
}

interface OpenRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const cancelMethod = "$/cancel_request";

/**
 * One side of a JSON-RPC 2.0 connection. Both sides send requests. A line that is no message gets an error response, and a notification that
 * cannot be handled gets none, as the standard says.
 */
export class JsonRpc {
  readonly #send: (record: object) => void;
  readonly #handler: RpcHandler;
  /** Own requests without a response. */
  readonly #open = new Map<number, OpenRequest>();
  /** Requests of the other side without a response. */
  readonly #running = new Map<RequestId, AbortController>();
  #lastId = 0;
  #isClosed = false;

  /** @param send - Sends a message. */
  constructor(send: (record: object) => void, handler: RpcHandler) {
    this.#send = send;
    this.#handler = handler;
  }

  /** Handles one line of input. */
  handleLine(line: string): void {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      // The message of the parser quotes the line, which may contain a key.
      this.refuse(errorCodes.parse, "The line is not valid JSON. Send one JSON-RPC message per line.");
      return;
    }
    if (typeof record !== "object" || record === null || Array.isArray(record)) {
      this.refuse(
        errorCodes.invalidRequest,
        "The message is not a JSON object. Send one JSON-RPC message per line, without batches.",
      );
      return;
    }
    this.#handle(record as Record<string, unknown>);
  }

  /** Answers a line that belongs to no request. */
  refuse(code: number, message: string): void {
    this.#send({ jsonrpc: "2.0", id: null, error: { code, message } });
  }

  /** Sends a notification. */
  notify(method: string, params: object): void {
    if (!this.#isClosed) this.#send({ jsonrpc: "2.0", method, params });
  }

  /**
   * Sends a request and waits for its response. An abort cancels it on the other side, and rejects at once.
   *
   * @throws {RpcError} The error response; `cancelled` after an abort, and when the connection has ended.
   */
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#isClosed || signal?.aborted) return Promise.reject(new RpcError(errorCodes.cancelled, "The request was cancelled."));
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onAbort = () => {
      this.#open.delete(id);
      this.notify(cancelMethod, { requestId: id });
      reject(new RpcError(errorCodes.cancelled, "The request was cancelled."));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#open.set(id, { resolve, reject });
    this.#send({ jsonrpc: "2.0", id, method, params });
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** Rejects the open requests, because the other side answers no more. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#open.values()) reject(new RpcError(errorCodes.cancelled, "The connection has ended."));
    this.#open.clear();
  }

  #handle(record: Record<string, unknown>): void {
    const { id, method, params } = record;
    if (typeof method !== "string") {
      if ("result" in record || "error" in record) this.#handleResponse(record);
      else this.refuse(errorCodes.invalidRequest, 'Field "method" must be a text.');
      return;
    }
    if (!("id" in record)) {
      if (method === cancelMethod) this.#cancel(params);
      else this.#handler.notification(method, params);
      return;
    }
    if (typeof id !== "string" && typeof id !== "number" && id !== null) {
      this.refuse(errorCodes.invalidRequest, 'Field "id" must be a text, a number or null.');
      return;
    }
    void this.#answer(id, method, params);
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const later: (() => void)[] = [];
    const request: ReceivedRequest = { id, signal: controller.signal, afterwards: (work) => void later.push(work) };
    try {
      if (isTooDeep(params)) {
        throw new RpcError(errorCodes.invalidParams, `Field "params" must not be nested more than ${maxNesting} levels deep.`);
      }
      const result = await this.#handler.request(method, params, request);
      this.#send({ jsonrpc: "2.0", id, result });
      for (const work of later) work();
    } catch (error) {
      const { code, message, data } = error instanceof RpcError ? error : this.#handler.toRpcError(error);
      this.#send({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
    } finally {
      // A second request with this id may be running.
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  #cancel(params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: RequestId };
    if (requestId !== undefined) this.#running.get(requestId)?.abort();
  }

  #handleResponse({ id, result, error }: Record<string, unknown>): void {
    const open = this.#open.get(id as number);
    // A response to a cancelled request, or to none.
    if (!open) return;
    this.#open.delete(id as number);
    if (error === undefined) open.resolve(result);
    else open.reject(toReceivedError(error));
  }
}

function toReceivedError(error: unknown): RpcError {
  const { code, message, data } = (error ?? {}) as Record<string, unknown>;
  return new RpcError(
    typeof code === "number" ? code : errorCodes.internal,
    typeof message === "string" ? message.slice(0, 1000) : "The other side gave no reason.",
    data,
  );
}
