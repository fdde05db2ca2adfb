import { join } from "node:path";
import { findChanges, type Snapshot, type SnapshotLimits, type SnapshotParts, takeSnapshot } from "./git/snapshot.ts";
import { findRoot, WorkingTree } from "./git/working-tree.ts";
import type { ObjectStore } from "./object-store.ts";
import type { CommandRecord, FileChange } from "./records.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** The state before a command, as it is stored. */
interface StoredSnapshot extends Omit<Snapshot, "files"> {
  root: string;
  files: [path: string, file: { state: string; image: FileChange["before"] }][];
}

/** The number of commands before which a working tree is not looked at after the first look that took too long. */
const firstPause = 4;

interface Pause {
  error: SnapshotError;
  /** The number of commands without a look, and how many of them are left. */
  count: number;
  left: number;
}

/** A command that runs, and the state before it. */
export interface BegunCommand {
  /** The hash of the stored state. */
  hash: string;
  /** @throws {SnapshotError} */
  findChanges(): Promise<FileChange[]>;
}

/** Looks at the git working trees in which commands run. */
export class CommandLooks {
  readonly #store: ObjectStore;
  readonly #folder: string;
  readonly #limits: SnapshotLimits;
  #tree: WorkingTree | undefined;
  #known: Snapshot | undefined;
  /** The working trees that are not looked at before some of the next commands, by root. */
  readonly #paused = new Map<string, Pause>();

  /** @param folder - For the private index. */
  constructor(store: ObjectStore, folder: string, limits: SnapshotLimits) {
    this.#store = store;
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Forgets what is stored, because the store has been pruned. */
  forget(): void {
    this.#known = undefined;
  }

  /** Looks at the working tree before a command. @throws {SnapshotError} */
  async begin(cwd: string): Promise<BegunCommand> {
    const root = findRoot(cwd);
    if (root === undefined) throw new SnapshotError("the working folder is not in a git working tree", "outside");
    this.#requireUnpaused(root);
    const snapshot = await this.#watch(root, async (parts) => takeSnapshot(parts, this.#known));
    this.#paused.delete(root);
    this.#known = snapshot;
    const hash = await this.#store.put(Buffer.from(encode(root, snapshot)));
    return { hash, findChanges: () => this.#watch(root, (parts) => findChanges(snapshot, parts)) };
  }

  /** Finds what a command has changed whose process was killed, as far as that is known. @throws {SnapshotError} */
  async recover({ snapshot: hash }: CommandRecord): Promise<FileChange[]> {
    const content = await this.#store.read(hash);
    if (!content) throw new SnapshotError("the state before the command is not stored any more", "git");
    const { root, files, ...times } = JSON.parse(content.toString()) as StoredSnapshot;
    const changes = await this.#watch(root, (parts) => findChanges({ ...times, files: new Map(files) }, parts));
    return changes.map((change) => ({ ...change, isUncertain: true as const }));
  }

  #requireUnpaused(root: string): void {
    const pause = this.#paused.get(root);
    if (!pause || pause.left === 0) return;
    pause.left -= 1;
    throw pause.error;
  }

  /** Does a look within its time. */
  async #watch<T>(root: string, look: (parts: SnapshotParts) => Promise<T>): Promise<T> {
    const { maxMs } = this.#limits;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), maxMs);
    const { signal } = controller;
    try {
      if (this.#tree?.root !== root) {
        this.#known = undefined;
        this.#tree = await WorkingTree.open(root, join(this.#folder, "index"), signal);
      }
      return await look({ tree: this.#tree, store: this.#store, limits: this.#limits, signal });
    } catch (cause) {
      const error = cause instanceof SnapshotError ? cause : new SnapshotError(`a file cannot be read: ${String(cause)}`, "size");
      // It would probably fail in the same way before the next command. The machine may have been busy, so it is tried again later.
      const count = error.problem === "git" ? Number.POSITIVE_INFINITY : 2 * (this.#paused.get(root)?.count ?? firstPause / 2);
      if (error.problem === "time" || error.problem === "git") this.#paused.set(root, { error, count, left: count });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function encode(root: string, { files, ...others }: Snapshot): string {
  return JSON.stringify({ root, ...others, files: [...files] } satisfies StoredSnapshot);
}
