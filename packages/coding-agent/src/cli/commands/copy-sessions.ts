import { parseArgs } from "node:util";
import { agentFolder } from "../../config/paths.ts";
import { type CopyPlace, copySession } from "../../conversation/copy-session.ts";
import type { SessionInfo } from "../../conversation/session-store.ts";
import { SessionError, UsageError } from "../../errors.ts";
import { toTerminalText, writeError } from "../../modes/terminal-text.ts";
import { describeError } from "../describe-error.ts";
import { beforeEnd } from "../end-process.ts";
import { openPlace } from "./copy-places.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const copyUsage = `Usage: pi sessions copy <from> <to> [id …] [--json]

  <from>, <to>  the address of a session store, such as postgres://user@host/database;
                a folder with session files; or one session file
  id            copy only the sessions whose ids begin so (default: all)
  --json        print a line of JSON for each session`;

/** The result for one session. */
type Outcome =
  | { id: string; status: "copied" | "present"; ref: string; entries: number }
  | { id: string; status: "failed"; error: string };

/**
 * Runs `pi sessions copy`: copies sessions to another place, the oldest first, and compares each copy with its original. A session that is there
 * already is left as it is. A session that cannot be copied does not stop the others.
 *
 * @returns 1 if a session could not be copied, otherwise 0.
 * @throws {UsageError} For wrong arguments.
 * @throws {SessionError} When a place cannot be read or written at all, or has no session with a given id.
 */
export async function copySessions(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseSubcommand(copyUsage, () =>
    parseArgs({
      args: [...args],
      options: { json: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
      allowPositionals: true,
    }),
  );
  if (values.help) return print(copyUsage);
  const [fromName, toName, ...ids] = positionals;
  if (fromName === undefined || toName === undefined) throw new UsageError("invalid_arguments", copyUsage);
  const [from, to] = [await open(fromName, true), await open(toName, false)];
  const sessions = await chooseSessions(from, ids);
  const counts = { copied: 0, present: 0, failed: 0 };
  for (const session of sessions) {
    const outcome = await tryToCopy(from, to, session);
    counts[outcome.status] += 1;
    print(values.json ? JSON.stringify(outcome) : toLine(outcome));
    // Another session may be copied nevertheless, unless a place has gone.
    if (outcome.status === "failed") await Promise.all([from.list({ limit: 1 }), to.list({ limit: 1 })]);
  }
  if (!values.json) print(`${counts.copied} copied, ${counts.present} there already, ${counts.failed} failed`);
  return counts.failed > 0 ? 1 : 0;
}

async function open(name: string, isSource: boolean): Promise<CopyPlace> {
  const { place, close } = await openPlace(name, { agentDir: agentFolder(), isSource, report: writeError });
  beforeEnd(close);
  return place;
}

/** The sessions whose ids begin with these texts, or all; the latest last, so that the copies have the same order. */
async function chooseSessions(from: CopyPlace, ids: readonly string[]): Promise<SessionInfo[]> {
  if (ids.length === 0) return (await from.list()).reverse();
  const chosen: SessionInfo[] = [];
  for (const idPrefix of ids) {
    const found = await from.list({ idPrefix });
    if (found.length === 0) throw new SessionError("not_found", `No session there begins with "${idPrefix}". Nothing was copied.`);
    chosen.push(...found.reverse());
  }
  return chosen;
}

async function tryToCopy(from: CopyPlace, to: CopyPlace, session: SessionInfo): Promise<Outcome> {
  const { id } = session;
  try {
    const { ref, entries, isPresent } = await copySession({ from, to, session });
    return { id, status: isPresent ? "present" : "copied", ref, entries };
  } catch (error) {
    return { id, status: "failed", error: describeError(error) };
  }
}

function toLine(outcome: Outcome): string {
  const { id, status } = outcome;
  const detail = status === "failed" ? outcome.error : `${outcome.entries} ${outcome.entries === 1 ? "entry" : "entries"}`;
  return toTerminalText(`${status.padEnd(7)}  ${id}  ${detail}`);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
