import { agentFolder, sessionFolder } from "../config/paths.ts";
import { chosenSessionFolder } from "../config/session-dir.ts";
import type { AddressedStore } from "../conversation/open-store.ts";
import { type StoredSessions, sessionsInFiles, sessionsInStore } from "../conversation/stored-sessions.ts";
import type { StoreOptions } from "./args.ts";

/** The stored sessions that the command line means. @param store - The store that it names; undefined for files. */
export function storedSessions(options: StoreOptions, store: AddressedStore | undefined): StoredSessions {
  const cwd = process.cwd();
  if (store) return sessionsInStore(store, cwd);
  const agentDir = agentFolder();
  const chosen = chosenSessionFolder({ cwd, agentDir, given: options["session-dir"] });
  return sessionsInFiles(
    chosen === undefined ? { folder: sessionFolder(cwd, agentDir), agentDir } : { folder: chosen, agentDir, cwd },
  );
}
