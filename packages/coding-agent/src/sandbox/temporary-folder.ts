import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, readdirSync, realpathSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolderSync, openFileSync } from "@pikit/ai/files";
import { isReachable } from "../exec/running-groups.ts";
import { createSeccompFilter } from "./seccomp-filter.ts";

/** The pid of the process is part of the name. */
const folderPattern = /^pikit-sandbox-(\d+)-[0-9a-f]{24}$/;
/** Milliseconds after which the folder of a process that has ended is removed. */
const maxAgeMs = 24 * 3600 * 1000;

/** A private folder of a session: what its commands write to /tmp, and the filter of their system calls. */
export class TemporaryFolder {
  /** The folder for commands, with links resolved. */
  readonly path: string;
  readonly #outer: string;
  readonly #filter: string | undefined;

  constructor() {
    const parent = realpathSync(tmpdir());
    removeOldFolders(parent);
    this.#outer = join(parent, `pikit-sandbox-${process.pid}-${randomBytes(12).toString("hex")}`);
    this.path = join(this.#outer, "tmp");
    makeFolderSync(this.#outer, 0o700);
    makeFolderSync(this.path, 0o700);
    this.#filter = this.#writeFilter();
  }

  /** Opens the filter of system calls. Each start of bubblewrap needs its own descriptor, because it reads to the end. */
  openFilter(): number | undefined {
    return this.#filter === undefined ? undefined : openFileSync(this.#filter).file;
  }

  /** Removes the folder and all that commands have left in it. Never rejects. */
  async remove(): Promise<void> {
    await rm(this.#outer, { recursive: true, force: true }).catch(() => undefined);
  }

  #writeFilter(): string | undefined {
    const filter = createSeccompFilter();
    if (!filter) return undefined;
    const path = join(this.#outer, "filter");
    const { file } = openFileSync(path, { use: "create" });
    writeSync(file, filter);
    closeSync(file);
    return path;
  }
}

/** Removes the folders of processes that were killed a day ago or earlier. */
function removeOldFolders(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(folderPattern.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isReachable(pid)) continue;
    const path = join(parent, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.uid !== process.getuid?.() || Date.now() - stats.mtimeMs < maxAgeMs) continue;
    void rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
