import { dirname, join } from "node:path";
import type ignore from "ignore";
import type { FileAccess, OpenFile } from "../files/file-access.ts";
import { isRepository } from "./repositories.ts";

export const ignoreFileName = ".gitignore";
/** Nobody writes such a file by hand, and a larger one would hold up everything. */
const maxIgnoreFileBytes = 1024 * 1024;

/** What a folder has to do with rules. */
export interface RuledFolder {
  isRepository: boolean;
  /** The text of its .gitignore. */
  ignoreFile: string | undefined;
}

/** The rules of one .gitignore. */
interface Scope {
  matcher: ignore.Ignore;
  /** How many characters of a path, relative to the root of the walk, lead to the folder of these rules … */
  skip: number;
  /** … or, for a folder above that root, the way from the one to the other. */
  prefix: string;
}

/**
 * The .gitignore files that hold in a folder, inside and outside of repositories. The innermost rule that matches decides, and rules
 * end at the root of a nested repository. Paths are relative to the root of the walk and `/`-separated.
 */
export class IgnoreRules {
  readonly #create: () => ignore.Ignore;
  /** The innermost first. */
  readonly #scopes: readonly Scope[];

  private constructor(create: () => ignore.Ignore, scopes: readonly Scope[]) {
    this.#create = create;
    this.#scopes = scopes;
  }

  /** The rules that folders above the root have for what is in it; the root itself counts as wanted, whatever they say of it. */
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
        const scope = { matcher: create().add(ignoreFile), skip: 0, prefix };
        scopes.push(folders.reduce((known, _, index) => reinclude(create, known, folders.slice(0, index + 1).join("/")), scope));
      }
      folder = parent;
    }
    return new IgnoreRules(create, scopes);
  }

  /** The rules inside a folder of the walk that is not ignored. */
  enter(path: string, { isRepository: endsOuterRules, ignoreFile }: RuledFolder): IgnoreRules {
    const outer = endsOuterRules ? [] : this.#scopes;
    // An inner rule may have readmitted what an outer one ignores. That holds for all that is in it.
    const scopes = path === "" ? outer : outer.map((scope) => reinclude(this.#create, scope, ownPath(scope, path)));
    if (ignoreFile === undefined) return new IgnoreRules(this.#create, scopes);
    const skip = path === "" ? 0 : path.length + 1;
    return new IgnoreRules(this.#create, [{ matcher: this.#create().add(ignoreFile), skip, prefix: "" }, ...scopes]);
  }

  ignores(path: string, isDirectory: boolean): boolean {
    for (const scope of this.#scopes) {
      const own = ownPath(scope, path);
      const { ignored, unignored } = scope.matcher.test(isDirectory ? `${own}/` : own);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/**
 * The text of a folder's .gitignore; undefined where there is none that can be read. A pipe or device of that name is not touched,
 * since reading it may never end.
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
    if (error instanceof Error && "code" in error) return undefined; // missing, or not ours to read
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

/** A matcher ignores all that is in an ignored folder, so a folder that is walked all the same gets a rule of its own. */
function reinclude(create: () => ignore.Ignore, scope: Scope, ownFolder: string): Scope {
  if (!scope.matcher.ignores(`${ownFolder}/`)) return scope;
  const pattern = `!/${ownFolder.replace(/[\\*?[\] ]/g, "\\$&")}/`;
  return { ...scope, matcher: create().add(scope.matcher).add({ pattern }) };
}
