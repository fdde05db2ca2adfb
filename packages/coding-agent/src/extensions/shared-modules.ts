import { findFamilyModule } from "./family/modules/find-module.ts";

/** Thrown where code uses a shared module that is not loaded yet. */
class NotLoaded extends Error {
  override readonly name = "NotLoaded";
  readonly module: string;

  constructor(module: string) {
    super(`The module ${module} cannot be used with require() here. Use import.`);
    this.module = module;
  }
}

/** The module that code used before it was loaded; undefined for other errors. */
export function notLoadedModule(error: unknown): string | undefined {
  return error instanceof NotLoaded ? error.module : undefined;
}

/** The modules that extensions share with this process. Each is loaded when an extension imports it. */
export class SharedModules {
  /** For the loader of extensions: a module, or something to wait for until it is loaded. */
  readonly byName: Record<string, unknown> = new Proxy(
    {},
    {
      has: (_, name) => typeof name === "string" && this.#find(name) !== undefined,
      get: (_, name) => (typeof name === "string" ? this.#get(name) : undefined),
    },
  );

  readonly #loadLibrary: (() => Promise<object>) | undefined;
  readonly #loaded = new Map<string, object>();
  readonly #loading = new Map<string, Promise<object>>();

  /** @param loadLibrary - Loads the running copy of this package. Default: extensions load a copy of their own. */
  constructor(loadLibrary: (() => Promise<object>) | undefined) {
    this.#loadLibrary = loadLibrary;
  }

  /** Loads a module, once. Rejects if there is none with this name. */
  load(name: string): Promise<object> {
    const loading = this.#loading.get(name) ?? this.#start(name);
    this.#loading.set(name, loading);
    return loading;
  }

  async #start(name: string): Promise<object> {
    const load = this.#find(name);
    if (!load) throw new Error(`There is no shared module ${name}.`);
    const module = await load();
    this.#loaded.set(name, module);
    return module;
  }

  #get(name: string): unknown {
    const loaded = this.#loaded.get(name);
    if (loaded || !this.#find(name)) return loaded;
    // `import` waits for it like for a promise; `require` uses its members at once.
    return new Proxy(
      {},
      {
        get: (_, member) => {
          if (member !== "then") throw new NotLoaded(name);
          return (resolve: (module: object) => void, reject: (error: unknown) => void) =>
            void this.load(name).then(resolve, reject);
        },
      },
    );
  }

  #find(name: string): (() => Promise<object>) | undefined {
    switch (name) {
      case "@pikit/ai":
        return () => import("@pikit/ai");
      case "@pikit/agent":
        return () => import("@pikit/agent");
      case "@pikit/coding-agent":
        return this.#loadLibrary;
      case "@pikit/coding-agent/protocol":
        return () => import("../protocol/index.ts");
      default:
        return findFamilyModule(name);
    }
  }
}
