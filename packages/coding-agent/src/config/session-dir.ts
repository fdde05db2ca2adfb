import { join, resolve } from "node:path";
import { readJsonFile } from "./json-file.ts";
import { mayExist } from "./may-exist.ts";
import { sessionFolder, toAbsolute } from "./paths.ts";

/** The places that say where sessions are stored. */
export interface SessionPlaces {
  /** The working folder. */
  cwd: string;
  agentDir: string;
  /** The folder that the user has given on the command line; relative to the folder of this process. */
  given?: string | undefined;
  /** The content of the user's `settings.json`, if it was read already. */
  settings?: { sessionDir?: string | undefined } | undefined;
}

/**
 * The folder that the user has chosen for all sessions, absolute: the given one, `PI_CODING_AGENT_SESSION_DIR`, or `sessionDir` of the user's
 * settings. Undefined if there is none.
 *
 * @throws {UsageError} When `settings.json` cannot be read.
 */
export function chosenSessionFolder({ cwd, agentDir, given, settings }: SessionPlaces): string | undefined {
  if (given !== undefined) return resolve(given);
  const chosen = process.env.PI_CODING_AGENT_SESSION_DIR || (settings ?? readSessionDir(agentDir)).sessionDir;
  return chosen === undefined ? undefined : toAbsolute(chosen, cwd);
}

/** The folder of the sessions of a working folder: the chosen one, else one in the agent's folder. Throws like `chosenSessionFolder`. */
export function findSessionFolder(places: SessionPlaces): string {
  return chosenSessionFolder(places) ?? sessionFolder(places.cwd, places.agentDir);
}

/** Reads only this setting, since the session is chosen before its settings are read. A value of another type is reported later. */
function readSessionDir(agentDir: string): { sessionDir?: string } {
  const path = join(agentDir, "settings.json");
  const { sessionDir } = mayExist(path) ? readJsonFile(path) : {};
  return typeof sessionDir === "string" && sessionDir !== "" ? { sessionDir } : {};
}
