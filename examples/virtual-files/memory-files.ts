import { posix } from "node:path";
import type { DirectoryEntry, FileAccess, FileFacts, OpenFile } from "@pikit/coding-agent";

const { dirname } = posix;

interface Node {
  /** Absent for a folder. */
  content?: Uint8Array;
  modifiedMs: number;
}

/** A tree of files in memory, without links. */
export class MemoryFiles implements FileAccess {
  readonly homeFolder = "/";
  readonly #nodes = new Map<string, Node>([["/", { modifiedMs: Date.now() }]]);

  async stat(path: string): Promise<FileFacts> {
    const { content, modifiedMs } = this.#get(path, "stat");
    return { type: content ? "file" : "directory", size: content?.length ?? 0, modifiedMs };
  }

  lstat(path: string): Promise<FileFacts> {
    return this.stat(path);
  }

  async realpath(path: string): Promise<string> {
    this.#get(path, "realpath");
    return posix.resolve(path);
  }

  async readlink(path: string): Promise<string> {
    this.#get(path, "readlink");
    throw systemError("EINVAL", "readlink", path);
  }

  async readdir(path: string): Promise<DirectoryEntry[]> {
    if (this.#get(path, "scandir").content) throw systemError("ENOTDIR", "scandir", path);
    const folder = posix.resolve(path);
    return [...this.#nodes].flatMap(([name, { content }]) =>
      name !== "/" && dirname(name) === folder ? [{ name: posix.basename(name), type: content ? "file" : "directory" }] : [],
    );
  }

  async open(path: string): Promise<OpenFile> {
    const { content } = this.#get(path, "open");
    if (!content) throw systemError("EISDIR", "read", path);
    return {
      async read(buffer, position) {
        const piece = content.subarray(position, position + buffer.length);
        buffer.set(piece);
        return piece.length;
      },
      async close() {},
    };
  }

  async mkdir(path: string): Promise<void> {
    const folder = posix.resolve(path);
    const known = this.#nodes.get(folder);
    if (known?.content) throw systemError("EEXIST", "mkdir", path);
    if (known) return;
    await this.mkdir(dirname(folder));
    this.#nodes.set(folder, { modifiedMs: Date.now() });
  }

  async replace(path: string, content: string | Uint8Array, signal: AbortSignal): Promise<{ created: boolean }> {
    signal.throwIfAborted();
    const file = posix.resolve(path);
    if (this.#get(dirname(file), "open").content) throw systemError("ENOTDIR", "open", path);
    const created = !this.#nodes.has(file);
    this.#nodes.set(file, { content: Buffer.from(content), modifiedMs: Date.now() });
    return { created };
  }

  /** All files, by path. */
  *list(): Generator<[path: string, content: Uint8Array]> {
    for (const [path, { content }] of this.#nodes) if (content) yield [path, content];
  }

  async remove(path: string): Promise<void> {
    this.#nodes.delete(path);
  }

  #get(path: string, syscall: string): Node {
    const node = this.#nodes.get(posix.resolve(path));
    if (!node) throw systemError("ENOENT", syscall, path);
    return node;
  }
}

/** What Node's own functions reject with. The tools make words for the model of `code`. */
function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}
