import type { IncomingHttpHeaders } from "node:http";
import { protocolVersion } from "../../../protocol/version.ts";
import { toTraceContext } from "../../../trace-context.ts";
import { packageVersion } from "../../../version.ts";
import { beginsWork, endingReason } from "../live/work-commands.ts";
import { sendJson, sendText } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { HttpError, retrySoon } from "./http-error.ts";
import type { MatchedRoute } from "./match-route.ts";
import { readHeader, readQuery } from "./read-query.ts";
import {
  EventsQuerySchema,
  HeaderSchemas,
  ListQuerySchema,
  maxCommandBytes,
  maxOptionsBytes,
  SocketQuerySchema,
} from "./route-schemas.ts";
import { type RouteName, routes } from "./routes.ts";

/** The handlers of the routes. A missing or misspelt name is a compile error. */
export const handlers: { [N in RouteName]: (exchange: Exchange) => void | Promise<void> } = {
  getHealth: sendHealth,
  getHealthShort: sendHealth,
  getReady: sendReadiness,
  getReadyShort: sendReadiness,

  async getMetrics({ response, route, metrics }) {
    readQuery(route.query, undefined);
    const { text, contentType } = await (await metrics()).read();
    sendText(response, text, { "content-type": contentType });
  },

  async getOpenApi({ response, route }) {
    readQuery(route.query, undefined);
    sendJson(response, 200, (await import("./openapi.ts")).openApiDocument());
  },

  async listSessions({ response, route, sessions }) {
    const filter: { cwd?: string; limit?: number } = readQuery(route.query, ListQuerySchema);
    sendJson(response, 200, { sessions: await (await sessions()).list.list(filter) });
  },

  async openSession({ response, route, readBody, sessions, isClosing }) {
    readQuery(route.query, undefined);
    if (isClosing) throw ending();
    const body = await readBody(maxOptionsBytes);
    const { readSessionRequest } = await import("../sessions/session-request.ts");
    const wanted = await readSessionRequest(body);
    const opened = await (await sessions()).registry.open(wanted);
    sendJson(response, opened.opened === "live" ? 200 : 201, opened);
  },

  async getSession({ response, route, sessions }) {
    readQuery(route.query, undefined);
    const id = idOf(route);
    const session = await (await sessions()).list.find(id);
    if (!session) throw noSession();
    sendJson(response, 200, session);
  },

  async sendCommand({ request, response, route, readBody, sessions, isClosing }) {
    readQuery(route.query, undefined);
    const key = readHeader(request, "idempotency-key", HeaderSchemas["idempotency-key"]);
    const record = inTrace(await readBody(maxCommandBytes), request.headers);
    if (isClosing && beginsWork(record)) throw ending();
    const { registry } = await sessions();
    const outcome = await registry.use(idOf(route), undefined, (live) => live.command(record, { key }));
    const headers = { "pi-position": outcome.position };
    if (outcome.response === undefined) response.writeHead(204).end();
    else if (typeof outcome.response === "string") sendText(response, outcome.response, headers);
    else await (await import("./long-answer.ts")).sendLongJson(response, outcome.response, headers);
  },

  async streamEvents({ request, response, route, sessions }) {
    const { stream = "deltas", since }: WatchQuery = readQuery(route.query, EventsQuerySchema);
    const position = readHeader(request, "last-event-id", HeaderSchemas["last-event-id"]) ?? since;
    const { registry, list } = await sessions();
    if (request.method === "HEAD") {
      if (!(await list.find(idOf(route)))) throw noSession();
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" }).end();
      return;
    }
    await registry.use(idOf(route), position, (live) => {
      // The client may have left while the session was opened.
      if (!response.destroyed) live.streamEvents(response, { stream, since: position });
    });
  },

  openSocket() {
    throw new HttpError("bad_request", "This address is for WebSockets. Send an upgrade request, or use the events.");
  },

  getPage: sendPageFile,
  getPageScript: sendPageFile,
  getPageStyle: sendPageFile,
};

/** The query of a WebSocket. */
export function readWatchQuery({ query }: MatchedRoute): WatchQuery {
  return readQuery(query, SocketQuerySchema);
}

interface WatchQuery {
  stream?: "deltas" | "snapshots";
  since?: string;
  client?: string;
}

/** The id of the session that a request names. */
export function idOf({ params }: MatchedRoute): string {
  return params.id ?? "";
}

function sendHealth({ response, route, isClosing }: Exchange): void {
  readQuery(route.query, undefined);
  const status = isClosing ? "closing" : "ok";
  sendJson(response, isClosing ? 503 : 200, { status, version: packageVersion(), protocolVersion }, isClosing ? retrySoon : {});
}

async function sendReadiness({ response, route, readiness }: Exchange): Promise<void> {
  readQuery(route.query, undefined);
  const status = await readiness();
  if (status === "ready") sendJson(response, 200, { status });
  else sendJson(response, 503, { status }, retrySoon);
}

async function sendPageFile({ request, response, route, pageFiles }: Exchange): Promise<void> {
  readQuery(route.query, undefined);
  const file = (await pageFiles()).get(routes[route.name].path);
  if (!file) throw new HttpError("not_found", "There is no such file.");
  const { answerFor } = await import("../page-files.ts");
  const { headers, body } = answerFor(file, request.headers["accept-encoding"]?.toString());
  response.writeHead(200, headers).end(body);
}

/** A prompt with the trace of the headers of its request, unless it names one itself. */
function inTrace(record: Record<string, unknown>, headers: IncomingHttpHeaders): Record<string, unknown> {
  const isPrompt = record.type === "prompt" || record.type === "abort_and_prompt";
  if (!isPrompt || Object.hasOwn(record, "traceparent")) return record;
  return { ...record, ...toTraceContext(headers) };
}

function noSession(): HttpError {
  return new HttpError("not_found", "There is no session with this id. See GET /v1/sessions.");
}

function ending(): HttpError {
  return new HttpError("closing", endingReason, retrySoon);
}
