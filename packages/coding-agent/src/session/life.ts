import { SessionError } from "../errors.ts";

/** The names of the members of `T` that are functions. */
type MethodsOf<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T];

/** Whether a session can still be changed, and its running changes. Every call that changes the session goes through this object. */
export class SessionLife {
  readonly #changes = new Set<Promise<unknown>>();
  #isOver = false;

  /** @throws {SessionError} `disposed` when the session was disposed of. */
  requireOpen(): void {
    if (this.#isOver) throw new SessionError("disposed", "The session was disposed of. Create another one.");
  }

  /**
   * Runs a change of the session. `settle` waits for it.
   *
   * @throws {SessionError} `disposed`; nothing has changed then.
   */
  async change<T>(work: () => T | Promise<T>): Promise<T> {
    this.requireOpen();
    const change = Promise.resolve(work());
    this.#changes.add(change);
    try {
      return await change;
    } finally {
      this.#changes.delete(change);
    }
  }

  /**
   * Returns a proxy of a part. After the session was disposed of, the named methods fail with `disposed`; all others still work.
   *
   * @param later - Methods that return promises: they reject.
   * @param now - Synchronous methods: they throw.
   */
  guard<T extends object>(part: T, later: readonly MethodsOf<T>[], now: readonly MethodsOf<T>[] = []): T {
    const guarded = new Map<PropertyKey, (...args: unknown[]) => unknown>();
    const callable = (name: MethodsOf<T>) => part[name] as (...args: unknown[]) => unknown;
    for (const name of later) guarded.set(name, (...args) => this.change(() => callable(name).apply(part, args)));
    for (const name of now) {
      guarded.set(name, (...args) => {
        this.requireOpen();
        return callable(name).apply(part, args);
      });
    }
    return new Proxy(part, {
      get(target, name) {
        const own = guarded.get(name);
        if (own) return own;
        const value: unknown = Reflect.get(target, name, target);
        // Bound to the target, because private fields cannot be read through a proxy.
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** Refuses all later changes. */
  close(): void {
    this.#isOver = true;
  }

  /** Resolves when all running changes have settled. */
  async settle(): Promise<void> {
    while (this.#changes.size > 0) await Promise.allSettled(this.#changes);
  }
}
