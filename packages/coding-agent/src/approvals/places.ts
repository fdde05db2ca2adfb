import { tmpdir } from "node:os";
import { basename, dirname, join, relative, sep } from "node:path";
import type { FileAccess } from "../tools/files/file-access.ts";
import { findWriteTarget, isInside } from "../tools/files/write-target.ts";

/** Where a path is: in the working folder, among temporary files, elsewhere, or not known. */
export type Location = "inside" | "temporary" | "outside" | "unknown";

export interface PlacedPath {
  location: Location;
  /** With links resolved, as far as it is known. */
  target: string | undefined;
}

/** The working folder and the folders for temporary files, with links resolved. */
export class Places {
  readonly folder: string;
  readonly #temporary: readonly string[];
  readonly #files: FileAccess;

  private constructor(folder: string, temporary: readonly string[], files: FileAccess) {
    this.folder = folder;
    this.#temporary = temporary;
    this.#files = files;
  }

  static async of({ cwd, files }: { cwd: string; files: FileAccess }): Promise<Places> {
    const real = (path: string) => files.realpath(path).catch(() => path);
    const temporary = new Set(await Promise.all(["/tmp", "/var/tmp", tmpdir()].map(real)));
    return new Places(await real(cwd), [...temporary], files);
  }

  /**
   * Finds where a path leads, as the system would: links are followed, and `..` is the folder above the target of a link.
   *
   * @param path - Absolute.
   * @param isEntry - Whether the path itself may be a link that is not followed, as when it is deleted. Default: false.
   * @param isPattern - Whether it may have wildcards, which are not expanded. Default: true.
   */
  async find(path: string, { isEntry = false, isPattern = true } = {}): Promise<PlacedPath> {
    const plain = isPattern ? upToPattern(path) : path;
    const rest = path.slice(plain.length);
    if (/(^|\/)\.\.(\/|$)/.test(rest)) return { location: "unknown", target: undefined };
    const followsLast = !isEntry || rest !== "" || /(^|\/)(\.\.?)?$/.test(plain);
    const target = followsLast
      ? await findWriteTarget(this.#files, plain)
      : await findWriteTarget(this.#files, dirname(plain)).then((folder) => folder && join(folder, basename(plain)));
    if (target === undefined) return { location: "unknown", target };
    return { location: this.#locate(target.replace(/(.)\/$/, "$1")), target };
  }

  /** Whether a path is one of the folders for temporary files. */
  isTemporaryFolder(target: string): boolean {
    return this.#temporary.includes(target.replace(/(.)\/$/, "$1"));
  }

  #locate(target: string): Location {
    if (isInside(this.folder, target)) return "inside";
    return this.#temporary.some((folder) => this.#isTemporary(folder, target)) ? "temporary" : "outside";
  }

  /** The working folder may be below the folder for temporary files: then what is next to it is not temporary. */
  #isTemporary(folder: string, target: string): boolean {
    if (!isInside(folder, target)) return false;
    if (!isInside(folder, this.folder) || target === folder) return true;
    const [own = ""] = relative(folder, this.folder).split(sep);
    return !isInside(join(folder, own), target);
  }
}

/** The part of a path before the first name with a wildcard. */
function upToPattern(path: string): string {
  const at = path.search(/[*?[]/);
  return at === -1 ? path : path.slice(0, path.lastIndexOf("/", at)) || "/";
}

const builtFolder =
  /^(node_modules|(dist|build|out)([-_]\w+)?|output|target|test-?output|reports?|elm-stuff|dist-newstyle|wheelhouse|coverage|htmlcov|obj|_build|_site|site-packages|storybook-static|artifacts|tmp|temp|cache|caches|logs|venv|DerivedData|Pods|bazel-\w+|cmake-build-\w+|\.(next|nuxt|output|svelte-kit|astro|turbo|cache|parcel-cache|vite|angular|expo|docusaurus|serverless|terraform|gradle|tox|nox|venv|nyc_output|pytest_cache|mypy_cache|ruff_cache|ipynb_checkpoints|eggs|tmp|temp|vercel|netlify|wrangler|dart_tool|swc|coverage|hypothesis|jest-cache|playwright|wireit|nx)|__pycache__|test-results|playwright-report|\S+\.egg-info|\S+\.dSYM)$/;
const builtFile =
  /^(\S*\.(log|tmp|temp|bak|orig|rej|swp|swo|pyc|pyo|o|obj|class|cache|pid|lock|tsbuildinfo|out|prof|profraw|gcda|gcno|map|tgz|stackdump|d)|\S*~|#\S+#|core(\.\d+)?|\.DS_Store|Thumbs\.db|\.coverage(\.\S+)?|nohup\.out|a\.out|(tmp|temp|scratch)([-_.]\S*)?|\S*[-_.](tmp|temp)|\.eslintcache|\S+\.tmp\.\S+|npm-debug\S*|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock)$/;

/** Whether a path below the working folder is something that a build or a test makes again: one of its folders, or its own name. */
export function isBuilt(path: string): boolean {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return !names.includes("..") && (names.some((name) => builtFolder.test(name)) || builtFile.test(names.at(-1) ?? ""));
}

/** Files that are usually not in Git, so that nothing brings them back. */
export function isPrecious(path: string): boolean {
  return /(^|\/)(\.env(\.(?!example|sample|template)[^/]*)?|[^/]*\.(db|sqlite3?|pem|key|p12|kdbx|keystore|dump)|id_[a-z0-9]+|credentials[^/]*)$/.test(
    path,
  );
}

/** The kind of a file in the working folder with which something runs later: hooks and settings of Git, pi and shells, or of editors. */
export function startFile(path: string): "hook" | "editor" | undefined {
  if (/(^|\/)(\.git\/(hooks|config|info\/attributes)|\.pi|\.envrc|\.(ba|z)shrc|\.(bash_|z)?profile)(\/|$)/.test(path))
    return "hook";
  return /(^|\/)(\.vscode|\.idea|\.husky)(\/|$)/.test(path) ? "editor" : undefined;
}
