import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { HttpError } from "./http-error.ts";

const hostPattern = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i;

export interface AccessOptions {
  /** The address that the server listens on, as the user named it. */
  host: string;
  /** Further names under which clients reach the server, such as that of a proxy. */
  allowedHosts: readonly string[];
}

/**
 * Decides from where the server may be used. The token is checked separately.
 *
 * - `Host` must be a name of this server. A page of another site can make its own name point to this machine (DNS rebinding), but the
 *   browser then sends that name.
 * - `Origin`, which browsers send, must be the server itself.
 */
export class Access {
  readonly #names: ReadonlySet<string>;
  /** Whether any IP address is a name of this server: it listens on all addresses. Rebinding needs a name, not an address. */
  readonly #takesAddresses: boolean;

  constructor({ host, allowedHosts }: AccessOptions) {
    this.#names = new Set(["localhost", "127.0.0.1", "[::1]", inHeader(host), ...allowedHosts.map(inHeader)]);
    this.#takesAddresses = isWildcard(host);
  }

  /** @throws {HttpError} `forbidden` when the request was meant for another host, or comes from a page of another site. */
  checkSource({ headers: { host, origin } }: IncomingMessage): void {
    const name = hostPattern.exec(host ?? "")?.[1]?.toLowerCase();
    if (host === undefined || name === undefined || !this.#isOurs(name)) {
      throw new HttpError(
        "forbidden",
        "The Host header does not name this server. Use the printed address, or start pi serve with --allow-host and that name.",
      );
    }
    if (origin !== undefined && !isSameOrigin(origin, host)) {
      throw new HttpError("forbidden", "The request comes from a page of another site, which may not use this server.");
    }
  }

  #isOurs(name: string): boolean {
    return this.#names.has(name) || (this.#takesAddresses && isIP(name.replace(/^\[|\]$/g, "")) !== 0);
  }
}

/** Whether a host is an address of this machine that others cannot reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Whether a host stands for all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** A host as in URLs and in the `Host` header: IPv6 addresses have brackets. */
export function inHeader(host: string): string {
  return (isIP(host) === 6 ? `[${host}]` : host).toLowerCase();
}

/** The scheme may differ, because a proxy in front may speak TLS. */
function isSameOrigin(origin: string, host: string): boolean {
  const scheme = /^https?:/i.exec(origin)?.[0];
  if (scheme === undefined) return false;
  try {
    // Both are parsed, so that a default port is the same as none.
    return new URL(origin).origin === new URL(`${scheme}//${host}`).origin;
  } catch {
    return false;
  }
}
