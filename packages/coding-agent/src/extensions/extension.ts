import type { NamedResource } from "../config/all-settings.ts";
import type { CustomProvider } from "../models/custom-providers.ts";
import type { SlashCommand } from "../protocol/data.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { PackageOrigin } from "../source-info.ts";
import type {
  ExtensionCommand,
  ExtensionFlag,
  ExtensionRenderer,
  ExtensionShortcut,
  ExtensionTool,
  MarkdownTransformer,
} from "./api-tools.ts";
import type { ExtensionEventName } from "./events.ts";

/** A handler for any event. Its key in the map names the event. */
export type AnyHandler = (event: unknown, context: unknown) => unknown;

/** An extension and its registrations. */
export class Extension {
  /** Its file; `<inline>` for a function. */
  readonly path: string;
  readonly location: NonNullable<SlashCommand["location"]>;
  /** The package that brings it; undefined without one. */
  readonly package: PackageOrigin | undefined;
  readonly tools = new Map<string, ExtensionTool>();
  readonly commands = new Map<string, ExtensionCommand>();
  /** Keys of the terminal, by their name. */
  readonly shortcuts = new Map<string, ExtensionShortcut>();
  /** Options of the command line, by their name without `--`. */
  readonly flags = new Map<string, ExtensionFlag>();
  /** How the terminal shows messages, by their `customType`. */
  readonly messageRenderers = new Map<string, ExtensionRenderer>();
  /** How the terminal shows entries, by their `customType`. */
  readonly entryRenderers = new Map<string, ExtensionRenderer>();
  readonly markdownTransformers: MarkdownTransformer[] = [];
  providers: readonly CustomProvider[] = [];
  /** One sentence for each registration that has no effect, until the extension is loaded. Later ones are reported at once. */
  readonly warnings: string[] = [];
  isLoaded = false;
  /** Whether its code reads `context.modelRegistry`, which must be filled before. */
  usesModels = false;
  #settling: Promise<unknown>[] = [];
  /** The lists are replaced, never changed, so that a change does not affect an event in progress. */
  readonly #handlers = new Map<string, readonly AnyHandler[]>();

  /** Reports an error that does not come from one of its handlers. */
  readonly report: (event: string, error: string) => void;

  constructor(
    { path, location, package: origin }: NamedResource,
    report: (extensionPath: string, event: string, error: string) => void,
  ) {
    this.path = path;
    this.location = location;
    this.package = origin;
    this.report = (event, error) => report(path, event, error);
  }

  addHandler(name: string, handler: AnyHandler): () => void {
    // A separate function, so that the same handler can be added and removed twice.
    const added: AnyHandler = (event, context) => handler(event, context);
    this.#handlers.set(name, [...this.#handlersOf(name), added]);
    return () => {
      this.#handlers.set(
        name,
        this.#handlersOf(name).filter((other) => other !== added),
      );
    };
  }

  /** Reports a registration that has no effect. */
  warn(warning: string): void {
    if (this.isLoaded) this.report("load", warning);
    else this.warnings.push(warning);
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
    return this.#handlersOf(name);
  }

  /** The risk tiers of its tools, as far as they are given. */
  get tiers(): Record<string, RiskTier> {
    return Object.fromEntries(
      [...this.tools.values()].flatMap(({ name, riskTier }) => (riskTier === undefined ? [] : [[name, riskTier]])),
    );
  }

  #handlersOf(name: string): readonly AnyHandler[] {
    return this.#handlers.get(name) ?? [];
  }
}
