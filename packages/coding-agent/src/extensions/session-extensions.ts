import { SessionError } from "../errors.ts";
import type { CustomProvider } from "../models/custom-providers.ts";
import { absentUser } from "../user-interface.ts";
import type { ExtensionFactory } from "./api.ts";
import type { ExtensionFlag } from "./api-tools.ts";
import { createEventBus } from "./event-bus.ts";
import { CommandsEnd, ExtensionHost } from "./extension-host.ts";
import type { ExtensionPlaces } from "./find-extensions.ts";
import { describeFailure } from "./handler-runner.ts";
import type { HookSlot, SessionHooks } from "./hooks.ts";
import { type LoadedExtensions, loadExtensions } from "./load-extensions.ts";
import { type LoadedModule, ModuleLoader } from "./module-loader.ts";
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
  readonly #commandsEnd = new CommandsEnd();
  /** The loaded modules, by path, until the next reload. */
  #modules = new Map<string, Promise<LoadedModule>>();
  readonly #flagValues = new Map<string, boolean | string>();
  /** The problems that were reported. */
  readonly #told = new Set<string>();

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

  /** The options of the command line that extensions have added, by name. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return new Map(this.#loaded.extensions.flatMap(({ flags }) => [...flags]));
  }

  /** Sets the values of these options. */
  useFlags(values: ReadonlyMap<string, boolean | string>): void {
    for (const [name, value] of values) this.#flagValues.set(name, value);
  }

  /** Runs the factories. Never rejects. */
  async load(): Promise<void> {
    const { factories, places } = this.#options;
    this.#loaded = await loadExtensions({
      ...(await places()),
      factories,
      loadModule: (path) => this.#loadModule(path),
      session: () => this.#requireSession(),
      events: createEventBus((channel, error) => this.#report("<events>", channel, describeFailure(error))),
      flagValues: this.#flagValues,
      onRegistered: () => void this.#host?.install(),
      report: (path, event, error) => this.#report(path, event, error),
    });
  }

  /** Connects the loaded extensions to the session. `start` of `current` calls their start handlers later. */
  async bind(session: SessionAccess): Promise<void> {
    this.#session = session;
    const warnings = this.#loaded.extensions.flatMap(({ path, warnings }) => warnings.map((error) => ({ path, error })));
    const problems = [...this.#loaded.problems, ...warnings].filter(({ path, error }) => {
      const key = `${path} ${error}`;
      return !this.#told.has(key) && this.#told.add(key);
    });
    this.#host = this.#createHost(session, problems);
    await this.#host.prepare();
    await this.#host.install();
  }

  #createHost(session: SessionAccess, problems: LoadedExtensions["problems"]): ExtensionHost {
    const { commands, limitMs = defaultLimitMs } = this.#options;
    const { extensions } = this.#loaded;
    return new ExtensionHost({
      ...{ extensions, problems, session, commands, limitMs, commandsEnd: this.#commandsEnd },
      restart: (reason, previousSessionFile) => this.#restart(session, reason, previousSessionFile),
    });
  }

  /** Creates the extensions again, from their loaded modules, and connects them to the session, which has moved. */
  async #restart(session: SessionAccess, reason: "new" | "resume" | "fork", previousSessionFile: string | null): Promise<void> {
    this.#options.commands.remove(({ path }) => path !== undefined);
    await this.load();
    await this.bind(session);
    await this.#host?.start(reason, previousSessionFile);
  }

  #loadModule(path: string): Promise<LoadedModule> {
    const loading = this.#modules.get(path) ?? this.#loader.load(path);
    this.#modules.set(path, loading);
    return loading;
  }

  /** Ends all extensions, loads them again, and connects them to the session. Failures are reported at once. */
  async reload(session: SessionAccess): Promise<void> {
    await this.#host?.shutdown("reload");
    this.#options.commands.remove(({ path }) => path !== undefined);
    this.#modules = new Map();
    this.#told.clear();
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
    this.#host ??= this.#createHost(this.#session ?? noSession, this.#loaded.problems);
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
