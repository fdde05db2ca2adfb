import { SessionError } from "../errors.ts";

/** The names of the members of `T` that are functions. */
type MethodsOf<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T];

/** Whether a session can still be changed, and what is changing it. The one gate for everything that its owner can call. */
export class SessionLife {
  readonly #changes = new Set<Promise<unknown>>();
  #isOver = false;

  /** @throws {SessionError} `disposed` when the session was disposed of. */
  requireOpen(): void {
    if (this.#isOver) throw new SessionError("disposed", "The session was disposed of. Create another one.");
  }

  /**
   * Changes the session. `end` waits for it.
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
   * A part of the session as its owner gets it: once the session was disposed of, these methods are refused, and the rest stays as it is.
   *
   * @param later - Methods that return promises.
   * @param now - Methods that do not.
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
        // Private fields are the part's own.
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** Lets no other change begin. */
  close(): void {
    this.#isOver = true;
  }

  /** Resolves when what is changing the session has settled. */
  async settle(): Promise<void> {
    while (this.#changes.size > 0) await Promise.allSettled(this.#changes);
  }
}
