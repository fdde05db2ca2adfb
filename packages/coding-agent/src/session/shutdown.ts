/** The request of an extension, or of a failure, to end the process. The owner of the session decides how. */
export class ShutdownRequest {
  readonly #settle: () => Promise<unknown>;
  readonly #settled = Promise.withResolvers<void>();
  #isRequested = false;

  /** @param settle - Resolves when all running work has settled. */
  constructor(settle: () => Promise<unknown>) {
    this.#settle = settle;
  }

  /** Whether the end of the process was requested. Work may still be running. */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Resolves when the end was requested and all running work has settled. */
  get requested(): Promise<void> {
    return this.#settled.promise;
  }

  /** Requests the end of the process. Safe to call twice. */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    void this.#settle().then(() => this.#settled.resolve());
  }
}
