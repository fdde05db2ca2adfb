import type { ConnectFailure } from "./failure.ts";
import { ServerAddress } from "./server-address.ts";

/** Maximum number of servers in a row that name another one. */
const maxMoves = 5;

/**
 * The server that has the session. Several servers may share their sessions; each answers for a session of another one with the address of
 * that server, which is then called until it fails.
 */
export class SessionServer {
  readonly #given: ServerAddress;
  #named: ServerAddress | undefined;
  #moves = 0;

  /** @param given - The address that the program was given. */
  constructor(given: ServerAddress) {
    this.#given = given;
  }

  /** The address to call. */
  get address(): ServerAddress {
    return this.#named ?? this.#given;
  }

  /**
   * Goes to the server that a refusal names.
   *
   * @returns Whether it names one that may be called: not if the client called over https, and this one speaks http, which would show the token.
   */
  follow({ server }: ConnectFailure): boolean {
    const next = server === undefined ? undefined : this.#read(server);
    if (next === undefined || this.#moves >= maxMoves) return false;
    this.#moves += 1;
    this.#named = next;
    return true;
  }

  /** Called when the server has the session. */
  reached(): void {
    this.#moves = 0;
  }

  /**
   * Returns to the given address, because the server has failed.
   *
   * @returns Whether another one was called.
   */
  leave(): boolean {
    const wasNamed = this.#named !== undefined;
    this.#named = undefined;
    this.#moves = 0;
    return wasNamed;
  }

  #read(server: string): ServerAddress | undefined {
    try {
      const next = new ServerAddress(server);
      return next.isSecure || !this.#given.isSecure ? next : undefined;
    } catch {
      return undefined; // no address
    }
  }
}
