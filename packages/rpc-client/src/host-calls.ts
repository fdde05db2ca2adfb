import type { SentRecord } from "./transport.ts";

export interface HostCallsOptions {
  /** Sends a frame; throws when it is too long. */
  send: (frame: SentRecord) => void;
  /** Whether other clients have such items too. Calls of unknown ones are then kept until they are cancelled, or such an item is registered. */
  isShared: () => boolean;
}

/** A call of the agent; `name` is that of the called item. */
export interface HostCall {
  id: string;
  name: string;
}

/** Runs the calls of the agent for named items of the program, such as its tools. */
export abstract class HostCalls<Item, Call extends HostCall> {
  readonly #options: HostCallsOptions;
  readonly #running = new Map<string, AbortController>();
  /** Open calls of items that this program does not have. */
  readonly #foreignCalls = new Map<string, Call>();
  #items: readonly Item[] = [];
  /** The previous items during `replace`: the agent may still call them. */
  #former: readonly Item[] = [];

  constructor(options: HostCallsOptions) {
    this.#options = options;
  }

  protected get items(): readonly Item[] {
    return this.#items;
  }

  protected abstract nameOf(item: Item): string;
  /** Runs a call to its end. Never rejects. */
  protected abstract run(item: Item, call: Call, controller: AbortController): Promise<void>;

  /** Replaces the items while `tell` registers them with the agent; if it rejects, the previous items stay. Running calls continue. */
  async replace<T>(items: readonly Item[], tell: () => Promise<T>): Promise<T> {
    const former = this.#items;
    const current = [...items];
    this.#items = current;
    this.#former = former;
    try {
      const told = await tell();
      this.#runForeignCalls();
      return told;
    } catch (error) {
      if (this.#items === current) this.#items = former;
      throw error;
    } finally {
      this.#former = [];
    }
  }

  onCancel(frame: Record<string, unknown>): void {
    this.#abort(String(frame.targetId), new Error("The agent cancelled the call."));
  }

  /** Aborts every call, because the agent no longer waits for it. */
  endAll(reason: Error): void {
    this.#foreignCalls.clear();
    for (const id of [...this.#running.keys()]) this.#abort(id, reason);
  }

  /** Runs a call, or sends the frame that says that the program does not have its item. */
  protected accept(call: Call, toUnknown: () => SentRecord): void {
    const item = this.#find(call.name);
    if (item !== undefined) this.#begin(item, call);
    else if (this.#options.isShared()) this.#foreignCalls.set(call.id, call);
    else this.send(toUnknown());
  }

  protected send(frame: SentRecord): void {
    this.#options.send(frame);
  }

  /** Whether frames of a call may be sent. False when it is over: the agent may have reused its id. */
  protected isOpen(id: string, controller: AbortController): boolean {
    return this.#running.get(id) === controller;
  }

  /** Marks a call as over. */
  protected end(id: string, controller: AbortController): void {
    if (this.isOpen(id, controller)) this.#running.delete(id);
  }

  #find(name: string): Item | undefined {
    return [...this.#items, ...this.#former].find((item) => this.nameOf(item) === name);
  }

  #begin(item: Item, call: Call): void {
    const controller = new AbortController();
    this.#running.set(call.id, controller);
    void this.run(item, call, controller).finally(() => this.end(call.id, controller));
  }

  /** Runs the calls that were made before this program had their items, for example by an earlier client of the session. */
  #runForeignCalls(): void {
    for (const [id, call] of this.#foreignCalls) {
      const item = this.#find(call.name);
      if (item === undefined) continue;
      this.#foreignCalls.delete(id);
      this.#begin(item, call);
    }
  }

  #abort(id: string, reason: Error): void {
    const controller = this.#running.get(id);
    this.#foreignCalls.delete(id);
    this.#running.delete(id);
    controller?.abort(reason);
  }
}
