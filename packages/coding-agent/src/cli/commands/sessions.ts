import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentFolder, sessionFolder } from "../../config/paths.ts";
import type { SessionDescription } from "../../conversation/describe-session.ts";
import type { SessionInfo } from "../../conversation/session-store.ts";
import { allSessionFolders, describeAge, describeStored, listStored } from "../../conversation/stored-sessions.ts";
import { toTerminalText, writeError } from "../../modes/terminal-text.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const sessionsUsage = "Usage: pi sessions [--all] [--limit n] [--json] [--session-dir folder]";

/** Default number of sessions in the list. */
const defaultLimit = 20;
/** Characters of a session's title. */
const maxTitle = 70;

/**
 * Runs `pi sessions`: lists the stored sessions of this folder, or with `--all` those of every folder, the latest first.
 *
 * @throws {UsageError} For unknown options.
 */
export async function listSessions(args: readonly string[]): Promise<number> {
  const { values } = parseSubcommand(sessionsUsage, () =>
    parseArgs({
      args: [...args],
      options: {
        all: { type: "boolean", default: false },
        limit: { type: "string", default: String(defaultLimit) },
        json: { type: "boolean", default: false },
        "session-dir": { type: "string" },
      },
    }),
  );
  const limit = Math.max(1, Number.parseInt(values.limit, 10) || defaultLimit);
  const cwd = process.cwd();
  const agentDir = agentFolder();
  const folder = resolve(values["session-dir"] ?? sessionFolder(cwd, agentDir));
  const sessions = await listStored(values.all ? await allSessionFolders(agentDir) : [folder], limit);
  if (sessions.length === 0 && !values.json) {
    writeError(
      values.all ? "There are no sessions yet." : `There is no session of ${cwd}. pi sessions --all lists those of every folder.`,
    );
  }
  for (const info of sessions) {
    const line = values.json ? toJson(info, describeStored(info)) : toLine(info, describeStored(info), values.all);
    process.stdout.write(`${line}\n`);
  }
  return 0;
}

function toJson({ ref, modifiedMs, ...info }: SessionInfo, description: SessionDescription): string {
  return JSON.stringify({ ...info, path: ref, modifiedAt: new Date(modifiedMs).toISOString(), ...description });
}

function toLine({ id, cwd, modifiedMs }: SessionInfo, { name, firstPrompt = "" }: SessionDescription, hasFolder: boolean): string {
  const prompt = firstPrompt.replace(/\s+/g, " ").trim();
  const title = name === undefined ? prompt : `${name}: ${prompt}`;
  const shown = title.length > maxTitle ? `${title.slice(0, maxTitle - 1)}…` : title;
  return toTerminalText([id, describeAge(Date.now() - modifiedMs).padEnd(14), ...(hasFolder ? [cwd] : []), shown].join("  "));
}
