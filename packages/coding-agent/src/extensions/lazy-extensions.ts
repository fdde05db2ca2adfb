import type { CustomProvider } from "../models/custom-providers.ts";
import type { ExtensionFlag } from "./api-tools.ts";
import type { HookSlot, SessionHooks } from "./hooks.ts";
import type { SessionAccess } from "./session-access.ts";
import type { SessionExtensions, SessionExtensionsOptions } from "./session-extensions.ts";

/** The extensions of a session. Their code is loaded only if there are some. */
export class LazyExtensions implements HookSlot {
  readonly #options: SessionExtensionsOptions;
  #extensions: SessionExtensions | undefined;

  constructor(options: SessionExtensionsOptions) {
    this.#options = options;
  }

  get current(): SessionHooks | undefined {
    return this.#extensions?.current;
  }

  get problems(): string[] {
    return this.#extensions?.problems ?? [];
  }

  get providers(): readonly CustomProvider[] {
    return this.#extensions?.providers ?? [];
  }

  /** Whether extensions are loaded. */
  get hasAny(): boolean {
    return this.#extensions !== undefined;
  }

  /** The options of the command line that the loaded extensions have added, by name. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return this.#extensions?.flags ?? new Map();
  }

  /** Sets the values of these options. */
  useFlags(values: ReadonlyMap<string, boolean | string>): void {
    this.#extensions?.useFlags(values);
  }

  /** Loads the extensions. Call it if there may be some. */
  async load(): Promise<void> {
    await (await this.#create()).load();
  }

  /** Connects the loaded extensions to the session. `start` of `current` calls their start handlers later. */
  async bind(session: SessionAccess): Promise<void> {
    await this.#extensions?.bind(session);
  }

  /** Ends the loaded extensions. */
  async shutdown(): Promise<void> {
    await this.#extensions?.shutdown();
  }

  /** Reloads all extensions, also if there were none before. */
  async reload(session: SessionAccess): Promise<void> {
    await (await this.#create()).reload(session);
  }

  async #create(): Promise<SessionExtensions> {
    const { SessionExtensions } = await import("./session-extensions.ts");
    this.#extensions ??= new SessionExtensions(this.#options);
    return this.#extensions;
  }
}
