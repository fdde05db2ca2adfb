import type { CustomProvider } from "../models/custom-providers.ts";
import type { HookSlot, SessionHooks } from "./hooks.ts";
import type { SessionAccess } from "./session-access.ts";
import type { SessionExtensions, SessionExtensionsOptions } from "./session-extensions.ts";

/** The extensions of a session, of which nothing is loaded as long as there are none. */
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

  /** Runs the factories. To be called when there may be some. */
  async load(): Promise<void> {
    await (await this.#create()).load();
  }

  /** Puts what was loaded to work. It is told of the session's start later, by `current`. */
  async bind(session: SessionAccess): Promise<void> {
    await this.#extensions?.bind(session);
  }

  /** Ends what was loaded. */
  async shutdown(): Promise<void> {
    await this.#extensions?.shutdown();
  }

  /** Loads everything anew, also where there was nothing before. */
  async reload(session: SessionAccess): Promise<void> {
    await (await this.#create()).reload(session);
  }

  async #create(): Promise<SessionExtensions> {
    const { SessionExtensions } = await import("./session-extensions.ts");
    this.#extensions ??= new SessionExtensions(this.#options);
    return this.#extensions;
  }
}
