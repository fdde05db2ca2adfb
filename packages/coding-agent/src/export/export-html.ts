import { resolve } from "node:path";
import { reasonOf, replaceFile } from "@pikit/ai/files";
import type { Conversation } from "../conversation/conversation.ts";
import { SessionError } from "../errors.ts";
import { pageEnd, pageStart } from "./page.ts";
import { renderEntry } from "./render-entry.ts";

/** Maximum number of entries in memory. */
const batchSize = 50;

/** The parts of a conversation that the export uses. */
export type ExportedConversation = Pick<Conversation, "header" | "name" | "labels" | "nodes" | "activeBranch" | "read">;

/**
 * Renders the active branch of a conversation as one self-contained HTML page, without scripts and network access. Yields it in pieces, so
 * that a large session needs no more memory than a small one.
 *
 * @throws {SessionError} `read_failed`, during the iteration.
 * @internal Exported for its tests.
 */
export async function* renderHtml(conversation: ExportedConversation): AsyncGenerator<string> {
  const { header, name, labels, nodes } = conversation;
  const branch = [...conversation.activeBranch()];
  yield pageStart({ header, name, elsewhere: nodes.length - branch.length });
  for (let start = 0; start < branch.length; start += batchSize) {
    for (const entry of await conversation.read(branch.slice(start, start + batchSize))) {
      const html = renderEntry(entry, labels.get(entry.id)?.label);
      if (html !== "") yield html;
    }
  }
  yield pageEnd;
}

/**
 * Writes the page to a file that only this user may read. Replaces an existing file atomically; a symbolic link stays.
 *
 * @param outputPath - Relative to `cwd`. Default: `pi-session-<id>.html`.
 * @returns The absolute path.
 * @throws {SessionError} `write_failed`, `read_failed`.
 */
export async function exportHtml(
  conversation: ExportedConversation,
  { cwd, outputPath }: { cwd: string; outputPath?: string | undefined },
): Promise<string> {
  // The id may be any text if another program wrote the header.
  const path = resolve(cwd, outputPath ?? `pi-session-${conversation.header.id.replace(/[^\w.-]/g, "_")}.html`);
  try {
    await replaceFile(path, () => renderHtml(conversation), { isPrivate: true });
    return path;
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const reason = reasonOf(cause);
    throw new SessionError("write_failed", `Cannot write the export to ${path}: ${reason}. Give another path.`, { cause });
  }
}
