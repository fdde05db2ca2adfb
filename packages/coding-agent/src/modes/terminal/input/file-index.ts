import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { localFiles } from "../../../tools/files/local-files.ts";
import { walkTree } from "../../../tools/search/walk.ts";
import { untilAborted } from "../../../until-aborted.ts";

/** A file or folder of the tree. */
export interface IndexedFile {
  /** Relative, `/`-separated; that of a folder ends with `/`. */
  path: string;
  /** The same in lower case. */
  lowerCase: string;
  /** Where the last name starts. */
  nameStart: number;
  /** The number of folders above it. */
  depth: number;
}

export interface FileIndexOptions {
  /** Maximum number of entries. Default: 20,000. */
  maxEntries?: number;
  /** Maximum milliseconds of a walk. Default: 2,000. */
  maxMs?: number;
}

/** Milliseconds for which an index is current. */
const freshMs = 5000;
/** Milliseconds for which an older index is used while a new one is made. */
const usableMs = 60_000;

interface Listing {
  root: string;
  files: readonly IndexedFile[];
  madeAt: number;
}

interface Walk {
  root: string;
  result: Promise<Listing>;
}

/** The files of a working folder that the ignore rules do not exclude. Walks the tree when it is asked, and keeps the result for some seconds. */
export class FileIndex {
  readonly #options: FileIndexOptions;
  #last: Listing | undefined;
  #walk: Walk | undefined;

  constructor(options: FileIndexOptions = {}) {
    this.#options = options;
  }

  /**
   * Returns the files of a folder; the first ones, if there are too many. An abort ends the waiting; the walk continues for the next caller.
   *
   * @throws The system's error for the folder, and the reason of the abort signal.
   */
  async files(root: string, signal: AbortSignal): Promise<readonly IndexedFile[]> {
    const last = this.#last?.root === root ? this.#last : undefined;
    const age = last ? performance.now() - last.madeAt : Number.POSITIVE_INFINITY;
    if (last && age < freshMs) return last.files;
    const walk = this.#walk?.root === root ? this.#walk : this.#start(root);
    if (last && age < usableMs) return last.files;
    return (await untilAborted(walk.result, signal)).files;
  }

  #start(root: string): Walk {
    const result = listFiles(root, this.#options).then((files) => ({ root, files, madeAt: performance.now() }));
    const walk: Walk = { root, result };
    this.#walk = walk;
    result
      .then((listing) => {
        this.#last = listing;
      })
      .catch(() => undefined) // reported to the callers of `files`
      .finally(() => {
        if (this.#walk === walk) this.#walk = undefined;
      });
    return walk;
  }
}

async function listFiles(root: string, { maxEntries = 20_000, maxMs = 2000 }: FileIndexOptions): Promise<IndexedFile[]> {
  const files: IndexedFile[] = [];
  const deadline = performance.now() + maxMs;
  const entries = walkTree({
    files: localFiles,
    root: await realpath(root),
    signal: new AbortController().signal,
    accept: ({ type }) => type !== "other",
    // Most projects ignore it; in the others it would fill the index.
    enter: (path) => basename(path) !== "node_modules",
  });
  for await (const { path, type } of entries) {
    files.push(toIndexed(type === "directory" ? `${path}/` : path));
    if (files.length >= maxEntries || performance.now() > deadline) break;
  }
  return files;
}

function toIndexed(path: string): IndexedFile {
  const nameStart = path.lastIndexOf("/", path.length - 2) + 1;
  return { path, lowerCase: path.toLowerCase(), nameStart, depth: path.slice(0, nameStart).split("/").length };
}
