import type { CustomProvider } from "../models/custom-providers.ts";
import type { SlashCommand } from "../protocol/data.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { ExtensionCommand, ExtensionHandler, ExtensionTool } from "./api.ts";
import type { ExtensionEventName } from "./events.ts";

/** A handler for any event. Its key in the map names the event. */
export type AnyHandler = (event: unknown, context: unknown) => unknown;

/** An extension and its registrations. */
export class Extension {
  /** Its file; `<inline>` for a function. */
  readonly path: string;
  readonly location: NonNullable<SlashCommand["location"]>;
  readonly tools = new Map<string, ExtensionTool>();
  readonly commands = new Map<string, ExtensionCommand>();
  readonly providers: CustomProvider[] = [];
  #settling: Promise<unknown>[] = [];
  /** The lists are replaced, never changed, so that a change does not affect an event in progress. */
  readonly #handlers = new Map<ExtensionEventName, readonly AnyHandler[]>();

  /** Reports an error that does not come from one of its handlers. */
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

  /** Adds an asynchronous registration, for which `settled` waits. */
  waitFor(registration: Promise<unknown>): void {
    registration.catch(() => {}); // `settled` and the caller's promise report it
    this.#settling.push(registration);
  }

  /** Resolves when all registrations are complete. Rejects if one fails. */
  get settled(): Promise<unknown> {
    return Promise.all(this.#settling);
  }

  handlersOf(name: ExtensionEventName): readonly AnyHandler[] {
    return this.#handlers.get(name) ?? [];
  }

  /** The risk tiers of its tools, as far as they are given. */
  get tiers(): Record<string, RiskTier> {
    return Object.fromEntries(
      [...this.tools.values()].flatMap(({ name, riskTier }) => (riskTier === undefined ? [] : [[name, riskTier]])),
    );
  }
}
