import { SessionError } from "../errors.ts";
import type { CustomProvider } from "../models/custom-providers.ts";
import { absentUser } from "../user-interface.ts";
import type { ExtensionFactory } from "./api.ts";
import { createEventBus } from "./event-bus.ts";
import { ExtensionHost } from "./extension-host.ts";
import type { ExtensionPlaces } from "./find-extensions.ts";
import { describeFailure } from "./handler-runner.ts";
import type { HookSlot, SessionHooks } from "./hooks.ts";
import { type LoadedExtensions, loadExtensions } from "./load-extensions.ts";
import { ModuleLoader } from "./module-loader.ts";
import type { SessionAccess } from "./session-access.ts";
import type { SlashCommands } from "./slash-commands.ts";

/** The default time limit of a handler, in milliseconds. */
const defaultLimitMs = 30_000;

export interface SessionExtensionsOptions {
  agentDir: string;
  /** The places in which extensions are searched. Called again for a reload. */
  places(): ExtensionPlaces | Promise<ExtensionPlaces>;
  factories: readonly ExtensionFactory[];
  commands: SlashCommands;
  /** The values of the options of the command line that extensions have added. Default: none. */
  flagValues?: ReadonlyMap<string, boolean | string> | undefined;
  /** The time limit of a handler, in milliseconds. Default: 30,000. */
  limitMs?: number | undefined;
  /** See `ModuleLoader`. */
  loadLibrary?: (() => Promise<object>) | undefined;
}

/** The extensions of a session. They are loaded before the session is created, then connected to it, and reloaded on request. */
export class SessionExtensions implements HookSlot {
  readonly #options: SessionExtensionsOptions;
  readonly #loader: ModuleLoader;
  #loaded: LoadedExtensions = { extensions: [], problems: [] };
  #session: SessionAccess | undefined;
  #host: ExtensionHost | undefined;

  constructor(options: SessionExtensionsOptions) {
    this.#options = options;
    this.#loader = new ModuleLoader(options.agentDir, options.loadLibrary);
  }

  get current(): SessionHooks | undefined {
    return this.#host;
  }

  /** One line for each extension that could not be loaded, and for each registration without effect. */
  get problems(): string[] {
    const { extensions, problems } = this.#loaded;
    return [
      ...problems.map(({ path, error }) => `The extension ${path} was not loaded: ${error}`),
      ...extensions.flatMap(({ path, warnings }) => warnings.map((warning) => `The extension ${path}: ${warning}`)),
    ];
  }

  /** The providers of the loaded extensions. The session needs them before its other parts. */
  get providers(): readonly CustomProvider[] {
    return this.#loaded.extensions.flatMap(({ providers }) => providers);
  }

  /** Runs the factories. Never rejects. */
  async load(): Promise<void> {
    const { factories, places } = this.#options;
    this.#loaded = await loadExtensions({
      ...(await places()),
      factories,
      loader: this.#loader,
      session: () => this.#requireSession(),
      events: createEventBus((channel, error) => this.#report("<events>", channel, describeFailure(error))),
      flagValues: this.#options.flagValues ?? new Map(),
      onRegistered: () => void this.#host?.install(),
      report: (path, event, error) => this.#report(path, event, error),
    });
  }

  /** Connects the loaded extensions to the session. `start` of `current` calls their start handlers later. */
  async bind(session: SessionAccess): Promise<void> {
    this.#session = session;
    const { commands, limitMs = defaultLimitMs } = this.#options;
    const warnings = this.#loaded.extensions.flatMap(({ path, warnings }) => warnings.map((error) => ({ path, error })));
    const problems = [...this.#loaded.problems, ...warnings];
    this.#host = new ExtensionHost({ ...this.#loaded, problems, session, commands, limitMs });
    await this.#host.install();
  }

  /** Ends all extensions, loads them again, and connects them to the session. Failures are reported at once. */
  async reload(session: SessionAccess): Promise<void> {
    await this.#host?.shutdown("reload");
    this.#options.commands.remove(({ path }) => path !== undefined);
    await this.#loader.forget();
    await this.load();
    await this.bind(session);
    await this.#host?.start("reload");
    await this.#host?.beforeRun();
  }

  /** Emits an error. Before there is a session, the error is kept for the first run. */
  #report(extensionPath: string, event: string, error: string): void {
    const told = this.#session?.emit({ type: "extension_error", extensionPath, event, error });
    if (!this.#session) this.#loaded.problems.push({ path: extensionPath, error });
    Promise.resolve(told).catch(() => {}); // a listener failed
  }

  /** Ends the extensions, also if the session could not be created. */
  async shutdown(): Promise<void> {
    const { commands, limitMs = defaultLimitMs } = this.#options;
    this.#host ??= new ExtensionHost({ ...this.#loaded, session: this.#session ?? noSession, commands, limitMs });
    await this.#host.shutdown();
  }

  #requireSession(): SessionAccess {
    if (this.#session) return this.#session;
    throw missingSession();
  }
}

function missingSession(): SessionError {
  return new SessionError("invalid_input", "There is no session yet. Call this in a handler, for example of session_start.");
}

/** Stands in for a session that could not be created, so that its extensions can be ended. */
const noSession = new Proxy({} as SessionAccess, {
  get(_target, name) {
    if (name === "emit") return () => undefined;
    if (name === "user") return absentUser;
    throw missingSession();
  },
});
