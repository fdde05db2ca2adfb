import { providers, registerApi } from "@pikit/ai";
import { toCustomProvider } from "../models/custom-providers.ts";
import { isStandardSchema } from "../protocol/tool-parameters.ts";
import { describeParameters } from "../tools/define-tool.ts";
import { type EventBus, type ExtensionApi, extensionApiVersion } from "./api.ts";
import type { ExtensionProvider, ExtensionTool } from "./api-tools.ts";
import { describeUnknownEvent } from "./event-names.ts";
import { execProgram } from "./exec-program.ts";
import type { AnyHandler, Extension } from "./extension.ts";
import { handlerOfAlias, isEventAlias } from "./family/aliases.ts";
import { requireFlat, sendMessage, sendUserMessage } from "./send.ts";
import type { SessionAccess } from "./session-access.ts";
import { describeCommands, describeTools } from "./source-info.ts";

/** The parts for the API of one extension. */
export interface ApiParts {
  extension: Extension;
  /** The session. Throws if there is none yet. */
  session(): SessionAccess;
  events: EventBus;
  /** The values of the options of the command line that extensions have added. */
  flagValues: ReadonlyMap<string, boolean | string>;
  /** All extensions of the session. */
  all(): readonly Extension[];
  /** Called when tools, commands or providers were added. */
  onRegistered(): void;
}

const commandName = /^[^\s/]\S*$/;

/** Creates the argument of an extension's factory. */
export function createApi(parts: ApiParts): ExtensionApi {
  const { extension, session, events } = parts;
  return {
    apiVersion: extensionApiVersion,
    events,
    on: (event, handler) => addHandler(extension, event, handler as AnyHandler),
    ...createRegistrations(parts),
    ...createToolMethods(parts),
    sendMessage: async (message, options) => sendMessage(session(), message, options),
    sendUserMessage: async (content, options) => sendUserMessage(session(), content, options),
    async appendEntry(customType, data) {
      if (customType.startsWith("pikit."))
        throw new TypeError(`The entry type "${customType}" is reserved for pikit. Choose another name.`);
      requireFlat(data, "data");
      await session().appendEntry(customType, data);
      session().user.terminal?.showEntry({ customType, data });
    },
    setSessionName: async (name) => session().setName(name),
    getSessionName: () => session().conversation.name ?? undefined,
    setLabel: async (entryId, label) => session().setLabel(entryId, label),
    exec: async (program, args = [], options = {}) => {
      const { cwd, runProcess } = session();
      return execProgram(runProcess, [program, ...args], { cwd, ...options });
    },
    setModel: async (model) => session().setModel(model),
    getThinkingLevel: () => session().thinkingLevel,
    setThinkingLevel: (level) => void session().setThinkingLevel(level),
  };
}

function addHandler(extension: Extension, event: string, handler: AnyHandler): () => void {
  if (typeof handler !== "function") throw new TypeError(`The handler of "${event}" must be a function.`);
  const warning = describeUnknownEvent(event);
  if (warning !== undefined) extension.warn(warning);
  if (!isEventAlias(event)) return extension.addHandler(event, handler);
  const converted = handlerOfAlias(event, handler);
  return extension.addHandler(converted.name, converted.handler);
}

type Registrations = Pick<
  ExtensionApi,
  | "registerTool"
  | "registerCommand"
  | "registerShortcut"
  | "registerFlag"
  | "getFlag"
  | "registerMessageRenderer"
  | "registerEntryRenderer"
  | "registerMarkdownTransformer"
  | "registerProvider"
  | "unregisterProvider"
>;

function createRegistrations({ extension, session, flagValues, onRegistered }: ApiParts): Registrations {
  return {
    registerTool(tool) {
      checkTool(tool as ExtensionTool);
      extension.tools.set(tool.name, tool as ExtensionTool);
      onRegistered();
    },
    registerCommand(name, command) {
      if (!commandName.test(name)) throw new TypeError(`A command cannot be named "${name}": use one word without the slash.`);
      requireFunction(command?.handler, `The command "${name}" needs a function "handler".`);
      extension.commands.set(name, command);
      onRegistered();
    },
    registerShortcut(key, shortcut) {
      requireFunction(shortcut?.handler, `The shortcut "${key}" needs a function "handler".`);
      extension.shortcuts.set(key, shortcut);
      onRegistered();
    },
    registerFlag(name, flag) {
      extension.flags.set(name, flag);
    },
    getFlag(name) {
      const flag = extension.flags.get(name);
      return flag && (flagValues.get(name) ?? flag.default);
    },
    registerMessageRenderer(customType, renderer) {
      requireFunction(renderer, `The renderer of messages of the type "${customType}" must be a function.`);
      extension.messageRenderers.set(customType, renderer);
    },
    registerEntryRenderer(customType, renderer) {
      requireFunction(renderer, `The renderer of entries of the type "${customType}" must be a function.`);
      extension.entryRenderers.set(customType, renderer);
    },
    registerMarkdownTransformer(transformer) {
      requireFunction(transformer, "A transformer of Markdown must be a function.");
      extension.markdownTransformers.push(transformer);
    },
    registerProvider(name, provider) {
      const registered = addProvider(extension, name, provider).then(onRegistered);
      extension.waitFor(registered);
      return registered;
    },
    unregisterProvider(name) {
      extension.providers = extension.providers.filter((provider) => provider.name !== name);
      session().removeProvider(name);
    },
  };
}

async function addProvider(extension: Extension, name: string, provider: ExtensionProvider): Promise<void> {
  const { load, streamSimple, refreshModels: _refresh, oauth, ...config } = provider;
  // A function of its own needs no name of a protocol. A built-in provider has an address already.
  const isBuiltIn = providers.some((each) => each.provider === name);
  const file = { ...(load || streamSimple ? { api: name } : {}), ...(isBuiltIn ? {} : { baseUrl: "" }), ...config };
  if (load) registerApi(String(file.api), load);
  else if (streamSimple) {
    requireFunction(streamSimple, `The field "streamSimple" of the provider "${name}" must be a function.`);
    registerApi(String(file.api), async () => (await import("./family/modules/streams.ts")).toApiAdapter(streamSimple));
  }
  if (oauth && config.apiKey === undefined)
    extension.warn(`The provider "${name}" has a login, which this pi does not have. Store a key for it.`);
  const added = await toCustomProvider(name, file, `Provider "${name}"`);
  extension.providers = [...extension.providers.filter((each) => each.name !== name), added];
}

type ToolMethods = Pick<ExtensionApi, "getActiveTools" | "getAllTools" | "setActiveTools" | "getCommands">;

function createToolMethods({ session, all }: ApiParts): ToolMethods {
  return {
    getActiveTools: () => session().activeTools.map(({ name }) => name),
    getAllTools: () => describeTools(session(), all()),
    setActiveTools: (names) => session().activateTools(names),
    getCommands: () => describeCommands(session(), all()),
  };
}

function checkTool(tool: ExtensionTool): void {
  for (const [field, type] of Object.entries({
    name: "string",
    description: "string",
    parameters: "object",
    execute: "function",
  })) {
    // Schemas of some libraries are functions.
    if (field === "parameters" && isStandardSchema(tool.parameters)) continue;
    if (typeof tool[field as keyof typeof tool] !== type) throw new TypeError(`A tool needs the field "${field}", a ${type}.`);
  }
  for (const field of ["renderCall", "renderResult"] as const) {
    if (tool[field] !== undefined && typeof tool[field] !== "function")
      throw new TypeError(`The field "${field}" of the tool "${tool.name}" must be a function.`);
  }
  describeParameters(tool.name, tool.parameters);
}

function requireFunction(value: unknown, problem: string): void {
  if (typeof value !== "function") throw new TypeError(problem);
}
