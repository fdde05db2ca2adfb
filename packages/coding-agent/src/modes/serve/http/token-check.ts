import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

/** The subprotocol of the WebSockets. */
export const socketProtocol = "pi.rpc.v1";

/** The beginning of the subprotocol that carries the token of clients that cannot set headers. */
const tokenPrefix = "bearer.";

/** Checks the token of requests. The comparison takes the same time for every wrong token. */
export class TokenCheck {
  readonly #hash: Buffer;

  constructor(token: string) {
    this.#hash = hash(token);
  }

  /** @throws {HttpError} `unauthorized` without the right `Authorization: Bearer`. */
  check({ headers }: IncomingMessage): void {
    this.#check(/^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1]);
  }

  /**
   * The same for a WebSocket, whose client may send the token as a subprotocol.
   *
   * @throws {HttpError} `unauthorized`.
   */
  checkSocket(request: IncomingMessage): void {
    if (request.headers.authorization !== undefined) this.check(request);
    else
      this.#check(
        protocolsOf(request)
          .find((name) => name.startsWith(tokenPrefix))
          ?.slice(tokenPrefix.length),
      );
  }

  #check(token: string | undefined): void {
    if (token !== undefined && timingSafeEqual(hash(token), this.#hash)) return;
    const problem = token === undefined ? "The request has no token" : "The token is wrong";
    throw new HttpError("unauthorized", `${problem}: send "Authorization: Bearer" with the token of the server's token file.`, {
      "www-authenticate": "Bearer",
    });
  }
}

/** The subprotocols that the client of a WebSocket offers. */
export function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
