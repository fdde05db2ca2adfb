/** Ends the response by destroying the socket, like a crashed server or proxy. */
export const cut: unique symbol = Symbol("cut");

/** Leaves the response unfinished until the client disconnects or the server is closed. */
export const keepOpen: unique symbol = Symbol("keepOpen");

/**
 * One step of a response: send text or bytes as one write, wait for a promise (such as that of `Promise.withResolvers()`), `cut`, or
 * `keepOpen`. Without the last two, the response ends after its last step.
 */
export type ResponseStep = string | Uint8Array | PromiseLike<unknown> | typeof cut | typeof keepOpen;

/** The server's response to one request. */
export interface ProviderResponse {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as one write: a string or bytes unchanged, any other value as JSON. Use this or `steps`. */
  body?: unknown;
  steps?: readonly ResponseStep[];
  /** The server closes the socket without sending a status line. */
  refuse?: boolean;
  /** The server waits for it before it sends the status line. Default: no wait. */
  after?: PromiseLike<unknown>;
}

/** The status, headers and steps of a response, with the defaults. */
export function resolveResponse(response: ProviderResponse): {
  status: number;
  headers: Record<string, string>;
  steps: readonly ResponseStep[];
} {
  const { status = 200, headers = {}, body } = response;
  if (response.steps) return { status, headers, steps: response.steps };
  if (body === undefined) return { status, headers, steps: [] };
  if (typeof body === "string" || body instanceof Uint8Array) return { status, headers, steps: [body] };
  return { status, headers: { "content-type": "application/json", ...headers }, steps: [JSON.stringify(body)] };
}

/** The same response with one byte per write. Waits and endings stay in their places. */
export function byteByByte(response: ProviderResponse): ProviderResponse {
  const { status, headers, steps } = resolveResponse(response);
  const bytes = steps.flatMap((step): ResponseStep[] => {
    if (typeof step !== "string" && !(step instanceof Uint8Array)) return [step];
    return Array.from(toBytes(step), (byte) => Uint8Array.of(byte));
  });
  return { status, headers, steps: bytes };
}

/** All ways to cut `text` into two pieces of bytes, including empty pieces. */
export function* everyCut(text: string): Generator<[Uint8Array, Uint8Array]> {
  const bytes = toBytes(text);
  for (let at = 0; at <= bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

function toBytes(step: string | Uint8Array): Uint8Array {
  return typeof step === "string" ? new TextEncoder().encode(step) : step;
}
