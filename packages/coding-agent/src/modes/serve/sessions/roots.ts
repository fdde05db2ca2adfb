import { realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { HttpError } from "../http/http-error.ts";

/** The folders within which sessions may work. All comparisons are of real paths, so neither links nor `..` lead out. */
export class Roots {
  /** Real paths. */
  readonly #folders: readonly [string, ...string[]];

  /** @param folders - See `openRoots`. */
  constructor(folders: readonly [string, ...string[]]) {
    this.#folders = folders;
  }

  /** The default working folder of new sessions. */
  get first(): string {
    return this.#folders[0];
  }

  /** Whether a folder is within a root. For a missing folder, its nearest existing parent counts. */
  async contains(folder: string): Promise<boolean> {
    const real = await realPathOf(folder);
    return this.#folders.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
  }

  /** `contains` for many sessions, of which many have the same folder. */
  rememberContains(): (folder: string) => Promise<boolean> {
    const known = new Map<string, Promise<boolean>>();
    return (folder) => {
      const result = known.get(folder) ?? this.contains(folder);
      known.set(folder, result);
      return result;
    };
  }

  /**
   * Checks the working folder of a new session.
   *
   * @returns Its real path.
   * @throws {HttpError} `bad_request`, `forbidden`; `cannot_open` when there is no such folder.
   */
  async requireFolder(folder: string): Promise<string> {
    if (!isAbsolute(folder) || folder.includes("\0")) throw new HttpError("bad_request", 'Field "cwd" must be an absolute path.');
    if (!(await this.contains(folder))) throw outside();
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new HttpError("cannot_open", `There is no folder ${folder}. Create it, or give another "cwd".`);
    return realpath(folder);
  }
}

/** The error for a folder outside of all roots. It does not say whether the folder exists. */
export function outside(): HttpError {
  return new HttpError("forbidden", "The working folder is outside of the roots. Start pi serve with --root and that folder.");
}

/** The real path of a path whose last parts may not exist. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}
