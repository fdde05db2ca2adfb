import { stripVTControlCharacters } from "node:util";
import { fileLimits, readWhole } from "@pikit/ai/files";
import type { EventBus, ExtensionApi, ExtensionFactory } from "./api.ts";
import { createApi } from "./create-api.ts";
import { asExtension, ownFiles } from "./culprits.ts";
import { Extension } from "./extension.ts";
import { type ExtensionPlaces, findExtensions } from "./find-extensions.ts";
import { HandlerClock } from "./handler-clock.ts";
import type { LoadedModule } from "./module-loader.ts";
import type { SessionAccess } from "./session-access.ts";

/** The time limit of a factory, in milliseconds. */
const factoryLimitMs = 30_000;

export interface LoadOptions extends ExtensionPlaces {
  /** Loads the module of an extension. */
  loadModule(path: string): Promise<LoadedModule>;
  /** Extensions that are functions. */
  factories: readonly ExtensionFactory[];
  /** The session. Throws if there is none yet. */
  session(): SessionAccess;
  /** Events between the extensions. */
  events: EventBus;
  /** The values of the options of the command line that extensions have added. */
  flagValues: ReadonlyMap<string, boolean | string>;
  /** Called when an extension registers something after it was loaded. */
  onRegistered(): void;
  /** Reports an error that does not come from a handler. */
  report(extensionPath: string, event: string, error: string): void;
}

export interface LoadedExtensions {
  extensions: Extension[];
  /** The extensions that could not be loaded. An error names the line if it is known. */
  problems: { path: string; error: string }[];
}

/** Finds and loads extensions one after another. A failing one is left out, with all its registrations. Never rejects. */
export async function loadExtensions(options: LoadOptions): Promise<LoadedExtensions> {
  const { files, problems } = await findExtensions(options);
  const extensions: Extension[] = [];
  const sources = [
    ...options.factories.map((factory) => ({
      file: { path: "<inline>", location: "path" as const },
      load: async (): Promise<LoadedModule> => ({ factory, files: [] }),
    })),
    ...files.map((file) => ({ file, load: () => options.loadModule(file.path) })),
  ];
  for (const { file, load } of sources) {
    const { path } = file;
    const extension = new Extension(file, options.report);
    const api = createApi({
      extension,
      session: options.session,
      events: options.events,
      flagValues: options.flagValues,
      all: () => extensions,
      onRegistered: () => extension.isLoaded && options.onRegistered(),
    });
    try {
      await new HandlerClock(factoryLimitMs).limit(() =>
        asExtension(extension, async () => runFactory(await load(), api, extension)),
      );
      extension.isLoaded = true;
      extensions.push(extension);
    } catch (error) {
      problems.push({ path, error: describeLoadError(error, path) });
    }
  }
  return { extensions, problems };
}

async function runFactory({ factory, files }: LoadedModule, api: ExtensionApi, extension: Extension): Promise<void> {
  ownFiles(extension, files);
  extension.usesModels = (await Promise.all([String(factory), ...files.map(readSource)])).some((code) =>
    code.includes("modelRegistry"),
  );
  await factory(api);
  await extension.settled;
}

/** The code of a file; empty if it cannot be read. */
async function readSource(path: string): Promise<string> {
  return readWhole(path, fileLimits.extension).then(String, () => "");
}

/** The error message, with the line of the extension's file if it is known. */
function describeLoadError(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error);
  const message = stripVTControlCharacters(error.message).replace(/\s+/g, " ").trim();
  const [first = message] = message.split(" Require stack:");
  const place = findPlace(`${message}\n${error.stack ?? ""}`, path);
  if (!place) return first;
  return `${first.replace(place.text, "").trim()} (line ${place.line})`;
}

/** The first `path:line` or `path:line:column` in a text. */
function findPlace(text: string, path: string): { text: string; line: string } | undefined {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const match = /^:(\d+)(?::\d+)?/.exec(text.slice(at + path.length));
    if (match?.[1] !== undefined) return { text: path + match[0], line: match[1] };
  }
  return undefined;
}
