import { SessionError } from "../../errors.ts";
import type { EventWithoutDelta } from "../events.ts";
import type { SessionInstrumentation } from "../instrumentation.ts";

/** The instrumentation of a session, if it has one. */
export class SessionInstruments {
  #current: SessionInstrumentation | undefined;
  #hasFailed = false;

  /**
   * Sets the instrumentation. Returns a function that removes it.
   *
   * @throws {SessionError} `invalid_input` if the session has one already.
   */
  set(instrumentation: SessionInstrumentation): () => void {
    if (this.#current) {
      throw new SessionError(
        "invalid_input",
        "The session is instrumented already. Remove that instrumentation first: each event would count twice.",
      );
    }
    this.#current = instrumentation;
    return () => {
      if (this.#current === instrumentation) this.#current = undefined;
    };
  }

  /** Calls a function of the instrumentation. Returns undefined if there is none, or it throws. */
  call<T>(use: (instrumentation: SessionInstrumentation) => T | undefined): T | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    try {
      return use(current);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /** The same as `call` for a result that is a function, or has functions: an error that they throw is reported, too. */
  probe<T extends object>(use: (instrumentation: SessionInstrumentation) => T | undefined): T | undefined {
    const made = this.call(use);
    if (made === undefined) return undefined;
    const guard = (run: () => unknown): unknown => this.call(run);
    return new Proxy(made, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (...args: unknown[]) => guard(() => Reflect.apply(value, target, args)) : value;
      },
      apply: (target, self, args) => guard(() => Reflect.apply(target as (...args: unknown[]) => unknown, self, args)),
    });
  }

  event(event: EventWithoutDelta): void {
    this.call((current) => current.event?.(event));
  }

  /** Ends the instrumentation with the session. */
  close(): void {
    this.call((instrumentation) => instrumentation.disposed?.());
    this.#current = undefined;
  }

  #report(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    console.error("The instrumentation of the session failed:", error);
  }
}
