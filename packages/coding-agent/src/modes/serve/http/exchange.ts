import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { PageFile } from "../page-files.ts";
import type { ReadyStatus } from "../readiness.ts";
import type { SessionList } from "../sessions/list-sessions.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { MatchedRoute } from "./match-route.ts";

/** The sessions of the server. */
export interface ServedSessions {
  registry: SessionRegistry;
  list: SessionList;
}

/** A request that was let in. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  route: MatchedRoute;
  /** Reads the body, which is one JSON object. @throws {HttpError} See `BodyReader`. */
  readBody(maxBytes: number): Promise<Record<string, unknown>>;
  /** Loads the sessions at the first use. */
  sessions(): Promise<ServedSessions>;
  /** Reads the files of the page at the first use. */
  pageFiles(): Promise<ReadonlyMap<string, PageFile>>;
  /** Loads the metrics at the first use. */
  metrics(): Promise<ServerMetrics>;
  /** Whether the server takes new work. */
  readiness(): Promise<ReadyStatus>;
  isClosing: boolean;
}
