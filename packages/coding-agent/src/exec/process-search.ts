import { breathe } from "./breathe.ts";
import { type ProcessRow, type ProcessTable, processTable } from "./process-table.ts";

/** The owner of processes: one command, or all commands of a runner. */
export interface ProcessOwner {
  /** Process groups, by the pid of the leader. */
  groups: ReadonlySet<number>;
  /** The prefix of the marks of the processes. */
  mark: string;
}

/**
 * Finds the processes of an owner: members of its groups, marked processes, and the descendants of both. A process that was found once is
 * also found later, even if its parent has died or it has changed its group.
 */
export class ProcessSearch {
  readonly #owner: ProcessOwner;
  readonly #table: ProcessTable;
  readonly #found = new Set<string>();
  /** Processes without the mark. They are not checked again, because a process cannot get a mark later. */
  readonly #foreign = new Set<string>();

  constructor(owner: ProcessOwner, table: ProcessTable = processTable) {
    this.#owner = owner;
    this.#table = table;
  }

  /** Returns the living processes of the owner; undefined if the process list is not available. */
  async find(): Promise<ProcessRow[] | undefined> {
    const rows = (await this.#table())?.filter(({ pid }) => pid !== process.pid);
    if (!rows) return undefined;
    const own = new Set<number>();
    for (const row of rows) {
      if (this.#isOwn(row)) own.add(row.pid);
      await breathe();
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
