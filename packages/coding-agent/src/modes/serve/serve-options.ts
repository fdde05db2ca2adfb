import type { SandboxMode } from "../../config/sandbox-modes.ts";
import type { SharedStore } from "../../conversation/session-store.ts";
import type { EntryPointOptions } from "../../session/options.ts";

/** The numbers of the server; the group `serve` of the settings. */
export interface ServeLimits {
  /** Minutes after which a session that no client watches, and that does nothing, is closed. 0: never. */
  idleMinutes: number;
  /** Seconds that active runs get to end after SIGTERM. */
  graceSeconds: number;
  /** Characters of the latest frames that are kept of each session. */
  replayBytes: number;
  /** Maximum number of sessions in memory. */
  maxSessions: number;
  /** Maximum number of connections. */
  maxConnections: number;
}

export const defaultLimits: ServeLimits = {
  idleMinutes: 30,
  graceSeconds: 30,
  replayBytes: 2 * 1024 * 1024,
  maxSessions: 1000,
  maxConnections: 2000,
};

/** Time limits of the HTTP side in milliseconds. */
export interface HttpTimes {
  /** For the headers of a request. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** For the next request on a connection. */
  keepAliveMs: number;
  /** How often these limits are checked. */
  checkMs: number;
}

export const defaultTimes: HttpTimes = { headersMs: 20_000, requestMs: 300_000, keepAliveMs: 30_000, checkMs: 5_000 };

export interface ServeOptions extends EntryPointOptions {
  /** The address to listen on. */
  host: string;
  /** 0: any free port. */
  port: number;
  /** The folders within which sessions may work. The first one is the default. */
  roots: readonly [string, ...string[]];
  /** The token of the clients. */
  token: string;
  /** Further names in `Host`. */
  allowedHosts: readonly string[];
  agentDir: string;
  /** The only folder of session files. Undefined: all folders of `agentDir`. */
  sessionDir: string | undefined;
  /** The store of the sessions, which other servers may use, too. The server closes it. Undefined: files. */
  store?: SharedStore | undefined;
  /** The address that the other servers of the store give to clients. Default: that of this server, unless it listens on all addresses. */
  announce?: string | undefined;
  /** Whether requests for sessions of other servers are forwarded to them. Default: the client is sent there. */
  forward?: boolean;
  /** Whether the metrics need no token. Default: they do. */
  openMetrics?: boolean;
  /** The folder of the built page. Default: that of this installation. */
  pageFolder?: string;
  /** The sandbox of commands. Default: that of the settings. Clients cannot change it. */
  sandbox?: SandboxMode | undefined;
  limits: ServeLimits;
  times: HttpTimes;
  /** Called with one line of text for each problem. */
  report(problem: string): void;
}
