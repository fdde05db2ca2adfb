import type { CompletionItem, TerminalContributions, ToolRenderer } from "../terminal-interface.ts";
import type { ExtensionRenderer, ExtensionTool } from "./api-tools.ts";
import { asExtension } from "./culprits.ts";
import type { Extension } from "./extension.ts";
import { describeFailure, type HandlerRunner } from "./handler-runner.ts";

/** The registrations of extensions that only a terminal uses. Each is looked up when it is needed, since extensions register at any time. */
export function createContributions(extensions: readonly Extension[], runner: HandlerRunner): TerminalContributions {
  /** Calls a function of an extension. A failure is reported, and is undefined. */
  const attempt = <T>(extension: Extension, name: string, work: () => T): T | undefined => {
    try {
      return asExtension(extension, work);
    } catch (error) {
      void runner.report(extension.path, name, describeFailure(error));
      return undefined;
    }
  };
  const rendererOf = (
    list: (extension: Extension) => ReadonlyMap<string, ExtensionRenderer>,
    customType: string,
    what: string,
  ): ((...args: unknown[]) => unknown) | undefined => {
    const extension = extensions.find((each) => list(each).has(customType));
    const render = extension && (list(extension).get(customType) as ((...args: unknown[]) => unknown) | undefined);
    return extension && render && ((...args) => attempt(extension, `${customType}.${what}`, () => render(...args)));
  };
  return {
    shortcuts: () =>
      extensions.flatMap((extension) =>
        [...extension.shortcuts].map(([key, { description, handler }]) => ({
          ...{ key, description },
          press: () => void runner.run(extension, key, (context) => handler(context), { limitMs: Number.POSITIVE_INFINITY }),
        })),
      ),
    toolRenderer(name) {
      const extension = extensions.find(({ tools }) => tools.has(name));
      const tool = extension?.tools.get(name);
      return extension && tool && toRenderer(tool, (what, work) => attempt(extension, `${name}.${what}`, work));
    },
    messageRenderer: (customType) => rendererOf(({ messageRenderers }) => messageRenderers, customType, "messageRenderer"),
    entryRenderer: (customType) => rendererOf(({ entryRenderers }) => entryRenderers, customType, "entryRenderer"),
    transformMarkdown(markdown, context) {
      let changed = markdown;
      for (const extension of extensions) {
        for (const transform of extension.markdownTransformers) {
          const result = attempt(extension, "markdownTransformer", () => transform(changed, context));
          if (typeof result === "string") changed = result;
        }
      }
      return changed;
    },
    async completeArguments(command, typed) {
      const extension = extensions.find(({ commands }) => commands.has(command));
      const complete = extension?.commands.get(command)?.getArgumentCompletions;
      if (!extension || !complete) return [];
      const outcome = await runner.run(extension, `/${command}`, () => complete(typed));
      const items = "value" in outcome ? outcome.value : undefined;
      return Array.isArray(items) ? items.filter(isItem) : [];
    },
  };
}

function toRenderer(tool: ExtensionTool, attempt: <T>(name: string, work: () => T) => T | undefined): ToolRenderer {
  const { renderCall, renderResult, renderShell } = tool;
  return {
    isSelfFramed: renderShell === "self",
    ...(renderCall ? { call: (...args) => attempt("renderCall", () => renderCall.apply(tool, args)) } : {}),
    ...(renderResult ? { result: (...args) => attempt("renderResult", () => renderResult.apply(tool, args)) } : {}),
  };
}

function isItem(value: unknown): value is CompletionItem {
  const { value: text, label } = (value ?? {}) as Partial<CompletionItem>;
  return typeof text === "string" && typeof label === "string";
}
