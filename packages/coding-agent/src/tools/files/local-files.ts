import type { Dirent, Stats } from "node:fs";
import { chmod, lstat, readdir, readlink, realpath, rmdir, stat, symlink, unlink } from "node:fs/promises";
import { makeFolder, openFile, replaceFile } from "@pikit/ai/files";
import type { FileAccess, FileFacts, FileType } from "./file-access.ts";

/** The files of this machine. */
export const localFiles: FileAccess = {
  stat: async (path) => toFacts(await stat(path)),
  lstat: async (path) => toFacts(await lstat(path)),
  realpath: (path) => realpath(path),
  readlink: (path) => readlink(path),
  async readdir(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, type: toType(entry) }));
  },
  async open(path) {
    const { file } = await openFile(path);
    return {
      read: async (buffer, position) => (await file.read(buffer, 0, buffer.length, position)).bytesRead,
      close: () => file.close(),
    };
  },
  mkdir: (path) => makeFolder(path),
  replace: (path, content, signal) => replaceFile(path, content, { signal }),
  async remove(path) {
    if ((await lstat(path)).isDirectory()) await rmdir(path);
    else await unlink(path);
  },
  setMode: (path, mode) => chmod(path, mode),
  makeLink: (path, target) => symlink(target, path),
};

function toFacts(stats: Stats): FileFacts {
  return { type: toType(stats), size: stats.size, modifiedMs: stats.mtimeMs, mode: stats.mode & 0o7777 };
}

function toType(entry: Stats | Dirent): FileType {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}
