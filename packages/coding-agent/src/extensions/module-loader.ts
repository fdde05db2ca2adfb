import { dirname, join } from "node:path";
import { assertReadable, FileError, fileLimits, makeFolder } from "@pikit/ai/files";
import type { Jiti } from "jiti";
import { type ExtensionFactory, extensionApiVersion } from "./api.ts";
import { notLoadedModule, SharedModules } from "./shared-modules.ts";

/** The exports of a module that are used. */
interface ExtensionModule {
  default?: unknown;
  apiVersion?: unknown;
}

export interface LoadedModule {
  /** Its default export. */
  factory: ExtensionFactory;
  /** The files that were loaded with it, including the module's own. */
  files: string[];
}

/**
 * Loads extensions in TypeScript or JavaScript. Their imports of `@pikit/*` and TypeBox get the copies of this process, so that classes
 * and registries are the same. Imports of the packages of related programs get modules with the same names.
 */
export class ModuleLoader {
  readonly #cacheFolder: string;
  readonly #shared: SharedModules;
  #jiti: Promise<Jiti> | undefined;
  /** The loaded files of extensions and their imports. */
  readonly #loaded = new Set<string>();

  /**
   * @param agentDir - The folder for compiled files. It must not be shared: another user could put code into them.
   * @param loadLibrary - Loads the running copy of this package. Default: extensions load a copy of their own.
   */
  constructor(agentDir: string, loadLibrary: (() => Promise<object>) | undefined) {
    this.#cacheFolder = join(agentDir, "cache", "extensions");
    this.#shared = new SharedModules(loadLibrary);
  }

  /**
   * Loads a module.
   *
   * @throws {Error} When the file cannot be read or compiled, throws, or is not a compatible extension.
   */
  async load(path: string): Promise<LoadedModule> {
    await checkFile(path);
    this.#jiti ??= this.#create();
    const jiti = await this.#jiti;
    const before = new Set(Object.keys(jiti.cache));
    const module = await this.#import(jiti, path, before);
    const folder = dirname(path);
    const files = Object.keys(jiti.cache).filter(
      (file) => !before.has(file) && (file === path || !file.includes("node_modules") || file.startsWith(folder)),
    );
    for (const file of files) this.#loaded.add(file);
    const { apiVersion = extensionApiVersion } = module;
    if (typeof apiVersion !== "number" || apiVersion > extensionApiVersion) {
      throw new Error(
        `It needs version ${String(apiVersion)} of the extension API, but this is version ${extensionApiVersion}. Update pi.`,
      );
    }
    const factory = typeof module === "function" ? module : module.default;
    if (typeof factory !== "function") throw new Error("Its default export must be a function that takes the extension API.");
    return { factory: factory as ExtensionFactory, files };
  }

  /** Clears the cache, so that the next load reads every file again. */
  async forget(): Promise<void> {
    const jiti = await this.#jiti;
    for (const file of this.#loaded) delete jiti?.cache[file];
    this.#loaded.clear();
  }

  /** Imports a module. Code that calls `require` cannot wait for a shared module: it is loaded, and the code starts again. */
  async #import(jiti: Jiti, path: string, before: ReadonlySet<string>): Promise<ExtensionModule> {
    const required = new Set<string>();
    for (;;) {
      try {
        return await jiti.import<ExtensionModule>(path);
      } catch (error) {
        const name = notLoadedModule(error);
        if (name === undefined || required.has(name)) throw error;
        required.add(name);
        await this.#shared.load(name);
        for (const file of Object.keys(jiti.cache)) if (!before.has(file)) delete jiti.cache[file];
      }
    }
  }

  async #create(): Promise<Jiti> {
    const [{ createJiti }, fsCache] = await Promise.all([
      import("jiti"),
      makeFolder(this.#cacheFolder).then(
        () => this.#cacheFolder,
        () => false, // without a cache folder, files are compiled each time
      ),
    ]);
    return createJiti(import.meta.url, { virtualModules: this.#shared.byName, fsCache, interopDefault: false });
  }
}

/** Checks a file first, because the loader reads any file completely on this thread. Missing files and folders are left to the loader. */
async function checkFile(path: string): Promise<void> {
  try {
    await assertReadable(path, fileLimits.extension);
  } catch (error) {
    if (error instanceof FileError && error.code !== "EISDIR")
      throw new Error(`It cannot be loaded: ${error.reason}.`, { cause: error });
  }
}
