import type { CustomProvider } from "../models/custom-providers.ts";
import type { SlashCommand } from "../protocol/data.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { ExtensionCommand, ExtensionHandler, ExtensionTool } from "./api.ts";
import type { ExtensionEventName } from "./events.ts";

/** Any handler; which event it takes is known from where it is kept. */
export type AnyHandler = (event: unknown, context: unknown) => unknown;

/** What an extension has registered. */
export class Extension {
  /** Its file; `<inline>` for a function that was given in process. */
  readonly path: string;
  readonly location: NonNullable<SlashCommand["location"]>;
  readonly tools = new Map<string, ExtensionTool>();
  readonly commands = new Map<string, ExtensionCommand>();
  readonly providers: CustomProvider[] = [];
  #settling: Promise<unknown>[] = [];
  /** Replaced, never changed, so that an event in progress keeps the list it began with. */
  readonly #handlers = new Map<ExtensionEventName, readonly AnyHandler[]>();

  /** Tells an error that does not come from one of its handlers. */
  readonly report: (event: string, error: string) => void;

  constructor(
    path: string,
    location: NonNullable<SlashCommand["location"]>,
    report: (extensionPath: string, event: string, error: string) => void,
  ) {
    this.path = path;
    this.location = location;
    this.report = (event, error) => report(path, event, error);
  }

  addHandler<N extends ExtensionEventName>(name: N, handler: ExtensionHandler<N>): () => void {
    const added = handler as AnyHandler;
    this.#handlers.set(name, [...this.handlersOf(name), added]);
    return () => {
      this.#handlers.set(
        name,
        this.handlersOf(name).filter((other) => other !== added),
      );
    };
  }

  /** Waits for a registration that takes time. */
  waitFor(registration: Promise<unknown>): void {
    registration.catch(() => {}); // told by `settled`, and to who registers
    this.#settling.push(registration);
  }

  /** Resolves when all registrations have been made; rejects when one fails. */
  get settled(): Promise<unknown> {
    return Promise.all(this.#settling);
  }

  handlersOf(name: ExtensionEventName): readonly AnyHandler[] {
    return this.#handlers.get(name) ?? [];
  }

  /** How far its tools reach, where it says so. */
  get tiers(): Record<string, RiskTier> {
    return Object.fromEntries(
      [...this.tools.values()].flatMap(({ name, riskTier }) => (riskTier === undefined ? [] : [[name, riskTier]])),
    );
  }
}
