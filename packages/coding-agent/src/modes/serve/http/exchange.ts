import type { IncomingMessage, ServerResponse } from "node:http";
import type { PageFile } from "../page-files.ts";
import type { SessionList } from "../sessions/list-sessions.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { MatchedRoute } from "./match-route.ts";
import type { BodyReader } from "./read-body.ts";

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
  bodies: BodyReader;
  /** Loads the sessions at the first use. */
  sessions(): Promise<ServedSessions>;
  /** Reads the files of the page at the first use. */
  pageFiles(): Promise<ReadonlyMap<string, PageFile>>;
  isClosing: boolean;
}
