import { dirname } from "node:path";
import type { FileAccess, FileType } from "../../../src/tools/files/file-access.ts";

/** A tree in memory, by absolute path; folders are implied. A path that ends with `/` is an empty folder. */
export function createMemoryFiles(tree: Record<string, string | Uint8Array>): FileAccess & { reads: string[] } {
  const nodes = new Map<string, Map<string, FileType> | Buffer>([["/", new Map()]]);
  const folder = (path: string): Map<string, FileType> => {
    const known = nodes.get(path);
    if (known instanceof Map) return known;
    const made = new Map<string, FileType>();
    nodes.set(path, made);
    folder(dirname(path)).set(path.slice(path.lastIndexOf("/") + 1), "directory");
    return made;
  };
  for (const [path, content] of Object.entries(tree)) {
    if (path.endsWith("/")) folder(path.slice(0, -1));
    else {
      folder(dirname(path)).set(path.slice(path.lastIndexOf("/") + 1), "file");
      nodes.set(path, Buffer.from(content));
    }
  }
  const reads: string[] = [];
  const find = (path: string, syscall: string) => {
    const node = nodes.get(path);
    if (node === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT", syscall });
    return node;
  };
  const stat = async (path: string) => {
    const node = find(path, "stat");
    return node instanceof Map
      ? { type: "directory" as const, size: 0, modifiedMs: 0 }
      : { type: "file" as const, size: node.length, modifiedMs: 0 };
  };
  const readOnly = async (): Promise<never> => {
    throw Object.assign(new Error("EROFS"), { code: "EROFS", syscall: "open" });
  };
  return {
    reads,
    stat,
    lstat: stat,
    realpath: async (path) => {
      find(path, "realpath");
      return path;
    },
    readlink: readOnly,
    async readdir(path) {
      const node = find(path, "scandir");
      if (!(node instanceof Map)) throw Object.assign(new Error("ENOTDIR"), { code: "ENOTDIR", syscall: "scandir" });
      return [...node].map(([name, type]) => ({ name, type }));
    },
    async open(path) {
      const node = find(path, "open");
      if (node instanceof Map) throw Object.assign(new Error("EISDIR"), { code: "EISDIR", syscall: "open" });
      reads.push(path);
      return {
        read: async (buffer, position) => node.copy(buffer, 0, position),
        close: async () => undefined,
      };
    },
    mkdir: readOnly,
    replace: readOnly,
  };
}
