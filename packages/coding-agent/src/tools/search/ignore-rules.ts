import { dirname, join } from "node:path";
import type ignore from "ignore";
import type { FileAccess, OpenFile } from "../files/file-access.ts";
import { compileNameRules } from "./name-rules.ts";
import { isRepository } from "./repositories.ts";

export const ignoreFileName = ".gitignore";
/** Larger ignore files are skipped: they are not written by hand, and they would take too long. */
const maxIgnoreFileBytes = 1024 * 1024;

/** The properties of a folder that affect ignore rules. */
export interface RuledFolder {
  isRepository: boolean;
  /** The text of the folder's .gitignore. */
  ignoreFile: string | undefined;
}

/** The rules of one .gitignore. */
interface Scope {
  matcher: ignore.Ignore;
  /** Whether a file with this name is ignored. Undefined if the rules need the path. */
  ignoresName: ((name: string) => boolean) | undefined;
  /** The number of characters to remove from a path relative to the root of the walk, to get one relative to the folder of the rules. */
  skip: number;
  /** For a folder above the root: the path from that folder to the root, which is added to paths instead. */
  prefix: string;
}

/**
 * The .gitignore rules for a folder, inside and outside of repositories. The innermost matching rule decides. Rules do not apply inside nested
 * repositories. Paths are relative to the root of the walk and `/`-separated.
 */
export class IgnoreRules {
  readonly #create: () => ignore.Ignore;
  /** The innermost first. */
  readonly #scopes: readonly Scope[];

  private constructor(create: () => ignore.Ignore, scopes: readonly Scope[]) {
    this.#create = create;
    this.#scopes = scopes;
  }

  /** Reads the rules of the folders above the root. The root itself is never ignored. */
  static async above(files: FileAccess, root: string, signal: AbortSignal): Promise<IgnoreRules> {
    const { default: createIgnore } = await import("ignore");
    const create = () => createIgnore({ ignorecase: false, allowRelativePaths: true });
    const scopes: Scope[] = [];
    let prefix = "";
    for (let folder = root; ; ) {
      signal.throwIfAborted();
      if (await isRepository(files, folder)) break;
      const parent = dirname(folder);
      if (parent === folder) break;
      prefix = `${folder.slice(parent.length).replace(/^[\\/]/, "")}/${prefix}`;
      const ignoreFile = await readIgnoreFile(files, parent, signal);
      if (ignoreFile !== undefined) {
        const folders = prefix.slice(0, -1).split("/");
        const scope = { ...compile(create, ignoreFile), skip: 0, prefix };
        scopes.push(folders.reduce((known, _, index) => reinclude(create, known, folders.slice(0, index + 1).join("/")), scope));
      }
      folder = parent;
    }
    return new IgnoreRules(create, scopes);
  }

  /** Returns the rules inside a folder of the walk that is not ignored. */
  enter(path: string, { isRepository: endsOuterRules, ignoreFile }: RuledFolder): IgnoreRules {
    const outer = endsOuterRules ? [] : this.#scopes;
    // An inner rule may include a folder that an outer rule ignores. This also applies to the content of the folder.
    const scopes = path === "" ? outer : outer.map((scope) => reinclude(this.#create, scope, ownPath(scope, path)));
    if (ignoreFile === undefined) return new IgnoreRules(this.#create, scopes);
    const skip = path === "" ? 0 : path.length + 1;
    return new IgnoreRules(this.#create, [{ ...compile(this.#create, ignoreFile), skip, prefix: "" }, ...scopes]);
  }

  ignores(path: string, isDirectory: boolean): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const scope of this.#scopes) {
      // The folder of the file is walked, so no rule of this scope ignores it, and only the name is left to look at.
      if (!isDirectory && scope.ignoresName) {
        if (scope.ignoresName(name)) return true;
        continue;
      }
      const own = ownPath(scope, path);
      const { ignored, unignored } = scope.matcher.test(isDirectory ? `${own}/` : own);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/**
 * Reads the .gitignore of a folder; undefined if it is missing or unreadable. A pipe or device with that name is not read, because reading it
 * may never end.
 */
export async function readIgnoreFile(files: FileAccess, folder: string, signal: AbortSignal): Promise<string | undefined> {
  const path = join(folder, ignoreFileName);
  try {
    const { type, size } = await files.stat(path);
    if (type !== "file" || size > maxIgnoreFileBytes) return undefined;
    const file = await files.open(path);
    try {
      return await readText(file, size, signal);
    } finally {
      await file.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && "code" in error) return undefined; // missing or not readable
    throw error;
  }
}

async function readText(file: OpenFile, size: number, signal: AbortSignal): Promise<string> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    signal.throwIfAborted();
    const count = await file.read(bytes.subarray(length), length);
    if (count === 0) break;
    length += count;
  }
  return bytes.toString("utf8", 0, length);
}

function ownPath({ skip, prefix }: Scope, path: string): string {
  return skip > 0 ? path.slice(skip) : prefix + path;
}

function compile(create: () => ignore.Ignore, ignoreFile: string): Pick<Scope, "matcher" | "ignoresName"> {
  return { matcher: create().add(ignoreFile), ignoresName: compileNameRules(ignoreFile) };
}

/** Adds a rule that includes a folder again. Otherwise the matcher ignores all its content, although the folder is walked. */
function reinclude(create: () => ignore.Ignore, scope: Scope, ownFolder: string): Scope {
  if (!scope.matcher.ignores(`${ownFolder}/`)) return scope;
  const pattern = `!/${ownFolder.replace(/[\\*?[\] ]/g, "\\$&")}/`;
  return { ...scope, ignoresName: undefined, matcher: create().add(scope.matcher).add({ pattern }) };
}
