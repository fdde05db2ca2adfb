import { join } from "node:path";
import { CommandLooks } from "./commands.ts";
import { adoptChanges } from "./fork.ts";
import { Journal } from "./journal.ts";
import { ObjectStore } from "./object-store.ts";
import type { KeptLimits, KeptPlace } from "./place.ts";
import { pruneChanges } from "./prune.ts";
import type { JournalRecord, Stamp } from "./records.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { Timeline } from "./timeline.ts";

/** Maximum bytes of a journal. */
const maxJournalBytes = 16 * 1024 * 1024;

/** Everything that is kept about the changes of one session: the journal, the contents, and the looks at working trees. */
export class Book {
  readonly place: KeptPlace;
  readonly store: ObjectStore;
  readonly looks: CommandLooks;
  readonly #journal: Journal;
  readonly #limits: KeptLimits;
  #ready: Promise<void> | undefined;
  #startBytes = 0;
  #lastId = 0;

  constructor(place: KeptPlace, limits: KeptLimits) {
    const { folder } = place;
    this.place = place;
    this.#limits = limits;
    this.#journal = new Journal(join(folder, "changes.ndjson"));
    this.store = new ObjectStore(join(folder, "objects"));
    this.looks = new CommandLooks(this.store, folder, limits);
  }

  /** The fields of a new record. Ids are unique in the journal: each process has its own beginning of them. */
  stamp(): Stamp {
    const time = Date.now();
    this.#lastId += 1;
    return { id: `${time.toString(36)}-${this.#lastId}`, ...this.place.moment(), time };
  }

  /** Resolves when the changes of the source of a fork, and those of a killed process, are in the journal. */
  prepare(): Promise<void> {
    this.#ready ??= this.#prepare();
    return this.#ready;
  }

  /** @throws The system's error. */
  append(record: JournalRecord): void {
    this.#journal.append(record);
  }

  async readTimeline(): Promise<Timeline> {
    return new Timeline(await this.#journal.read());
  }

  /** Drops the oldest changes if there are too many. Call it while nothing else uses the book. */
  async prune(): Promise<void> {
    const { maxTotalBytes } = this.#limits;
    if (this.#startBytes + this.store.addedBytes <= maxTotalBytes && this.#journal.bytes <= maxJournalBytes) return;
    this.#startBytes = (await pruneChanges(this.#journal, this.store, { maxTotalBytes, maxJournalBytes })) - this.store.addedBytes;
    this.looks.forget();
  }

  async #prepare(): Promise<void> {
    const { source } = this.place;
    if (source) await adoptChanges(source, this.place, this.#journal, this.store);
    for (const command of (await this.readTimeline()).unfinished) {
      const reason = "pi was ended during the command";
      const files = await this.looks.recover(command).catch((error: unknown) => {
        if (error instanceof SnapshotError) return [];
        throw error;
      });
      this.append({ type: "changed", id: command.id, files, reason });
    }
    for (const { bytes } of await this.store.list()) this.#startBytes += bytes;
  }
}
