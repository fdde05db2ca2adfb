import { dirname, join } from "node:path";
import { assertReadable, FileError, fileLimits, makeFolder } from "@pikit/ai/files";
import type { Jiti } from "jiti";
import { type ExtensionFactory, extensionApiVersion } from "./api.ts";

/** What is read of a module. */
interface ExtensionModule {
  default?: unknown;
  apiVersion?: unknown;
}

/** A module that has been loaded. */
export interface LoadedModule {
  /** Its default export. */
  factory: ExtensionFactory;
  /** The files that were loaded with it, the module's own among them. */
  files: string[];
}

/**
 * Loads extensions in TypeScript or JavaScript. Imports of `@pikit/*` and TypeBox give them the copies that run here, so that classes and
 * registries are the same.
 */
export class ModuleLoader {
  readonly #cacheFolder: string;
  readonly #loadLibrary: (() => Promise<object>) | undefined;
  #jiti: Promise<Jiti> | undefined;
  /** Files that were loaded, of extensions and of what they import. */
  readonly #loaded = new Set<string>();

  /**
   * @param agentDir - Compiled files are kept there: a shared folder would let others put code into them.
   * @param loadLibrary - Loads the copy of this package that runs. Default: extensions load a copy of their own.
   */
  constructor(agentDir: string, loadLibrary: (() => Promise<object>) | undefined) {
    this.#cacheFolder = join(agentDir, "cache", "extensions");
    this.#loadLibrary = loadLibrary;
  }

  /**
   * Loads a module.
   *
   * @throws {Error} When the file cannot be read or compiled, throws, or is not an extension that can be used.
   */
  async load(path: string): Promise<LoadedModule> {
    await checkFile(path);
    this.#jiti ??= this.#create();
    const jiti = await this.#jiti;
    const before = new Set(Object.keys(jiti.cache));
    const module = await jiti.import<ExtensionModule>(path);
    const folder = dirname(path);
    const files = Object.keys(jiti.cache).filter(
      (file) => !before.has(file) && (file === path || !file.includes("node_modules") || file.startsWith(folder)),
    );
    for (const file of files) this.#loaded.add(file);
    const { apiVersion = extensionApiVersion } = module;
    if (typeof apiVersion !== "number" || apiVersion > extensionApiVersion) {
      throw new Error(
        `It needs version ${String(apiVersion)} of the extension API, and this is version ${extensionApiVersion}. Update pi.`,
      );
    }
    const factory = typeof module === "function" ? module : module.default;
    if (typeof factory !== "function") throw new Error("Its default export must be a function that takes the extension API.");
    return { factory: factory as ExtensionFactory, files };
  }

  /** Reads every file anew when it is loaded the next time. */
  async forget(): Promise<void> {
    const jiti = await this.#jiti;
    for (const file of this.#loaded) delete jiti?.cache[file];
    this.#loaded.clear();
  }

  async #create(): Promise<Jiti> {
    const [{ createJiti }, virtualModules, fsCache] = await Promise.all([
      import("jiti"),
      runningCopies(this.#loadLibrary),
      makeFolder(this.#cacheFolder).then(
        () => this.#cacheFolder,
        () => false, // without a place for it, they are compiled each time
      ),
    ]);
    return createJiti(import.meta.url, { virtualModules, fsCache, interopDefault: false });
  }
}

/** The loader reads what it is given, on this thread, to its end. What is missing, or a folder, it explains better. */
async function checkFile(path: string): Promise<void> {
  try {
    await assertReadable(path, fileLimits.extension);
  } catch (error) {
    if (error instanceof FileError && error.code !== "EISDIR")
      throw new Error(`It cannot be loaded: ${error.reason}.`, { cause: error });
  }
}

/** The modules that extensions share with us, by name. */
async function runningCopies(loadLibrary: (() => Promise<object>) | undefined): Promise<Record<string, unknown>> {
  const [ai, agent, library, protocol, typebox, value] = await Promise.all([
    import("@pikit/ai"),
    import("@pikit/agent"),
    loadLibrary?.(),
    import("../protocol/index.ts"),
    import("@sinclair/typebox"),
    import("@sinclair/typebox/value"),
  ]);
  return {
    "@pikit/ai": ai,
    "@pikit/agent": agent,
    ...(library && { "@pikit/coding-agent": library }),
    "@pikit/coding-agent/protocol": protocol,
    "@sinclair/typebox": typebox,
    "@sinclair/typebox/value": value,
  };
}
