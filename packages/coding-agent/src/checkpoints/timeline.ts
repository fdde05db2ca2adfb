import type { CommandRecord, FileChange, Image, JournalRecord, RestoreKind, Stamp } from "./records.ts";
import { isSame } from "./records.ts";

/** A command whose changes are unknown, or not completely known. */
export interface NotCovered {
  command: string;
  /** One sentence. */
  reason: string;
}

/** The change of a path over a part of the journal. */
export interface PathPlan {
  path: string;
  /** The state to go back to. */
  target: Image;
  /** The state that the path must have now. */
  expected: Image;
  /** Another state that it may have, because the last change was planned but did not happen. */
  previous: Image;
  /** Whether something else changed the path between two of the changes. */
  isBroken: boolean;
  /** The topmost folder that was created for the file. */
  folder?: string;
}

/** A part of the journal that takes effect at once. */
interface Operation extends Pick<Stamp, "id" | "entry" | "turn" | "time"> {
  files: readonly FileChange[];
  /** Whether conflicts were overwritten. */
  isForced: boolean;
  notCovered?: NotCovered;
}

/** The changes of one turn, from this operation on, and the turns before it whose changes are in effect. */
interface Step {
  turn: string | null;
  start: number;
  /** False if it has only commands whose changes are unknown. */
  hasFiles: boolean;
  previous: Step | undefined;
}

/** A restore that a redo can take back. */
interface Undone {
  start: number;
  /** The place to which it went back. */
  from: number;
  /** The last step before it. */
  step: Step | undefined;
  /** False if files were left out. */
  isComplete: boolean;
}

interface Restoring {
  id: string;
  kind: RestoreKind;
  start: number;
  from: number;
}

/** The state of a journal: its changes in the order of time, and what can be undone and redone. */
export class Timeline {
  readonly #operations: Operation[] = [];
  readonly #open = new Map<string, CommandRecord>();
  #step: Step | undefined;
  /** The last step before each operation. */
  readonly #stepBefore: (Step | undefined)[] = [];
  #undone: Undone[] = [];
  #restoring: Restoring | undefined;
  /** The time until which older changes were dropped; undefined if none were. */
  #dropped: Stamp | undefined;

  constructor(records: readonly JournalRecord[]) {
    const discarded = new Set(records.flatMap((record) => (record.type === "discarded" ? [record.id] : [])));
    for (const record of records) if (!discarded.has(record.id)) this.#add(record);
  }

  /** Commands that have begun and have no end: their process was killed. */
  get unfinished(): CommandRecord[] {
    return [...this.#open.values()];
  }

  /** The start of the last turn with changes that are in effect; undefined if there is none. */
  get lastStep(): number | undefined {
    let step = this.#step;
    while (step && !step.hasFiles) step = step.previous;
    return step?.start;
  }

  /** The start of the last restore that can be taken back; undefined if there is none, or if tools have changed files since. */
  get lastUndone(): number | undefined {
    return this.#undone.at(-1)?.start;
  }

  /**
   * The place of a message in the journal: the number of operations before it.
   *
   * @param positionOf - The index of an entry in the session, in the order of appending; -1 for an unknown id.
   * @returns Undefined if the changes since then are not kept any more.
   */
  placeBefore(messageId: string, positionOf: (entryId: string) => number): number | undefined {
    const message = positionOf(messageId);
    let position = -1;
    const toPosition = (entry: string | null) => {
      // Entries of the source of a fork are unknown. They are older than all later operations.
      position = Math.max(position, entry === null ? -1 : positionOf(entry));
      return position;
    };
    if (this.#dropped && toPosition(this.#dropped.entry) >= message) return undefined;
    const place = this.#operations.findIndex(({ entry }) => toPosition(entry) >= message);
    return place < 0 ? this.#operations.length : place;
  }

  /** The changes since a place, by path. */
  plan(from: number): PathPlan[] {
    const plans = new Map<string, PathPlan>();
    for (const { files, isForced } of this.#operations.slice(from)) {
      for (const { path, before, after, folder, isUncertain = false } of files) {
        const plan = plans.get(path);
        if (!plan) {
          const shared = { path, target: before, expected: after, previous: before, isBroken: isUncertain };
          plans.set(path, folder === undefined ? shared : { ...shared, folder });
          continue;
        }
        const follows = isForced || isSame(plan.expected, before) || isSame(plan.previous, before);
        Object.assign(plan, { expected: after, previous: before, isBroken: plan.isBroken || isUncertain || !follows });
      }
    }
    return [...plans.values()];
  }

  /** The commands since a place that cannot be undone, or not completely. */
  notCovered(from: number): NotCovered[] {
    const isCut = from === 0 && this.#dropped !== undefined && this.#dropped.turn === this.#operations[0]?.turn;
    const older = { command: "(earlier changes of the turn)", reason: "they are not kept any more, because there were too many" };
    return [...(isCut ? [older] : []), ...this.#operations.slice(from).flatMap(({ notCovered }) => notCovered ?? [])];
  }

  /** The id of the operation at a place. */
  idAt(place: number): string | undefined {
    return this.#operations[place]?.id;
  }

  #add(record: JournalRecord): void {
    switch (record.type) {
      case "change":
        this.#change(record, record.files);
        break;
      case "command":
        this.#open.set(record.id, record);
        break;
      case "changed": {
        const begun = this.#open.get(record.id);
        const { files, reason } = record;
        this.#open.delete(record.id);
        if (begun && (files.length > 0 || reason !== undefined)) this.#change(begun, files, reason);
        break;
      }
      case "skipped":
        this.#change(record, [], record.reason);
        break;
      case "restore":
        this.#restoring = { kind: record.kind, start: this.#operations.length, from: this.#placeOf(record.from), id: record.id };
        this.#push({ ...record, isForced: record.isForced === true });
        break;
      case "restored":
        if (record.id === this.#restoring?.id) this.#finish(this.#restoring, record.isWhole);
        break;
      case "dropped":
        this.#dropped = record;
        break;
    }
  }

  /** @param reason - Why changes are unknown; only of commands. */
  #change(record: Stamp & { command?: string }, files: readonly FileChange[], reason?: string): void {
    const { id, entry, turn, time, command = "" } = record;
    const changed = files.filter(({ before, after }) => !isSame(before, after));
    const hasFiles = changed.length > 0;
    if (!hasFiles && reason === undefined) return;
    const start = this.#operations.length;
    this.#push({ id, entry, turn, time, files: changed, isForced: false, ...(reason && { notCovered: { command, reason } }) });
    const step = this.#step;
    if (step?.turn !== turn) this.#step = { turn, start, hasFiles, previous: step };
    else if (hasFiles && !step.hasFiles) this.#step = { ...step, hasFiles };
    if (hasFiles) this.#undone = [];
  }

  #push(operation: Operation): void {
    this.#operations.push(operation);
    this.#stepBefore.push(this.#step);
  }

  #finish({ kind, start, from }: Restoring, isWhole: boolean): void {
    const last = this.#undone.at(-1);
    if (kind === "redo") {
      if (!isWhole) return;
      this.#undone.pop();
      this.#step = last?.step;
      return;
    }
    // The rest of a restore that left files out: both are taken back together.
    const rest = last && !last.isComplete && last.from === from ? this.#undone.pop() : undefined;
    const isComplete = isWhole || kind === "back";
    this.#undone.push({ start: rest?.start ?? start, from, step: this.#step, isComplete });
    if (isComplete) this.#step = this.#stepBefore[from];
  }

  /** The place of an operation; 0 if it was dropped. */
  #placeOf(id: string): number {
    return Math.max(
      0,
      this.#operations.findLastIndex((operation) => operation.id === id),
    );
  }
}
