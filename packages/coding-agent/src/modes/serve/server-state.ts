import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { ownTurn } from "@pikit/ai";
import { breathe } from "../../exec/breathe.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { Access } from "./http/access.ts";
import type { ServedSessions } from "./http/exchange.ts";
import type { Forwarder } from "./http/forward.ts";
import { HttpError } from "./http/http-error.ts";
import { type MatchedRoute, matchRoute } from "./http/match-route.ts";
import { forwardedHeader, toRedirect } from "./http/other-server.ts";
import { BodyReader } from "./http/read-body.ts";
import type { LiveSession } from "./live/live-session.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import type { PageFile } from "./page-files.ts";
import type { Readiness, ReadyStatus } from "./readiness.ts";
import type { ServeOptions } from "./serve-options.ts";
import { ElsewhereError } from "./sessions/elsewhere.ts";

/** From the first session on, until the process prepares for prompts. */
const afterFirstSessionMs = 20;

/** The state that all requests of a server share. */
export class ServerState {
  readonly #options: ServeOptions;
  /** Real paths. */
  readonly #roots: ServeOptions["roots"];
  readonly #access: Access;
  readonly #bodies = new BodyReader();
  /** The address that the other servers of the store give to clients. */
  #address: string | undefined;
  #sessions: Promise<ServedSessions> | undefined;
  /** The sessions in memory. */
  #live: () => readonly LiveSession[] = () => [];
  #metrics: Promise<ServerMetrics> | undefined;
  #readiness: Promise<Readiness> | undefined;
  #forwarder: Promise<Forwarder> | undefined;
  #page: Promise<ReadonlyMap<string, PageFile>> | undefined;
  /** Begins with the first session that has a model. */
  #prepareForPrompt: Promise<void> | undefined;
  #isClosing = false;
  #loaded: Promise<LateModules> | undefined;
  #toHttpError: LateModules["toHttpError"] | undefined;

  /** @param roots - The real paths of the roots. */
  constructor(options: ServeOptions, roots: ServeOptions["roots"]) {
    this.#options = options;
    this.#roots = roots;
    const announced = options.announce === undefined ? [] : [new URL(options.announce).hostname.replace(/^\[|\]$/g, "")];
    this.#access = new Access({ host: options.host, allowedHosts: [...options.allowedHosts, ...announced] });
  }

  /** Called when the server listens. Tells the other servers of the store its address. */
  announce(address: string | undefined): void {
    this.#address = address;
    if (address !== undefined) this.#options.store?.announce(address);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startMs = performance.now();
    let route: MatchedRoute | undefined;
    // Hundreds of requests may arrive at the same time.
    await breathe();
    try {
      this.#access.checkSource(request);
      route = matchRoute(request);
      await this.#answerRoute(route, request, response);
      this.#count(route, response.statusCode, startMs);
    } catch (error) {
      this.#count(route, this.#find(error)?.status ?? 500, startMs);
      throw error;
    }
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const startMs = performance.now();
    let route: MatchedRoute | undefined;
    try {
      this.#access.checkSource(request);
      route = matchRoute(request);
      await this.#upgradeRoute(route, { request, socket, head });
      this.#count(route, 101, startMs);
    } catch (error) {
      this.#count(route, this.#find(error)?.status ?? 500, startMs);
      throw error;
    }
  }

  /** An internal fault is reported on the side of the server; the client gets no details of it. */
  toAnswer(error: unknown): HttpError {
    const known = this.#find(error);
    if (known) return known;
    this.#options.report(`An internal fault while answering a request: ${error instanceof Error ? error.message : String(error)}`);
    return new HttpError("internal", "An internal fault. The standard error output of the server has the details.");
  }

  async warmUp(): Promise<void> {
    try {
      await Promise.all([this.#load(), this.#loadSessions(), import("./http/upgrade.ts"), import("./sessions/session-request.ts")]);
      await (await import("../rpc-session/warm-up.ts")).loadForAnyModel();
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
    (await this.#forwarder)?.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    await this.#options.store?.close?.();
  }

  async #answerRoute(route: MatchedRoute, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handlers, tokens } = await this.#load();
    if (!this.#isOpen(route)) tokens.check(request);
    let body: Record<string, unknown> | undefined;
    const readBody = async (maxBytes: number) => {
      body = await this.#bodies.readObject(request, response, maxBytes);
      return body;
    };
    try {
      await handlers[route.name]({
        ...{ request, response, route, readBody, isClosing: this.#isClosing },
        sessions: () => this.#loadSessions(),
        pageFiles: () => this.#loadPage(),
        metrics: () => this.#loadMetrics(),
        readiness: () => this.#readReadiness(),
      });
    } catch (error) {
      if (!(error instanceof ElsewhereError)) throw error;
      const address = this.#addressToForwardTo(error, request);
      const json = body && JSON.stringify(body);
      await (await this.#loadForwarder()).answer({ request, body: json, address }, response);
    }
  }

  async #upgradeRoute(
    route: MatchedRoute,
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  ): Promise<void> {
    if (route.name !== "openSocket") throw new HttpError("bad_request", "This address takes no upgrade.");
    const { tokens, idOf, readWatchQuery } = await this.#load();
    tokens.checkSocket(request);
    const { acceptSocket, checkUpgrade } = await import("./http/upgrade.ts");
    checkUpgrade(request);
    const { stream = "deltas", since, client } = readWatchQuery(route);
    const { registry } = await this.#loadSessions();
    try {
      await registry.use(idOf(route), since, (live) =>
        acceptSocket({ request, socket, head }, live, { stream, since, clientId: client }),
      );
    } catch (error) {
      if (!(error instanceof ElsewhereError)) throw error;
      const address = this.#addressToForwardTo(error, request);
      await (await this.#loadForwarder()).join({ request, body: undefined, address }, socket, head);
    }
  }

  #isOpen({ name, isOpen }: MatchedRoute): boolean {
    return isOpen || (name === "getMetrics" && this.#options.openMetrics === true);
  }

  /**
   * The address of the server that has the session, if the request is to be forwarded to it.
   *
   * @throws {HttpError} Otherwise: `elsewhere`, which sends the client there, or `conflict`.
   */
  #addressToForwardTo(error: ElsewhereError, request: IncomingMessage): string {
    const isForwarded = request.headers[forwardedHeader] !== undefined;
    if (this.#options.forward !== true || isForwarded || error.address === null) throw toRedirect(error, request);
    return error.address;
  }

  #find(error: unknown): HttpError | undefined {
    return error instanceof HttpError ? error : this.#toHttpError?.(error, { isShared: this.#options.store !== undefined });
  }

  #count(route: MatchedRoute | undefined, status: number, startMs: number): void {
    const seconds = (performance.now() - startMs) / 1000;
    this.#loadMetrics().then(
      (metrics) => metrics.countRequest(route?.name ?? "none", status, seconds),
      () => undefined, // the request for the metrics reports it
    );
  }

  async #readReadiness(): Promise<ReadyStatus> {
    if (this.#isClosing) return "draining";
    this.#readiness ??= import("./readiness.ts").then(({ Readiness }) => new Readiness(this.#options.store));
    return (await (await this.#readiness).check()) ? "ready" : "store_unavailable";
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
    this.#sessions ??= this.#openSessions();
    return this.#sessions;
  }

  async #openSessions(): Promise<ServedSessions> {
    const [metrics, { openSessions }] = await Promise.all([this.#loadMetrics(), import("./sessions/open-sessions.ts")]);
    const onLive = ({ session }: LiveSession) => {
      metrics.watch(session);
      if (session.models.current) this.#prepareForPrompt ??= prepareForPrompt(session);
    };
    const sessions = openSessions(this.#options, { folders: this.#roots, address: this.#address, onLive });
    this.#live = () => sessions.registry.live;
    return sessions;
  }

  #loadMetrics(): Promise<ServerMetrics> {
    this.#metrics ??= import("./metrics/server-metrics.ts").then(
      ({ ServerMetrics }) =>
        new ServerMetrics({
          live: () => this.#live(),
          isReady: async () => (await this.#readReadiness()) === "ready",
        }),
    );
    return this.#metrics;
  }

  #loadForwarder(): Promise<Forwarder> {
    this.#forwarder ??= import("./http/forward.ts").then(({ Forwarder }) => new Forwarder(this.#address));
    return this.#forwarder;
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

/** Prepares the process for its first prompts while it waits for them. Never rejects: the prompt that needs something reports it. */
async function prepareForPrompt(session: AgentSession): Promise<void> {
  try {
    const { warmUp } = await import("../rpc-session/warm-up.ts");
    // Not in the turn in which hundreds of other requests may have arrived.
    await wait(afterFirstSessionMs, undefined, { ref: false });
    await ownTurn();
    await warmUp(session);
  } catch {
    // Nothing depends on it.
  }
}
