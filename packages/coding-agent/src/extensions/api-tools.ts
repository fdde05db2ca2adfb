import type { AgentToolResult } from "@pikit/agent";
import type { ApiLoader, Model } from "@pikit/ai";
import type { RiskTier } from "../risk-tiers.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import type { CommandContext, ExtensionContext } from "./api-context.ts";
import type { FamilyStream } from "./family/modules/streams.ts";

/** A tool whose `execute` also gets the context. */
export interface ExtensionTool<TArguments = unknown, TDetails = unknown>
  extends Omit<ToolDefinition<TArguments, TDetails>, "execute"> {
  /** The risk tier of its calls, for approvals. Default: `execute`. */
  riskTier?: RiskTier;
  /** One line about the tool for the system prompt. */
  promptSnippet?: string;
  /** Advice for the system prompt while the tool is active. */
  promptGuidelines?: string[];
  /** Changes the arguments of a call before they are checked. */
  prepareArguments?(args: unknown): TArguments;
  execute(
    toolCallId: string,
    params: TArguments,
    signal: AbortSignal,
    onUpdate: (partialResult: AgentToolResult<TDetails>) => void,
    context: ExtensionContext,
  ): Promise<ExtensionToolResult<TDetails>>;
}

export interface ExtensionToolResult<TDetails = unknown> extends AgentToolResult<TDetails> {
  /** Whether the run ends after this turn, if all tools of the turn want it. Default: false. */
  terminate?: boolean;
}

export interface ExtensionCommand {
  description?: string;
  /** Completes the arguments in the terminal. */
  getArgumentCompletions?(prefix: string): CompletionItem[] | null | Promise<CompletionItem[] | null>;
  /** @param args - The text after the name, trimmed. */
  handler(args: string, context: CommandContext): unknown;
}

/** A completion in the prompt editor. */
export interface CompletionItem {
  value: string;
  label: string;
  description?: string;
}

/** A key that calls `handler`, in the terminal. */
export interface ExtensionShortcut {
  description?: string;
  handler(context: ExtensionContext): unknown;
}

/** An option `--name` of the command line. */
export interface ExtensionFlag {
  description?: string;
  type: "boolean" | "string";
  default?: boolean | string;
}

/** A component of the terminal: the lines for a width. */
export interface ExtensionComponent {
  render(width: number): string[];
}

/** The result of a renderer. Undefined: the default form. */
export type Rendered = ExtensionComponent | string | readonly string[] | undefined;

/** Renders a message or an entry of an extension in the terminal. The parameters are `never`, because its author knows the types. */
export type ExtensionRenderer = (item: never, options: never, theme: never) => Rendered;

/** Changes Markdown before the terminal renders it. */
export type MarkdownTransformer = (
  markdown: string,
  context: { messageType: "user" | "assistant" | "assistant-thinking"; isStreaming: boolean; availableWidth: number },
) => string;

/** A tool of the session. */
export interface ToolInfo {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters: unknown;
  promptGuidelines?: string[];
  sourceInfo: SourceInfo;
}

/** A command of the session. */
export interface CommandInfo {
  name: string;
  description?: string;
  source: "extension" | "prompt" | "skill";
  sourceInfo: SourceInfo;
}

/** Where something was loaded from. */
export interface SourceInfo {
  path: string;
  /** `builtin`, `sdk`, `local`, or a package. */
  source: string;
  scope: "user" | "project" | "temporary";
  origin: "package" | "top-level";
}

export interface ExtensionProvider {
  /** The name for users. Default: the provider's. */
  name?: string;
  /** Like in `models.json`. Default: that of the built-in provider with the same name; with `load` or `streamSimple`, empty. */
  baseUrl?: string;
  /** The wire protocol of its models. Default: that of the built-in provider; with `load` or `streamSimple`, the provider's name. */
  api?: string;
  /** As in `models.json`. Default: no key is needed. */
  apiKey?: string;
  /** Whether the key is sent as `Authorization: Bearer`. */
  authHeader?: boolean;
  headers?: Record<string, string>;
  compat?: Record<string, unknown>;
  /** Only `id` is required. Default: the provider changes the built-in one with the same name. */
  models?: (Pick<Model, "id"> & Partial<Model>)[];
  /** Changes to models that are listed elsewhere, by id. */
  modelOverrides?: Record<string, object>;
  /** Loads the adapter of `api`, if it is not built in. See `registerApi` of `@pikit/ai`. */
  load?: ApiLoader;
  /** Asks a model of `api`, in place of `load`. */
  streamSimple?: FamilyStream;
  /** Has no effect: the list of models does not change while pi runs. */
  refreshModels?: unknown;
  /** Has no effect: there is no login but with a key. */
  oauth?: unknown;
}
