import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { UsageError } from "../../errors.ts";
import { Access, inHeader, isWildcard } from "./http/access.ts";
import type { ServedSessions } from "./http/exchange.ts";
import { HttpError } from "./http/http-error.ts";
import { createHttpServer } from "./http/http-server.ts";
import { matchRoute } from "./http/match-route.ts";
import { BodyReader } from "./http/read-body.ts";
import type { PageFile } from "./page-files.ts";
import type { ServeOptions } from "./serve-options.ts";
import { openRoots } from "./sessions/open-roots.ts";

/** A server that listens. */
export interface RunningServer {
  /** The address for clients on this machine, such as `http://127.0.0.1:4711`. */
  url: string;
  /** Loads the modules for the first requests. Call it when the start is over. Never rejects. */
  warmUp(): Promise<void>;
  /**
   * Takes no new work, waits for active runs, at most for the grace period, stores and closes everything, and closes the server. Meanwhile
   * the server answers that it is ending.
   */
  close(): Promise<void>;
}

/**
 * Starts a server for sessions over HTTP. Only the modules that listening needs are loaded before it listens.
 *
 * @throws {UsageError} When a root is not a folder, or when the address cannot be used.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const roots = openRoots(options.roots);
  const { host, port, limits, times } = options;
  const state = new ServerState(options, roots);
  const server = createHttpServer({
    maxConnections: limits.maxConnections,
    times,
    onRequest: (request, response) => state.answer(request, response),
    onUpgrade: (request, socket, head) => state.upgrade(request, socket, head),
    toAnswer: (error) => state.toAnswer(error),
  });
  await listen(server, host, port);
  return { url: urlOf(server, host), warmUp: () => state.warmUp(), close: () => state.close(server) };
}

/** The state that all requests share. */
class ServerState {
  readonly #options: ServeOptions;
  /** Real paths. */
  readonly #roots: ServeOptions["roots"];
  readonly #access: Access;
  readonly #bodies = new BodyReader();
  #sessions: Promise<ServedSessions> | undefined;
  #page: Promise<ReadonlyMap<string, PageFile>> | undefined;
  #isClosing = false;
  #loaded: Promise<LateModules> | undefined;
  #toHttpError: LateModules["toHttpError"] | undefined;

  constructor(options: ServeOptions, roots: ServeOptions["roots"]) {
    this.#options = options;
    this.#roots = roots;
    this.#access = new Access(options);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#access.checkSource(request);
    const route = matchRoute(request);
    const { handlers, tokens } = await this.#load();
    if (!route.isOpen) tokens.check(request);
    const exchange = { request, response, route, bodies: this.#bodies, isClosing: this.#isClosing };
    await handlers[route.name]({ ...exchange, sessions: () => this.#loadSessions(), pageFiles: () => this.#loadPage() });
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#access.checkSource(request);
    const route = matchRoute(request);
    if (route.name !== "openSocket") throw new HttpError("bad_request", "This address takes no upgrade.");
    const { tokens, idOf, readWatchQuery } = await this.#load();
    tokens.checkSocket(request);
    const { acceptSocket, checkUpgrade } = await import("./http/upgrade.ts");
    checkUpgrade(request);
    const { stream = "deltas", since, client } = readWatchQuery(route);
    const { registry } = await this.#loadSessions();
    await registry.use(idOf(route), since, (live) =>
      acceptSocket({ request, socket, head }, live, { stream, since, clientId: client }),
    );
  }

  /** An internal fault is reported on the side of the server; the client gets no details of it. */
  toAnswer(error: unknown): HttpError {
    const known = error instanceof HttpError ? error : this.#toHttpError?.(error);
    if (known) return known;
    this.#options.report(`An internal fault while answering a request: ${error instanceof Error ? error.message : String(error)}`);
    return new HttpError("internal", "An internal fault. The standard error output of the server has the details.");
  }

  async warmUp(): Promise<void> {
    try {
      await Promise.all([this.#load(), this.#loadSessions(), import("./http/upgrade.ts"), import("./sessions/session-request.ts")]);
    } catch {
      // The request that needs the module reports it.
    }
  }

  async close(server: Server): Promise<void> {
    this.#isClosing = true;
    if (this.#sessions) {
      const { registry } = await this.#sessions;
      await registry.close(this.#options.limits.graceSeconds * 1000);
    }
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Loads the modules that all requests need, at the first one. */
  #load(): Promise<LateModules> {
    this.#loaded ??= loadLate(this.#options.token).then((late) => {
      this.#toHttpError = late.toHttpError;
      return late;
    });
    return this.#loaded;
  }

  /** The files are read once. A failure is not remembered. */
  #loadPage(): Promise<ReadonlyMap<string, PageFile>> {
    this.#page ??= import("./page-files.ts")
      .then(({ readPageFiles }) => readPageFiles(this.#options.pageFolder))
      .catch((error: unknown) => {
        this.#page = undefined;
        throw error;
      });
    return this.#page;
  }

  #loadSessions(): Promise<ServedSessions> {
    this.#sessions ??= openSessions(this.#options, this.#roots);
    return this.#sessions;
  }
}

type LateModules = Awaited<ReturnType<typeof loadLate>>;

/** Loads the functions that all requests need. */
async function loadLate(token: string) {
  const [{ handlers, idOf, readWatchQuery }, { toHttpError }, { TokenCheck }] = await Promise.all([
    import("./http/handlers.ts"),
    import("./http/to-http-error.ts"),
    import("./http/token-check.ts"),
  ]);
  return { handlers, idOf, readWatchQuery, toHttpError, tokens: new TokenCheck(token) };
}

async function openSessions(options: ServeOptions, folders: ServeOptions["roots"]): Promise<ServedSessions> {
  const [{ Roots }, { FileSessions }, { SessionRegistry }, { SessionList }] = await Promise.all([
    import("./sessions/roots.ts"),
    import("./sessions/file-sessions.ts"),
    import("./sessions/session-registry.ts"),
    import("./sessions/list-sessions.ts"),
  ]);
  const roots = new Roots(folders);
  const stored = new FileSessions({ ...options, roots });
  const registry = new SessionRegistry(options, roots, stored);
  return { registry, list: new SessionList(stored, registry) };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (error) {
    throw new UsageError("config_unavailable", describeFailure(error as NodeJS.ErrnoException, host, port));
  }
  // For example too many open files. The open connections stay.
  server.on("error", () => undefined);
}

function describeFailure({ code = "unknown" }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") return `Port ${port} of ${host} is in use. Give another one with --port, or 0 for any free port.`;
  if (code === "EACCES") return `Port ${port} of ${host} may not be used by this user. Give one above 1023 with --port.`;
  return `Cannot listen on ${host}, port ${port}: ${code}. Give an address of this machine with --host.`;
}

function urlOf(server: Server, host: string): string {
  const { address, port, family } = server.address() as AddressInfo;
  const reachable = isWildcard(host) ? (family === "IPv6" ? "::1" : "127.0.0.1") : address;
  return `http://${inHeader(reachable)}:${port}`;
}
