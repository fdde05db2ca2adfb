import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { reasonOf, replaceFile } from "@pikit/ai/files";
import type { Conversation } from "../conversation/conversation.ts";
import { SessionError } from "../errors.ts";
import { EntryRenderer } from "./entry-renderer.ts";
import { pageEnd, pageStart } from "./page.ts";
import { createRedact, type Redact, redactDeep } from "./redact-paths.ts";

/** Maximum number of entries in memory. */
const batchSize = 50;

/** The parts of a conversation that the export uses. */
export type ExportedConversation = Pick<Conversation, "header" | "name" | "labels" | "nodes" | "activeBranch" | "read">;

/**
 * Renders the active branch of a conversation as one self-contained HTML page, without scripts and network access. Yields it in pieces, so
 * that a large session needs no more memory than a small one.
 *
 * @param redact - Replaces paths in all texts. Default: none are replaced.
 * @throws {SessionError} `read_failed`, during the iteration.
 * @internal Exported for its tests.
 */
export async function* renderHtml(conversation: ExportedConversation, redact?: Redact): AsyncGenerator<string> {
  const { header, name, labels, nodes } = conversation;
  const branch = [...conversation.activeBranch()];
  const toShown = <T>(value: T): T => (redact ? redactDeep(value, redact) : value);
  const renderer = new EntryRenderer();
  yield pageStart(toShown({ header, name, elsewhere: nodes.length - branch.length }));
  for (let start = 0; start < branch.length; start += batchSize) {
    for (const entry of await conversation.read(branch.slice(start, start + batchSize))) {
      const html = renderer.add(toShown(entry), toShown(labels.get(entry.id)?.label));
      if (html !== "") yield html;
    }
  }
  yield renderer.end() + pageEnd(renderer.stats);
}

export interface ExportOptions {
  cwd: string;
  /** Relative to `cwd`. Default: `pi-session-<id>.html`. */
  outputPath?: string | undefined;
  /** Whether the page shows `.` in place of the working folder of the session, and `~` in place of the home folder. Default: false. */
  redactPaths?: boolean | undefined;
}

/**
 * Writes the page to a file that only this user may read. Replaces an existing file atomically; a symbolic link stays.
 *
 * @returns The absolute path.
 * @throws {SessionError} `write_failed`, `read_failed`.
 */
export async function exportHtml(
  conversation: ExportedConversation,
  { cwd, outputPath, redactPaths = false }: ExportOptions,
): Promise<string> {
  // The id may be any text if another program wrote the header.
  const path = resolve(cwd, outputPath ?? `pi-session-${conversation.header.id.replace(/[^\w.-]/g, "_")}.html`);
  const redact = redactPaths ? await redactFolders(conversation.header.cwd) : undefined;
  try {
    await replaceFile(path, () => renderHtml(conversation, redact), { isPrivate: true });
    return path;
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const reason = reasonOf(cause);
    throw new SessionError("write_failed", `Cannot write the export to ${path}: ${reason}. Give another path.`, { cause });
  }
}

/** Replaces the working folder of a session and the home folder: that of this user, and the one that contains the working folder. */
async function redactFolders(cwd: string): Promise<Redact> {
  // A session may have been stored by another user, or on another machine.
  const [homeOfSession] = /^(?:\/(?:home|Users)|[a-z]:[/\\]Users)[/\\][^/\\]+/i.exec(cwd) ?? [];
  const homes = [...(await spellingsOf(homedir())), ...(homeOfSession === undefined ? [] : [homeOfSession])];
  const folders = await spellingsOf(cwd);
  return createRedact([
    ...homes.map((path) => ({ path, replacement: "~" })),
    ...folders.map((path) => ({ path, replacement: "." })),
  ]);
}

/** A folder as it is named, and with links resolved: results of tools name it both ways. */
async function spellingsOf(folder: string): Promise<string[]> {
  // The folder is on another machine, or gone.
  const resolved = await realpath(folder).catch(() => folder);
  return [folder, resolved];
}
