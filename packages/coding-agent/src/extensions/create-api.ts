import { isTooDeep, maxNesting, registerApi } from "@pikit/ai";
import { toCustomProvider } from "../models/custom-providers.ts";
import { isStandardSchema } from "../protocol/tool-parameters.ts";
import { describeParameters } from "../tools/define-tool.ts";
import { type ExtensionApi, type ExtensionTool, extensionApiVersion } from "./api.ts";
import { execProgram } from "./exec-program.ts";
import type { Extension } from "./extension.ts";
import type { SessionAccess } from "./session-access.ts";

/** The parts for the API of one extension. */
export interface ApiParts {
  extension: Extension;
  /** The session. Throws if there is none yet. */
  session(): SessionAccess;
  /** Called when tools, commands or providers were added. */
  onRegistered(): void;
}

const commandName = /^[^\s/]\S*$/;

function requireFlat(value: unknown, name: string): void {
  if (isTooDeep(value)) throw new TypeError(`The ${name} must not be nested more than ${maxNesting} levels deep.`);
}

/** Creates the argument of an extension's factory. */
export function createApi({ extension, session, onRegistered }: ApiParts): ExtensionApi {
  return {
    apiVersion: extensionApiVersion,
    on: (event, handler) => {
      if (typeof handler !== "function") throw new TypeError(`The handler of "${event}" must be a function.`);
      return extension.addHandler(event, handler);
    },
    registerTool(tool) {
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
      extension.tools.set(tool.name, tool as ExtensionTool);
      onRegistered();
    },
    registerCommand(name, command) {
      if (!commandName.test(name)) throw new TypeError(`A command cannot be named "${name}": use one word without the slash.`);
      if (typeof command?.handler !== "function") throw new TypeError(`The command "${name}" needs a function "handler".`);
      extension.commands.set(name, command);
      onRegistered();
    },
    registerProvider(name, { load, ...provider }) {
      const register = async () => {
        if (load) registerApi(provider.api, load);
        const added = await toCustomProvider(name, { baseUrl: "", ...provider }, `Provider "${name}"`);
        extension.providers.push(added);
        onRegistered();
      };
      const registered = register();
      extension.waitFor(registered);
      return registered;
    },
    async sendMessage(message, { deliverAs } = {}) {
      if (typeof message === "string") return session().sendText(message, deliverAs ?? "followUp");
      const { customType, content, display = true, details } = message;
      requireFlat(details, "details");
      const timestamp = Date.now();
      const fields = details === undefined ? {} : { details };
      await session().sendMessage({ role: "custom", customType, content, display, ...fields, timestamp }, deliverAs);
    },
    async appendEntry(customType, data) {
      if (customType.startsWith("pikit."))
        throw new TypeError(`The entry type "${customType}" is reserved for pikit. Choose another name.`);
      requireFlat(data, "data");
      await session().appendEntry(customType, data);
    },
    exec: async (program, args = [], options = {}) => {
      const { cwd, runProcess } = session();
      return execProgram(runProcess, [program, ...args], { cwd, ...options });
    },
  };
}
