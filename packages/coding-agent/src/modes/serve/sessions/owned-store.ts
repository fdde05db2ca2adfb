import type { SessionEntry } from "../../../conversation/entries.ts";
import type {
  OpenedSession,
  OpenOptions,
  SessionFilter,
  SessionInfo,
  SessionLine,
  SessionLog,
  SessionStore,
} from "../../../conversation/session-store.ts";
import { isSessionError, SessionError } from "../../../errors.ts";
import type { SessionHeader } from "../../../protocol/frames.ts";

interface OwnedStoreOptions {
  /** Called when a new session is stored, before any of its entries is. */
  onBegun(header: SessionHeader): Promise<void>;
  /** Called when a log may no longer write, because another process has the session. */
  onLost(): void;
}

/**
 * A shared store for one live session. The header of a new session is stored when the session lives, and not only with its first message, so
 * that the other servers see where it is.
 */
export class OwnedStore implements SessionStore {
  readonly #store: SessionStore;
  readonly #options: OwnedStoreOptions;
  /** The new session of the latest `create`. */
  #latest: NewLog | undefined;

  constructor(store: SessionStore, options: OwnedStoreOptions) {
    this.#store = store;
    this.#options = options;
  }

  create(header: SessionHeader): SessionLog {
    this.#latest = new NewLog(this.#store, header, this.#options);
    return this.#latest;
  }

  /**
   * Stores the header of the live session, if this object has created it. Not called for a session that could not be begun, for example
   * because there is no such model: it leaves nothing behind.
   *
   * @throws {SessionError} `write_failed`, `locked`.
   */
  async begin(id: string): Promise<void> {
    if (this.#latest?.ref === id) await this.#latest.begin();
  }

  async open(ref: string, onEntry: (entry: SessionEntry) => void, options: OpenOptions = {}): Promise<OpenedSession> {
    const { header, log } = await this.#store.open(ref, onEntry, options);
    return { header, log: options.readOnly === true ? log : new OpenLog(log, this.#options.onLost) };
  }

  list(filter?: SessionFilter): Promise<SessionInfo[]> {
    return this.#store.list(filter);
  }

  remove(ref: string): void | Promise<void> {
    return this.#store.remove(ref);
  }
}

/** An open session of a shared store. */
class OpenLog implements SessionLog {
  protected log: SessionLog;
  readonly #onLost: () => void;

  constructor(log: SessionLog, onLost: () => void) {
    this.log = log;
    this.#onLost = onLost;
  }

  get ref(): string {
    return this.log.ref;
  }

  get path(): string | null {
    return this.log.path;
  }

  get diagnostics(): readonly string[] {
    return this.log.diagnostics;
  }

  async append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined): Promise<void> {
    try {
      await this.log.append(lines, recall);
    } catch (error) {
      this.noteLoss(error);
      throw error;
    }
  }

  protected noteLoss(error: unknown): void {
    if (isSessionError(error) && error.code === "locked") this.#onLost();
  }

  read(ids: readonly string[]): SessionEntry[] | Promise<SessionEntry[]> {
    return this.log.read(ids);
  }

  release(ids: readonly string[]): void {
    this.log.release?.(ids);
  }

  close(): void | Promise<void> {
    return this.log.close();
  }
}

/** A new session of a shared store. */
class NewLog extends OpenLog {
  readonly #store: SessionStore;
  readonly #header: SessionHeader;
  readonly #onBegun: OwnedStoreOptions["onBegun"];
  #beginning: Promise<void> | undefined;

  constructor(store: SessionStore, header: SessionHeader, { onBegun, onLost }: OwnedStoreOptions) {
    super(store.create(header), onLost);
    this.#store = store;
    this.#header = header;
    this.#onBegun = onBegun;
  }

  /** Stores the header, once. After a failure the next call tries again. */
  begin(): Promise<void> {
    this.#beginning ??= this.#begin().catch((error: unknown) => {
      this.#beginning = undefined;
      this.noteLoss(error);
      throw error;
    });
    return this.#beginning;
  }

  override async append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined): Promise<void> {
    await this.begin();
    const entries = lines.filter(({ type }) => type !== "session");
    if (entries.length > 0) await super.append(entries, recall);
  }

  override async close(): Promise<void> {
    await this.#beginning?.catch(() => undefined);
    await super.close();
  }

  async #begin(): Promise<void> {
    const [stored] = await this.#store.list({ idPrefix: this.#header.id, limit: 1 });
    if (stored?.id === this.#header.id) await this.#returnTo(stored.ref);
    else {
      await super.append([this.#header], () => undefined);
      await this.#onBegun(this.#header);
    }
  }

  /** The session was left before its first message, and a client has come back to it. */
  async #returnTo(ref: string): Promise<void> {
    let count = 0;
    const { header, log } = await this.#store.open(ref, () => {
      count += 1;
    });
    if (count === 0 && header.timestamp === this.#header.timestamp && header.cwd === this.#header.cwd) {
      this.log = log;
      return;
    }
    await log.close();
    throw new SessionError("locked", `Another server has continued or begun the session ${this.#header.id}. Open it again.`);
  }
}
