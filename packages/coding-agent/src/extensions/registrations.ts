import type { AgentTool } from "@pikit/agent";
import type { AdvisedTool } from "../prompt/system-prompt.ts";
import { toSourceInfo } from "../source-info.ts";
import { checkArguments, describeParameters } from "../tools/define-tool.ts";
import { toTextRenderers } from "../tools/tool-rendering.ts";
import type { ExtensionTool } from "./api-tools.ts";
import { asExtension } from "./culprits.ts";
import type { Extension } from "./extension.ts";
import { HandlerClock } from "./handler-clock.ts";
import type { HandlerContext } from "./handler-context.ts";
import { describeFailure, type HandlerRunner } from "./handler-runner.ts";
import type { SessionAccess } from "./session-access.ts";
import type { SlashCommands } from "./slash-commands.ts";
import { createContributions } from "./terminal-contributions.ts";

export interface RegistrationParts {
  extensions: readonly Extension[];
  session: SessionAccess;
  commands: SlashCommands;
  runner: HandlerRunner;
  /** The signal that aborts running commands. */
  signal(): AbortSignal;
}

/**
 * Adds the providers, commands and tools of extensions to a session. Of two tools with the same name the first is used, the other reported.
 * Commands with the same name get a number: `/review:1`, `/review:2`.
 */
export class Registrations {
  readonly #parts: RegistrationParts;
  /** The extension of each command that is added, and the name that the extension gave it. */
  readonly #owners = new Map<string, Owner>();
  /** The reported conflicts. */
  readonly #conflicts = new Set<string>();

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  /** Updates the session to the current registrations. Never rejects. */
  async install(): Promise<void> {
    const { extensions, session } = this.#parts;
    for (const provider of extensions.flatMap(({ providers }) => providers)) session.addProvider(provider);
    await this.#installCommands();
    await this.#installTools();
    this.#connectTerminal();
  }

  #connectTerminal(): void {
    const { extensions, session, runner } = this.#parts;
    const { terminal } = session.user;
    if (!terminal || extensions.length === 0) return;
    terminal.connect(createContributions(extensions, runner));
  }

  async #installCommands(): Promise<void> {
    const wanted = this.#nameCommands();
    this.#parts.commands.remove(({ name }) => this.#owners.has(name) && !isSame(this.#owners.get(name), wanted.get(name)));
    for (const [name, owner] of this.#owners) if (!isSame(owner, wanted.get(name))) this.#owners.delete(name);
    for (const [name, owner] of wanted) {
      if (this.#owners.has(name)) continue;
      if (this.#register(owner, name)) this.#owners.set(name, owner);
      else await this.#tellConflict(owner.extension, `The command /${name} already exists`);
    }
  }

  /** The names by which the commands are called. */
  #nameCommands(): Map<string, Owner> {
    const byName = new Map<string, Extension[]>();
    for (const extension of this.#parts.extensions) {
      for (const name of extension.commands.keys()) byName.set(name, [...(byName.get(name) ?? []), extension]);
    }
    const named = new Map<string, Owner>();
    for (const [name, extensions] of byName) {
      for (const [index, extension] of extensions.entries()) {
        named.set(extensions.length === 1 ? name : `${name}:${index + 1}`, { extension, name });
      }
    }
    return named;
  }

  #register({ extension, name: ownName }: Owner, name: string): boolean {
    const { path, location } = extension;
    const description = extension.commands.get(ownName)?.description;
    return this.#parts.commands.register({
      ...{ name, source: "extension", location, path },
      ...(description === undefined ? {} : { description }),
      ...(extension.package ? { sourceInfo: toSourceInfo(extension) } : {}),
      run: async (args) => {
        const work = (context: HandlerContext) => extension.commands.get(ownName)?.handler(args, context);
        const options = { signal: this.#parts.signal(), limitMs: Number.POSITIVE_INFINITY };
        await this.#parts.runner.run(extension, `/${name}`, work, options);
      },
    });
  }

  async #installTools(): Promise<void> {
    const { extensions, session, runner } = this.#parts;
    const tools = new Map<string, AgentTool>();
    const tiers = Object.assign({}, ...extensions.map((extension) => extension.tiers).toReversed());
    for (const extension of extensions) {
      for (const name of extension.tools.keys()) {
        if (!tools.has(name)) tools.set(name, this.#toAgentTool(extension, name));
        else await this.#tellConflict(extension, `Another extension has a tool named "${name}"`);
      }
    }
    try {
      session.setTools([...tools.values()], tiers);
    } catch (error) {
      const path = extensions.map((extension) => extension.path).join(", ");
      await runner.report(path, "load", (error as Error).message);
    }
  }

  #toAgentTool(extension: Extension, toolName: string): AdvisedTool {
    const tool = extension.tools.get(toolName);
    if (!tool) throw new Error(`The extension ${extension.path} has no tool "${toolName}".`);
    const { name, label = name, description, parameters, executionMode, promptSnippet, promptGuidelines } = tool;
    return {
      ...{ name, label, description, parameters: describeParameters(name, parameters) },
      ...(executionMode === undefined ? {} : { executionMode }),
      ...(promptSnippet === undefined ? {} : { promptSnippet }),
      ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
      ...(tool.prepareArguments ? { prepareArguments: (args) => asExtension(extension, () => tool.prepareArguments?.(args)) } : {}),
      execute: (toolCallId, params, signal, onUpdate) => {
        const clock = new HandlerClock(Number.POSITIVE_INFINITY);
        const context = this.#parts.runner.createContext(clock);
        const work = async () => {
          const args = await checkArguments(name, parameters, params);
          const result = await tool.execute(toolCallId, args, signal, onUpdate, context);
          if (result?.terminate === true) this.#parts.session.endAfter(toolCallId);
          return result;
        };
        return clock.limit(() => asExtension(extension, work), signal);
      },
      ...this.#renderers(extension, tool),
    };
  }

  #renderers(extension: Extension, tool: ExtensionTool): Pick<AgentTool, "renderCall" | "renderResult"> {
    const { session, runner } = this.#parts;
    return toTextRenderers(
      tool,
      () => session.cwd,
      (name, work) => {
        try {
          return asExtension(extension, work);
        } catch (error) {
          // The call is then shown as without the function.
          void runner.report(extension.path, `${tool.name}.${name}`, describeFailure(error));
          return undefined;
        }
      },
    );
  }

  async #tellConflict({ path }: Extension, what: string): Promise<void> {
    const conflict = `${what}; this one cannot be used.`;
    if (this.#conflicts.has(path + conflict)) return;
    this.#conflicts.add(path + conflict);
    await this.#parts.runner.report(path, "load", conflict);
  }
}

type Owner = { extension: Extension; name: string };

function isSame(a: Owner | undefined, b: Owner | undefined): boolean {
  return a?.extension === b?.extension && a?.name === b?.name;
}
