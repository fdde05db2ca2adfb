import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentFolder, sessionFolder } from "../../config/paths.ts";
import { describeSessionFile, type SessionDescription } from "../../conversation/describe-session.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import type { SessionInfo } from "../../conversation/session-store.ts";
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
  const folders = values.all ? await foldersIn(join(agentDir, "sessions")) : [folder];
  const infos = (await Promise.all(folders.map((path) => new FileSessionStore(path).list({ limit })))).flat();
  const sessions = infos.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, limit);
  if (sessions.length === 0 && !values.json) {
    writeError(
      values.all ? "There are no sessions yet." : `There is no session of ${cwd}. pi sessions --all lists those of every folder.`,
    );
  }
  for (const info of sessions) {
    const line = values.json ? toJson(info, describe(info)) : toLine(info, describe(info), values.all);
    process.stdout.write(`${line}\n`);
  }
  return 0;
}

async function foldersIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

/** A session that vanishes while the list is made has no description. */
function describe({ ref }: SessionInfo): SessionDescription {
  try {
    return describeSessionFile(ref);
  } catch {
    return {};
  }
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

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** An age in words, such as `2 hours ago`. */
export function describeAge(ageMs: number): string {
  const [unit, unitMs] = units.find(([, each]) => ageMs >= each) ?? ["minute", 60_000];
  const count = Math.floor(ageMs / unitMs);
  return count < 1 ? "now" : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
