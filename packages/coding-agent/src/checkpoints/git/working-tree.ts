import { lstatSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolderSync, readWhole, replaceFile } from "@pikit/ai/files";
import { findProgram } from "../../exec/find-program.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { type GitRun, runGit } from "./run-git.ts";

/** Maximum bytes of the index of a repository; one of 500,000 files has some 50 MB. */
const maxIndexBytes = 64 * 1024 * 1024;
/** Maximum bytes of a list of paths. */
const maxListBytes = 16 * 1024 * 1024;

/** A path whose content differs from that in the index, or is not in it. */
export interface StatusEntry {
  /** Relative to the root. */
  path: string;
  /** Undefined for an untracked path. */
  tracked?: { hash: string; mode: string };
}

/**
 * The root of the working tree that a folder is in; undefined outside of git. A folder without access counts as outside.
 */
export function findRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    try {
      if (lstatSync(join(folder, ".git"), { throwIfNoEntry: false })) return folder;
    } catch {
      return undefined;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * A git working tree, seen through a private copy of its index: the index, stashes, refs and objects of the user stay as they are. Hooks, the
 * fsmonitor and filters do not run.
 */
export class WorkingTree {
  readonly root: string;
  readonly #program: string;
  readonly #userIndex: string;
  /** Our copy. */
  readonly #index: string;
  readonly #settings: readonly string[];
  /** Whether git may write CRLF into files without attributes. */
  readonly convertsLines: boolean;
  #copied = "";

  private constructor(root: string, facts: { program: string; userIndex: string; index: string; config: string }) {
    this.root = root;
    this.#program = facts.program;
    this.#userIndex = facts.userIndex;
    this.#index = facts.index;
    this.#settings = settingsFor(facts.config);
    this.convertsLines = /^core\.(?:autocrlf\n(?:true|input)|eol\ncrlf)$/im.test(facts.config);
  }

  /**
   * @param index - The path of the private index.
   * @throws {SnapshotError} When git is missing or refuses the repository.
   */
  static async open(root: string, index: string, signal: AbortSignal): Promise<WorkingTree> {
    const program = await findProgram("git", { cwd: root, searchPath: process.env.PATH });
    if (program === undefined) throw new SnapshotError("git is not installed", "git");
    const run = { program, cwd: root, env: environment(), maxBytes: maxListBytes, signal };
    const gitDir = (await runGit(["rev-parse", "--absolute-git-dir"], run)).toString().replace(/\n$/, "");
    // Each entry is a name, a line feed and a value, and ends with a NUL.
    const config = (await runGit(["config", "--list", "-z"], run)).toString().replaceAll("\0", "\n");
    return new WorkingTree(root, { program, userIndex: join(gitDir, "index"), index, config });
  }

  /** Makes the private index a copy of the user's, unless that is unchanged since the last copy. */
  async takeIndex(): Promise<void> {
    rmSync(`${this.#index}.lock`, { force: true });
    const stats = statSync(this.#userIndex, { throwIfNoEntry: false });
    const state = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : "none";
    if (state === this.#copied) return;
    if (!stats) {
      rmSync(this.#index, { force: true });
    } else {
      makeFolderSync(dirname(this.#index), 0o700);
      await replaceFile(this.#index, await readWhole(this.#userIndex, maxIndexBytes), { isPrivate: true });
      // Files that changed just before the index was written are looked at again by git. It recognises them by this time.
      const seconds = Math.floor(stats.mtimeMs / 1000);
      utimesSync(this.#index, seconds, seconds);
    }
    this.#copied = state;
  }

  /** The paths that differ from the private index, without ignored ones. A repository within the tree is one untracked path that ends with a slash. */
  async status(signal: AbortSignal): Promise<StatusEntry[]> {
    const args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];
    return parseStatus((await this.git(args, { signal, maxBytes: maxListBytes })).toString());
  }

  /** Runs git with the private index. @throws {SnapshotError} */
  git(args: readonly string[], options: Pick<GitRun, "signal" | "maxBytes" | "input">): Promise<Buffer> {
    const env = { ...environment(), GIT_INDEX_FILE: this.#index, GIT_LITERAL_PATHSPECS: "1" };
    return runGit([...this.#settings, ...args], { program: this.#program, cwd: this.root, env, ...options });
  }
}

/** Variables of git could name another repository. Those that add settings stay. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_") || name.startsWith("GIT_CONFIG"));
  return { ...Object.fromEntries(kept), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" };
}

/** @param config - The configuration: for each entry a line with the name, and lines with the value. */
function settingsFor(config: string): string[] {
  const fixed = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.splitIndex=false", "status.showUntrackedFiles=all"];
  const filters = new Set([...config.matchAll(/^filter\.(.+)\.[a-z]+$/gm)].map(([, name]) => name));
  // A name with an equals sign cannot be given as an option.
  const names = [...filters].filter((name) => name !== undefined && !name.includes("="));
  const off = names.flatMap((name) => [
    ...["clean", "smudge", "process"].map((kind) => `filter.${name}.${kind}=`),
    `filter.${name}.required=false`,
  ]);
  return [...fixed, ...off].flatMap((setting) => ["-c", setting]);
}

/** Parses the output of `git status --porcelain=v2 -z`. Names that are not UTF-8 are left out. */
function parseStatus(output: string): StatusEntry[] {
  const entries: StatusEntry[] = [];
  for (const line of output.split("\0")) {
    if (line.includes("\ufffd")) continue;
    if (line.startsWith("? ")) entries.push({ path: line.slice(2) });
    // 1 XY sub mH mI mW hH hI path: the second state is that of the file.
    const changed = /^1 .[^.] N\.\.\. \d+ (?<mode>\d+) \d+ \w+ (?<hash>\w+) (?<path>.+)$/s.exec(line)?.groups;
    if (changed) entries.push({ path: changed.path ?? "", tracked: { hash: changed.hash ?? "", mode: changed.mode ?? "" } });
    // u XY sub m1 m2 m3 mW h1 h2 h3 path: a conflict of a merge, whose file is no content of git.
    const unmerged = /^u (?:\S+ ){9}(?<path>.+)$/s.exec(line)?.groups;
    if (unmerged) entries.push({ path: unmerged.path ?? "" });
  }
  return entries;
}
