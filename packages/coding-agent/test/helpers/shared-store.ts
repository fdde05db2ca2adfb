import type { AgentMessage } from "@pikit/agent";
import type { SessionEntry } from "../../src/conversation/entries.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type {
  OpenedSession,
  OpenOptions,
  SessionDescription,
  SessionFilter,
  SessionHolder,
  SessionInfo,
  SessionLine,
  SessionLog,
  SharedStore,
} from "../../src/conversation/session-store.ts";
import { SessionError } from "../../src/errors.ts";
import type { SessionHeader } from "../../src/protocol/frames.ts";

/** A database in memory, which the servers of one test share. */
export class SharedMemory {
  readonly sessions = new MemorySessionStore();
  readonly kept = new Map<string, string>();
  /** The logs that hold a session, by its id. */
  readonly held = new Map<string, HeldLog>();

  /** What one server uses. */
  connect(): SharedMemoryStore {
    return new SharedMemoryStore(this);
  }
}

/** The connection of one server to the database. */
export class SharedMemoryStore implements SharedStore {
  readonly #memory: SharedMemory;
  address: string | null = null;
  /** Whether `close` was called. */
  isClosed = false;

  constructor(memory: SharedMemory) {
    this.#memory = memory;
  }

  /** Frees the sessions of this server as if it had given no sign of life for too long. The server knows nothing of it. */
  expire(): void {
    for (const log of this.#memory.held.values()) if (log.owner === this) log.lose();
  }

  create(header: SessionHeader): SessionLog {
    return new HeldLog(this.#memory, this, this.#memory.sessions.create(header), header.id);
  }

  open(ref: string, onEntry: (entry: SessionEntry) => void, options: OpenOptions = {}): OpenedSession {
    const { header, log } = this.#memory.sessions.open(ref, onEntry, options);
    if (options.readOnly === true) return { header, log };
    const held = new HeldLog(this.#memory, this, log, ref);
    this.#memory.held.set(ref, held);
    return { header, log: held };
  }

  list(filter?: SessionFilter): Promise<SessionInfo[]> {
    return this.#memory.sessions.list(filter);
  }

  remove(ref: string): void {
    this.#memory.sessions.remove(ref);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  async describe(refs: readonly string[]): Promise<SessionDescription[]> {
    return refs.map((ref) => {
      const entries: SessionEntry[] = [];
      this.#memory.sessions.open(ref, (entry) => void entries.push(entry), { readOnly: true });
      const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
      const first = messages.find(({ role }) => role === "user");
      return {
        ...(first?.role === "user" ? { firstPrompt: JSON.stringify(first.content) } : {}),
        isInterrupted: isOpen(messages.at(-1)),
      };
    });
  }

  announce(address: string): void {
    this.address = address;
  }

  async holderOf(id: string): Promise<SessionHolder | undefined> {
    const [holder] = await this.holdersOf([id]);
    return holder;
  }

  async holdersOf(ids: readonly string[]): Promise<(SessionHolder | undefined)[]> {
    return ids.map((id) => {
      const log = this.#memory.held.get(id);
      return log && { address: log.owner.address };
    });
  }

  async readKept(id: string): Promise<unknown> {
    const kept = this.#memory.kept.get(id);
    return kept === undefined ? undefined : JSON.parse(kept);
  }

  async writeKept(id: string, data: object | undefined): Promise<void> {
    if (data === undefined) this.#memory.kept.delete(id);
    else this.#memory.kept.set(id, JSON.stringify(data));
  }
}

/** Whether an answer must follow a message. */
function isOpen(message: AgentMessage | undefined): boolean {
  if (message?.role === "assistant") return message.stopReason === "toolUse";
  return message !== undefined;
}

/** A log that another server may take over. */
class HeldLog implements SessionLog {
  readonly owner: SharedMemoryStore;
  readonly path = null;
  readonly diagnostics: readonly string[] = [];
  readonly ref: string;
  readonly #memory: SharedMemory;
  readonly #log: SessionLog;
  #isLost = false;
  #hasHeader = false;

  constructor(memory: SharedMemory, owner: SharedMemoryStore, log: SessionLog, id: string) {
    this.#memory = memory;
    this.owner = owner;
    this.#log = log;
    this.ref = id;
  }

  lose(): void {
    this.#isLost = true;
    this.#memory.held.delete(this.ref);
    void this.#log.close();
  }

  async append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined): Promise<void> {
    const holder = this.#memory.held.get(this.ref);
    if (this.#isLost || (holder !== undefined && holder !== this)) {
      throw new SessionError("locked", `The session ${this.ref} is open elsewhere.`);
    }
    const [stored] = holder === undefined ? await this.#memory.sessions.list({ idPrefix: this.ref, limit: 1 }) : [];
    if (stored?.id === this.ref) throw new SessionError("write_failed", `There is a session ${this.ref} already.`);
    this.#memory.held.set(this.ref, this);
    for (const { type } of lines) {
      if (type === "session" && this.#hasHeader) throw new SessionError("write_failed", "A session has one header.");
      this.#hasHeader ||= type === "session";
    }
    await this.#log.append(lines, recall);
  }

  read(ids: readonly string[]): SessionEntry[] | Promise<SessionEntry[]> {
    return this.#log.read(ids);
  }

  async close(): Promise<void> {
    if (this.#memory.held.get(this.ref) === this) this.#memory.held.delete(this.ref);
    await this.#log.close();
  }
}
