import { Breather } from "./breather.ts";
import { type ProcessRow, type ProcessTable, processTable } from "./process-table.ts";

/** Whose processes are meant: those of one command, or of all commands of a runner. */
export interface ProcessOwner {
  /** Process groups, by the pid of the leader. */
  groups: ReadonlySet<number>;
  /** What the marks of the processes begin with. */
  mark: string;
}

/**
 * Finds what belongs to an owner: members of the groups, everything marked, all descendants of these, and what was found before. A
 * process that is found once stays found, though its parent dies or it changes its group.
 */
export class ProcessSearch {
  readonly #owner: ProcessOwner;
  readonly #table: ProcessTable;
  readonly #found = new Set<string>();
  /** Marks are not read twice; no process gets one later. */
  readonly #foreign = new Set<string>();

  constructor(owner: ProcessOwner, table: ProcessTable = processTable) {
    this.#owner = owner;
    this.#table = table;
  }

  /** Those that live; undefined when the system cannot be asked. */
  async find(): Promise<ProcessRow[] | undefined> {
    const rows = (await this.#table())?.filter(({ pid }) => pid !== process.pid);
    if (!rows) return undefined;
    const own = new Set<number>();
    const breather = new Breather();
    for (const row of rows) {
      if (this.#isOwn(row)) own.add(row.pid);
      if (breather.isDue) await breather.breathe();
    }
    addDescendants(rows, own);
    const found = rows.filter(({ pid }) => own.has(pid));
    for (const row of found) this.#found.add(identity(row));
    return found;
  }

  #isOwn(row: ProcessRow): boolean {
    const key = identity(row);
    if (this.#owner.groups.has(row.group) || this.#found.has(key)) return true;
    if (this.#foreign.has(key)) return false;
    const isMarked = row.isMarked(this.#owner.mark);
    if (isMarked === false) this.#foreign.add(key);
    return isMarked === true;
  }
}

function identity({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}

function addDescendants(rows: readonly ProcessRow[], own: Set<number>): void {
  for (let before = -1; before < own.size; ) {
    before = own.size;
    for (const { pid, parent } of rows) if (own.has(parent)) own.add(pid);
  }
}
