import { SessionError } from "../errors.ts";
import type { FileRestore } from "../protocol/data.ts";
import type { CommandKeeper } from "../tools/bash/run.ts";
import type { FileAccess, FileKeeper } from "../tools/files/file-access.ts";
import { Book } from "./book.ts";
import { keepFile } from "./keep-file.ts";
import { mayWrite } from "./may-write.ts";
import type { KeptLimits, KeptPlace } from "./place.ts";
import { readImage } from "./read-image.ts";
import { isSame, type RestoreKind } from "./records.ts";
import { applyRestore, prepareRestore } from "./restore.ts";
import { SnapshotError } from "./snapshot-error.ts";
import type { Timeline } from "./timeline.ts";

/** Characters of a command that are stored with its changes. */
const maxCommand = 300;

export interface RestoreOptions {
  /** Whether files are put back that have changed since. Default false: they are conflicts. */
  force?: boolean | undefined;
  /** Whether nothing is changed, and the result says what would be. Default false. */
  dryRun?: boolean | undefined;
}

export interface CheckpointOptions {
  /** The place of the present session; undefined if it keeps nothing. */
  place(): KeptPlace | undefined;
  /** The files of the tools. */
  files: FileAccess;
  limits: KeptLimits;
  /** Why commands are not looked at; undefined if they are. */
  commandsOff: string | undefined;
  /** Called with one line when changes cannot be kept, for example because the disk is full. */
  report(problem: string): void;
}

interface Restoration {
  force: boolean;
  dryRun: boolean;
  kind: RestoreKind;
  /** The place in the journal. */
  from: number;
}

type CommandCall = Parameters<CommandKeeper["around"]>[0];

/** Keeps the changes of files by the tools of a session, and puts them back. */
export class Checkpoints implements FileKeeper, CommandKeeper {
  readonly #options: CheckpointOptions;
  #book: Book | undefined;
  /** Changes that are being kept. An undo waits for them. */
  readonly #pending = new Set<Promise<unknown>>();
  #pruning: Promise<void> | undefined;
  #isCommandRunning = false;
  readonly #told = new Set<string>();

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  async keep(change: Parameters<FileKeeper["keep"]>[0]): Promise<{ discard(): Promise<void> }> {
    const book = this.#open();
    const kept = book && (await this.#attempt(() => this.#keep(book, change)));
    if (book) await this.#prune(book);
    return { discard: async () => void (kept && (await this.#attempt(kept.discard))) };
  }

  async #keep(book: Book, { files, path, ...change }: Parameters<FileKeeper["keep"]>[0]): Promise<{ discard(): Promise<void> }> {
    const stamp = book.stamp();
    await book.prepare();
    const file = await keepFile({ files, path, ...change }, book.store);
    book.append({ ...stamp, type: "change", call: change.toolCallId, files: [file] });
    return {
      async discard() {
        if (isSame(await readImage(files, path), file.before)) book.append({ type: "discarded", id: stamp.id });
      },
    };
  }

  /** Does work of which a failure is reported. Undefined after a failure. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#track(work);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#told.has(reason))
        this.#options.report(`A change of a file cannot be kept for an undo: ${reason}. It is made all the same.`);
      this.#told.add(reason);
      return undefined;
    }
  }

  async around<T>(call: CommandCall, run: () => Promise<T>): Promise<{ result: T; notKept?: string }> {
    const book = this.#open();
    if (!book || !(await mayWrite(call.command, { cwd: call.cwd, files: this.#options.files }))) return { result: await run() };
    const end = await this.#attempt(() => this.#begin(book, call));
    let notKept = typeof end === "string" ? end : undefined;
    try {
      const result = await run();
      if (typeof end === "function") notKept = await this.#end(end, book);
      return { result, ...(notKept === undefined ? {} : { notKept }) };
    } catch (error) {
      if (typeof end === "function") await this.#end(end, book);
      throw error;
    }
  }

  /**
   * Puts back what the last turn has changed whose changes are in effect.
   *
   * @throws {SessionError} `nothing_to_undo`.
   */
  undo(options: RestoreOptions = {}): Promise<FileRestore> {
    return this.#restore("undo", options, ({ lastStep }) => lastStep ?? this.#nothing("No change of a tool is left to undo."));
  }

  /**
   * Takes back the last undo.
   *
   * @throws {SessionError} `nothing_to_undo`.
   */
  redo(options: RestoreOptions = {}): Promise<FileRestore> {
    const text = "There is no undo to take back, or tools have changed files since.";
    return this.#restore("redo", options, ({ lastUndone }) => lastUndone ?? this.#nothing(text));
  }

  /**
   * Puts files back to their state before an entry of the session.
   *
   * @throws {SessionError} `nothing_to_undo` if the changes since then are not kept any more.
   */
  restoreBefore(entryId: string, options: RestoreOptions = {}): Promise<FileRestore> {
    const text = "The changes since that message are not kept any more, because there were too many.";
    return this.#restore("back", options, (timeline, { positionOf }) => {
      return timeline.placeBefore(entryId, positionOf) ?? this.#nothing(text);
    });
  }

  /** @param choose - Finds the place in the journal to which the files go back. */
  async #restore(
    kind: RestoreKind,
    { force, dryRun }: RestoreOptions,
    choose: (timeline: Timeline, place: KeptPlace) => number,
  ): Promise<FileRestore> {
    const book = this.#open();
    if (!book)
      throw new SessionError("nothing_to_undo", "This session keeps no changes: it is in memory, or undo is switched off.");
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    return this.#track(async () => {
      await book.prepare();
      const timeline = await book.readTimeline();
      const from = choose(timeline, book.place);
      return this.#goBack(book, timeline, { kind, from, force: force ?? false, dryRun: dryRun ?? false });
    });
  }

  async #goBack(book: Book, timeline: Timeline, { kind, from, force, dryRun }: Restoration): Promise<FileRestore> {
    const parts = { files: this.#options.files, store: book.store };
    const { changes, conflicts } = await prepareRestore(timeline.plan(from), parts, { force, dryRun });
    const notCovered = kind === "redo" ? [] : timeline.notCovered(from);
    const first = timeline.idAt(from);
    if (dryRun || first === undefined) return { restored: changes.map(toRestored), conflicts, notCovered };
    // Otherwise a redo would take back nothing.
    if (changes.length === 0 && conflicts.length > 0 && kind !== "back") return { restored: [], conflicts, notCovered };
    const stamp = book.stamp();
    const files = changes.map(({ action: _action, ...change }) => change);
    book.append({ ...stamp, type: "restore", kind, from: first, files, ...(force ? { isForced: true } : {}) });
    conflicts.push(...(await applyRestore(changes, parts)));
    book.append({ type: "restored", id: stamp.id, isWhole: conflicts.length === 0 });
    const failed = new Set(conflicts.map(({ path }) => path));
    return { restored: changes.filter(({ path }) => !failed.has(path)).map(toRestored), conflicts, notCovered };
  }

  #nothing(text: string): never {
    throw new SessionError("nothing_to_undo", text);
  }

  /** The book of the present session. */
  #open(): Book | undefined {
    const place = this.#options.place();
    if (!place) return undefined;
    if (this.#book?.place.folder !== place.folder) this.#book = new Book(place, this.#options.limits);
    return this.#book;
  }

  /** @returns The function that keeps the changes of the command, or the reason why they are not kept, if it is new. */
  async #begin(
    book: Book,
    { toolCallId, command, cwd }: CommandCall,
  ): Promise<(() => Promise<string | undefined>) | string | undefined> {
    await book.prepare();
    const call = { call: toolCallId, command: command.slice(0, maxCommand) };
    const stamp = book.stamp();
    try {
      const { commandsOff } = this.#options;
      if (commandsOff !== undefined) throw new SnapshotError(commandsOff, "outside");
      if (this.#isCommandRunning) throw new SnapshotError("another command was running at the same time", "outside");
      const begun = await book.looks.begin(cwd);
      book.append({ ...stamp, ...call, type: "command", snapshot: begun.hash });
      this.#isCommandRunning = true;
      return async () => {
        const { files, reason, notKept } = await begun.findChanges().then(
          (found) => ({ files: found, reason: undefined, notKept: undefined }),
          (error: unknown) => ({ files: [], ...this.#explain(error) }),
        );
        book.append({ type: "changed", id: stamp.id, files, ...(reason === undefined ? {} : { reason }) });
        return notKept;
      };
    } catch (error) {
      const { reason, notKept } = this.#explain(error);
      book.append({ ...stamp, ...call, type: "skipped", reason });
      return notKept;
    }
  }

  async #end(end: () => Promise<string | undefined>, book: Book): Promise<string | undefined> {
    const notKept = await this.#attempt(end);
    this.#isCommandRunning = false;
    await this.#prune(book);
    return notKept;
  }

  /** @returns `notKept`: the sentence for the result of the tool; undefined if it was said before, or is no surprise. @throws Other errors. */
  #explain(error: unknown): { reason: string; notKept: string | undefined } {
    if (!(error instanceof SnapshotError)) throw error;
    const reason = error.message;
    const isNew = error.problem !== "outside" && !this.#told.has(reason);
    this.#told.add(reason);
    return { reason, notKept: isNew ? `What this command changes cannot be undone: ${reason}.` : undefined };
  }

  async #prune(book: Book): Promise<void> {
    if (this.#pending.size > 0 || this.#isCommandRunning) return;
    const pruning = this.#attempt(() => book.prune());
    this.#pruning = pruning;
    await pruning;
    this.#pruning = undefined;
  }

  /** Does work for which an undo waits. It waits for a pruning, which rewrites the journal. */
  async #track<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#pruning?.then(work) ?? work();
    this.#pending.add(running);
    try {
      return await running;
    } finally {
      this.#pending.delete(running);
    }
  }
}

function toRestored({ path, action }: FileRestore["restored"][number]): FileRestore["restored"][number] {
  return { path, action };
}
