import type { SessionEntry, SessionLine, SessionLog, SessionStore } from "@pikit/coding-agent";

/**
 * A store that tells when an append fails. A session continues in memory then, which is right for a user who watches it; but a worker must stop
 * before tools run whose calls are not stored, since another worker cannot know of them.
 *
 * @param onFailure - Called before the session learns of it.
 */
export function guardStore(store: SessionStore, onFailure: (error: unknown) => void): SessionStore {
  return {
    create: (header) => new GuardedLog(store.create(header), onFailure),
    async open(ref, onEntry, options) {
      const { header, log } = await store.open(ref, onEntry, options);
      return { header, log: new GuardedLog(log, onFailure) };
    },
    list: (filter) => store.list(filter),
    remove: (ref) => store.remove(ref),
  };
}

class GuardedLog implements SessionLog {
  readonly #log: SessionLog;
  readonly #onFailure: (error: unknown) => void;

  constructor(log: SessionLog, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  get ref(): string {
    return this.#log.ref;
  }

  get path(): string | null {
    return this.#log.path;
  }

  get diagnostics(): readonly string[] {
    return this.#log.diagnostics;
  }

  async append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined): Promise<void> {
    try {
      await this.#log.append(lines, recall);
    } catch (error) {
      this.#onFailure(error);
      throw error;
    }
  }

  read(ids: readonly string[]): SessionEntry[] | Promise<SessionEntry[]> {
    return this.#log.read(ids);
  }

  release(ids: readonly string[]): void {
    this.#log.release?.(ids);
  }

  close(): void | Promise<void> {
    return this.#log.close();
  }
}
