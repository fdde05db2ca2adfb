import { resolve } from "node:path";
import type { DirectoryEntry, FileAccess, FileFacts } from "../../../tools/files/file-access.ts";
import { localFiles } from "../../../tools/files/local-files.ts";

type MaybePromise<T> = T | Promise<T>;

/** The file operations that extensions give to tools, for example for another machine. Paths are absolute. */
export interface FileOperations {
  /** Rejects if the file cannot be used. */
  access?(path: string): MaybePromise<void>;
  exists?(path: string): MaybePromise<boolean>;
  isDirectory?(path: string): MaybePromise<boolean>;
  stat?(path: string): MaybePromise<{ isDirectory(): boolean }>;
  readFile?(path: string): MaybePromise<Buffer | string>;
  writeFile?(path: string, content: string): MaybePromise<void>;
  readdir?(path: string): MaybePromise<string[]>;
  mkdir?(path: string): MaybePromise<void>;
}

/**
 * Makes a file system for a tool of file operations. Links are not known to it, and the working folder exists. This machine does the
 * operations that are missing.
 */
export function toFileAccess(cwd: string, operations: FileOperations): FileAccess {
  const { readFile, writeFile, readdir, mkdir } = operations;
  const bytesOf = async (path: string) => Buffer.from((await readFile?.(path)) ?? "");
  /** The content that `stat` has read for its size, until `open` takes it: reading may take a request over the network. */
  const known = new Map<string, Promise<Buffer>>();
  const read = (path: string): Promise<Buffer> => {
    const bytes = bytesOf(path);
    bytes.catch(() => known.delete(path));
    known.set(path, bytes);
    return bytes;
  };
  const facts = async (path: string): Promise<FileFacts> => {
    const type = resolve(path) === resolve(cwd) || (await isFolder(operations, path)) ? "directory" : "file";
    if (type === "file") await assertThere(operations, path);
    return { type, size: 0, modifiedMs: 0 };
  };
  return {
    ...localFiles,
    ...(readFile || readdir
      ? {
          lstat: facts,
          async stat(path: string): Promise<FileFacts> {
            const found = await facts(path);
            return found.type === "directory" || !readFile ? found : { ...found, size: (await read(path)).length };
          },
        }
      : {}),
    ...(readFile || readdir || writeFile
      ? { realpath: async (path) => path, readlink: () => Promise.reject(systemError("EINVAL", "readlink")) }
      : {}),
    ...(readFile
      ? {
          async open(path) {
            const bytes = await (known.get(path) ?? read(path));
            known.delete(path);
            return {
              read: async (buffer, position) => bytes.copy(buffer, 0, position, position + buffer.length),
              close: async () => undefined,
            };
          },
        }
      : {}),
    ...(readdir ? { readdir: async (path) => (await readdir(path)).map((name): DirectoryEntry => ({ name, type: "link" })) } : {}),
    ...(writeFile
      ? {
          // Tools for writing make the folder of a file; those for editing have no operation for it.
          mkdir: async (path: string) => void (await mkdir?.(path)),
          async replace(path: string, content: string | Uint8Array) {
            await writeFile(path, typeof content === "string" ? content : Buffer.from(content).toString("utf8"));
            return { created: !readFile };
          },
        }
      : {}),
    ...(writeFile && !readFile ? { stat: () => Promise.reject(systemError("ENOENT", "stat")) } : {}),
  };
}

async function isFolder({ isDirectory, stat }: FileOperations, path: string): Promise<boolean> {
  if (isDirectory) return isDirectory(path);
  return stat ? (await stat(path)).isDirectory() : false;
}

async function assertThere({ access, exists }: FileOperations, path: string): Promise<void> {
  await access?.(path);
  if (exists && !(await exists(path))) throw systemError("ENOENT", "stat");
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}
