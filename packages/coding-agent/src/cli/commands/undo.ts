import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeLeft, describeRestored } from "../../checkpoints/describe-restore.ts";
import { openCheckpoints } from "../../checkpoints/open.ts";
import { restoreNote } from "../../checkpoints/restore-note.ts";
import { readAllSettings } from "../../config/all-settings.ts";
import { agentFolder } from "../../config/paths.ts";
import { findSessionFolder } from "../../config/session-dir.ts";
import { findSession } from "../../conversation/choose-session.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import { openConversation } from "../../conversation/open-session.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import { SessionError } from "../../errors.ts";
import { toTerminalText, writeError } from "../../modes/terminal-text.ts";
import { openStoreIfNamed } from "../session-store.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const undoUsage = `Usage: pi undo [--redo] [--dry-run] [--force] [--json] [--session path|id] [--session-dir folder | --session-store address]`;

/**
 * Runs `pi undo`: puts back the files that the last turn of a session has changed. Default: the latest session of this folder.
 *
 * @returns 1 if a file was left as it is, otherwise 0.
 * @throws {UsageError} For unknown options.
 * @throws {SessionError} `nothing_to_undo`; `locked` while the session is open elsewhere.
 */
export async function runUndo(args: readonly string[]): Promise<number> {
  const { values } = parseSubcommand(undoUsage, () =>
    parseArgs({
      args: [...args],
      options: {
        redo: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        force: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        session: { type: "string" },
        "session-dir": { type: "string" },
        "session-store": { type: "string" },
      },
    }),
  );
  const agentDir = agentFolder();
  const { settings } = await readAllSettings(agentDir);
  const folder = findSessionFolder({ cwd: process.cwd(), agentDir, given: values["session-dir"], settings });
  const store = (await openStoreIfNamed(values)) ?? new FileSessionStore(resolve(folder));
  const conversation = await openConversation(store, await findRef(store, values.session));
  try {
    const checkpoints = openCheckpoints({
      ...{ agentDir, settings: settings.undo, runsElsewhere: false, report: writeError },
      conversation: () => conversation,
    });
    const kind = values.redo ? "redo" : "undo";
    const result = await checkpoints[kind]({ force: values.force, dryRun: values["dry-run"] });
    const note = values["dry-run"] ? undefined : restoreNote(kind, result);
    if (note) await conversation.appendMessage(note);
    const options = { kind, cwd: process.cwd(), isDryRun: values["dry-run"] } as const;
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else for (const line of describeRestored(result, options)) process.stdout.write(`${toTerminalText(line)}\n`);
    if (!values.json) for (const line of describeLeft(result, options)) writeError(line);
    return result.conflicts.length > 0 ? 1 : 0;
  } finally {
    await conversation.close();
  }
}

async function findRef(store: SessionStore, named: string | undefined): Promise<string> {
  if (named !== undefined) return findSession(store, named);
  const cwd = process.cwd();
  const [latest] = await store.list({ cwd, limit: 1 });
  if (latest) return latest.ref;
  throw new SessionError("not_found", `There is no session of ${cwd}. Name one with --session; pi sessions --all lists them all.`);
}
