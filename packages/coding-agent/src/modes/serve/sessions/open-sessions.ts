import type { ServedSessions } from "../http/exchange.ts";
import type { LiveSession } from "../live/live-session.ts";
import type { ServeOptions } from "../serve-options.ts";
import { FileSessions } from "./file-sessions.ts";
import { SessionList } from "./list-sessions.ts";
import { Roots } from "./roots.ts";
import { SessionRegistry } from "./session-registry.ts";
import { SharedSessions } from "./shared-sessions.ts";

interface OpenSessionsOptions {
  /** The real paths of the roots. */
  folders: ServeOptions["roots"];
  /** The address that the server has announced to the other servers of its store. */
  address: string | undefined;
  /** Called with each session that comes into memory, before it runs. */
  onLive(live: LiveSession): void;
}

/** The sessions of a server: in files, or in the store that it shares with others. */
export function openSessions(options: ServeOptions, { folders, address, onLive }: OpenSessionsOptions): ServedSessions {
  const roots = new Roots(folders);
  const { store } = options;
  const stored = store ? new SharedSessions(store, roots, address) : new FileSessions({ ...options, roots });
  const registry = new SessionRegistry(options, { roots, stored, onLive });
  return { registry, list: new SessionList(stored, registry) };
}
