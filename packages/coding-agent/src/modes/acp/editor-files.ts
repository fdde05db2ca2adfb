import type { FileAccess, OpenFile } from "../../tools/files/file-access.ts";
import { detectFileKind, kindHeadBytes } from "../../tools/files/file-kind.ts";
import { localFiles } from "../../tools/files/local-files.ts";
import { isInside } from "../../tools/files/write-target.ts";
import type { JsonRpc } from "./json-rpc.ts";
import type { ClientCapabilities } from "./protocol.ts";

/**
 * The files of the editor: texts in the working folder are read from it and written by it, so that unsaved buffers are seen, and a change can
 * be undone in the editor. All other files are those of this machine.
 *
 * @param sessionId - Called with each request, because the session has no id yet when its tools are created.
 */
export function editorFiles(
  rpc: JsonRpc,
  { fs }: ClientCapabilities,
  cwd: string,
  sessionId: () => string,
): FileAccess | undefined {
  if (!fs?.readTextFile && !fs?.writeTextFile) return undefined;
  /** The text that `stat` has fetched, for the `open` that follows. */
  let latest: { path: string; bytes: Buffer } | undefined;

  /** The text that the editor has; undefined if it has none. */
  async function fetchText(path: string): Promise<Buffer | undefined> {
    if (!fs?.readTextFile || !isInside(cwd, path) || !(await isText(path))) return undefined;
    try {
      const answer = (await rpc.request("fs/read_text_file", { sessionId: sessionId(), path })) as { content?: unknown } | null;
      return typeof answer?.content === "string" ? Buffer.from(answer.content) : undefined;
    } catch {
      return undefined; // such as a file that the editor leaves out of the project
    }
  }

  return {
    ...localFiles,
    searched: localFiles,
    async stat(path) {
      const facts = await localFiles.stat(path);
      const bytes = facts.type === "file" ? await fetchText(path) : undefined;
      latest = bytes && { path, bytes };
      return bytes ? { ...facts, size: bytes.length } : facts;
    },
    async open(path) {
      const fetched = latest?.path === path ? latest.bytes : await fetchText(path);
      latest = undefined;
      return fetched ? openBytes(fetched) : localFiles.open(path);
    },
    async replace(path, content, signal) {
      const text = typeof content === "string" ? content : decode(content);
      if (!fs.writeTextFile || text === undefined || !isInside(cwd, path)) return localFiles.replace(path, content, signal);
      const created = await isMissing(path);
      await rpc.request("fs/write_text_file", { sessionId: sessionId(), path, content: text }, signal);
      return { created };
    },
  };
}

function openBytes(bytes: Buffer): OpenFile {
  return {
    read: async (buffer, position) => bytes.copy(buffer, 0, position, position + buffer.length),
    close: async () => undefined,
  };
}

/** Whether the file on disk is a text: editors cannot give the bytes of others. */
async function isText(path: string): Promise<boolean> {
  const file = await localFiles.open(path);
  try {
    const head = Buffer.alloc(kindHeadBytes);
    const found = detectFileKind(head.subarray(0, await file.read(head, 0)));
    return found.kind === "text" && found.encoding === "utf-8";
  } finally {
    await file.close();
  }
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await localFiles.stat(path);
    return false;
  } catch {
    return true;
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
