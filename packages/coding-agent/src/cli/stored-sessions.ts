import { resolve } from "node:path";
import { agentFolder, sessionFolder } from "../config/paths.ts";
import type { AddressedStore } from "../conversation/open-store.ts";
import { type StoredSessions, sessionsInFiles, sessionsInStore } from "../conversation/stored-sessions.ts";
import type { StoreOptions } from "./args.ts";

/** The stored sessions that the command line means. @param store - The store that it names; undefined for files. */
export function storedSessions(options: StoreOptions, store: AddressedStore | undefined): StoredSessions {
  const cwd = process.cwd();
  if (store) return sessionsInStore(store, cwd);
  const agentDir = agentFolder();
  return sessionsInFiles({ folder: resolve(options["session-dir"] ?? sessionFolder(cwd, agentDir)), agentDir });
}
