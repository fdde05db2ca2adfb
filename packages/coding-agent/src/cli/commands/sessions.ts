import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
import type { SessionDescription, SessionInfo } from "../../conversation/session-store.ts";
import { describeAge } from "../../conversation/stored-sessions.ts";
import { toTerminalText, writeError } from "../../modes/terminal-text.ts";
import { openStoreIfNamed } from "../session-store.ts";
import { storedSessions } from "../stored-sessions.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const sessionsUsage = `Usage: pi sessions [--all] [--limit n] [--json] [--session-dir folder | --session-store address]
       pi sessions copy <from> <to> [id …] [--json]`;

/** Default number of sessions in the list. */
const defaultLimit = 20;
/** Characters of a session's title. */
const maxTitle = 70;

/**
 * Runs `pi sessions` and `pi sessions copy`.
 *
 * @throws {UsageError} For unknown options.
 */
export async function runSessions(args: readonly string[]): Promise<number> {
  const [first, ...others] = args;
  return first === "copy" ? (await import("./copy-sessions.ts")).copySessions(others) : listSessions(args);
}

/** Lists the stored sessions of this folder, or with `--all` those of every folder, the latest first. */
async function listSessions(args: readonly string[]): Promise<number> {
  const { values } = parseSubcommand(sessionsUsage, () =>
    parseArgs({
      args: [...args],
      options: {
        all: { type: "boolean", default: false },
        limit: { type: "string", default: String(defaultLimit) },
        json: { type: "boolean", default: false },
        "session-dir": { type: "string" },
        "session-store": { type: "string" },
      },
    }),
  );
  const limit = Math.max(1, Number.parseInt(values.limit, 10) || defaultLimit);
  const stored = storedSessions(values, await openStoreIfNamed(values));
  const sessions = await stored.list({ all: values.all, limit });
  if (sessions.length === 0 && !values.json) {
    const here = `There is no session of ${process.cwd()}. pi sessions --all lists those of every folder.`;
    writeError(values.all ? "There are no sessions yet." : here);
  }
  const descriptions = await stored.describe(sessions);
  for (const [index, info] of sessions.entries()) {
    const description = descriptions[index] ?? { isInterrupted: false };
    process.stdout.write(`${values.json ? toJson(info, description) : toLine(info, description, values.all)}\n`);
  }
  return 0;
}

function toJson({ ref, modifiedMs, ...info }: SessionInfo, { isInterrupted, ...description }: SessionDescription): string {
  const modifiedAt = new Date(modifiedMs).toISOString();
  const path = isAbsolute(ref) ? { path: ref } : {}; // refs of other stores are ids
  return JSON.stringify({ ...info, ...path, modifiedAt, ...description, interrupted: isInterrupted });
}

function toLine({ id, cwd, modifiedMs }: SessionInfo, { name, firstPrompt = "" }: SessionDescription, hasFolder: boolean): string {
  const prompt = firstPrompt.replace(/\s+/g, " ").trim();
  const title = name === undefined ? prompt : `${name}: ${prompt}`;
  const shown = title.length > maxTitle ? `${title.slice(0, maxTitle - 1)}…` : title;
  return toTerminalText([id, describeAge(Date.now() - modifiedMs).padEnd(14), ...(hasFolder ? [cwd] : []), shown].join("  "));
}
