import type { AgentMessage, AgentToolResult } from "@pikit/agent";
import type { ApiLoader, ImageContent, Model, TextContent } from "@pikit/ai";
import type { StreamingBehavior } from "../protocol/data.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { TerminalInterface, WidgetFactory } from "../terminal-interface.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import type { ExtensionEventName, ExtensionEvents } from "./events.ts";

/** The version of this interface. A module that exports a higher `apiVersion` is refused. */
export const extensionApiVersion = 1;

/** The default export of an extension. Called once when it is loaded. Its registrations are ready for the first prompt. */
export type ExtensionFactory = (pi: ExtensionApi) => void | Promise<void>;

/** Called for each event of its name. If it throws or takes too long, an `extension_error` is emitted, and the session continues. */
export type ExtensionHandler<N extends ExtensionEventName> = (
  event: ExtensionEvents[N]["event"],
  context: ExtensionContext,
) => HandlerResult<N> | Promise<HandlerResult<N>>;

// biome-ignore lint/suspicious/noConfusingVoidType: most handlers return nothing
type HandlerResult<N extends ExtensionEventName> = ExtensionEvents[N]["result"] | undefined | void;

/** The interface for extensions. All methods except the registrations need a session, and throw while the factory runs. */
export interface ExtensionApi {
  readonly apiVersion: typeof extensionApiVersion;
  /** Calls `handler` for each event of this name. Returns a function that removes the handler. */
  on<N extends ExtensionEventName>(event: N, handler: ExtensionHandler<N>): () => void;
  /** Adds a tool for the model. It replaces a built-in tool, or an earlier tool of this extension, with the same name. */
  registerTool<TArguments = Record<string, unknown>, TDetails = unknown>(tool: ExtensionTool<TArguments, TDetails>): void;
  /** Adds `/name`. The command starts at once, also during a run, and is never sent to the model. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Adds models, or an api for models. */
  registerProvider(name: string, provider: ExtensionProvider): Promise<void>;
  /**
   * Adds a message to the conversation. A text is a message of the user: it starts a run, or is queued during a run. A custom message is
   * only added; with `deliverAs` the model answers it. Resolves when it is stored.
   */
  sendMessage(message: string | CustomMessageInput, options?: SendOptions): Promise<void>;
  /** Stores data that the model does not see. `context.lastEntry` reads it. Types that begin with `pikit.` are reserved. */
  appendEntry(customType: string, data: unknown): Promise<void>;
  /** Runs a program without a shell, to its end. A failing program is a result, not an error. */
  exec(program: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
}

/** A tool whose `execute` also gets the context. */
export interface ExtensionTool<TArguments = unknown, TDetails = unknown>
  extends Omit<ToolDefinition<TArguments, TDetails>, "execute"> {
  /** The risk tier of its calls, for approvals. Default: `execute`. */
  riskTier?: RiskTier;
  execute(
    toolCallId: string,
    params: TArguments,
    signal: AbortSignal,
    onUpdate: (partialResult: AgentToolResult<TDetails>) => void,
    context: ExtensionContext,
  ): Promise<AgentToolResult<TDetails>>;
}

export interface ExtensionCommand {
  description?: string;
  /** @param args - The text after the name, trimmed. */
  handler(args: string, context: CommandContext): void | Promise<void>;
}

export interface ExtensionProvider {
  /** Like in `models.json`. Default: empty. */
  baseUrl?: string;
  /** The wire protocol of its models. */
  api: string;
  /** A literal key, or `$NAME` for an environment variable. Default: no key is needed. */
  apiKey?: string;
  headers?: Record<string, string>;
  compat?: Record<string, unknown>;
  /** Only `id` is required. */
  models: (Pick<Model, "id"> & Partial<Model>)[];
  /** Loads the adapter of `api`, if it is not built in. See `registerApi` of `@pikit/ai`. */
  load?: ApiLoader;
}

export interface CustomMessageInput {
  /** The kind of message, for user interfaces and other readers of the session. */
  customType: string;
  /** The content for the model. */
  content: string | (TextContent | ImageContent)[];
  /** Whether user interfaces show it. Default true. */
  display?: boolean;
  /** JSON data for user interfaces. */
  details?: unknown;
}

export interface SendOptions {
  /** `steer`: before the next model call; `followUp`: when the run would end. While idle both start a run. Default for texts: `followUp`. */
  deliverAs?: StreamingBehavior;
}

export interface ExecOptions {
  /** Default: the working folder. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Kills the program and its child processes. */
  signal?: AbortSignal;
  /** Default: none. */
  timeoutMs?: number;
}

export interface ExecResult {
  /** The first 1,048,576 characters, as plain text. */
  stdout: string;
  /** The same for stderr. */
  stderr: string;
  /** null if it was killed. */
  exitCode: number | null;
}

/** The session as a handler sees it. It stays valid after the handler has returned, except for `signal`. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  /** The working folder of the tools. */
  readonly cwd: string;
  /** Aborted when the handler must stop: the run was aborted, or the time limit is reached. */
  readonly signal: AbortSignal;
  readonly model: Model | undefined;
  /** Whether no run is active. */
  readonly isIdle: boolean;
  readonly sessionId: string;
  /** null for a session in memory. */
  readonly sessionFile: string | null;
  /** The messages of the active branch. A live array: do not change it. */
  readonly messages: readonly AgentMessage[];
  /** The latest data of this type that `appendEntry` stored on the active branch; undefined if there is none. */
  lastEntry(customType: string): Promise<unknown>;
  /** Aborts the current run. Does not wait for its end. */
  abort(): void;
  /** Ends the process with exit code 0 when the current run has settled and is stored. In-process, only notifies the session's owner. */
  shutdown(): void;
}

/** The context of a command, with methods that wait for the run. A handler has none of them, because the run waits for the handler. */
export interface CommandContext extends ExtensionContext {
  /** Resolves when no run is active. */
  waitForIdle(): Promise<void>;
  /** Summarises the older part of the conversation. */
  compact(instructions?: string): Promise<void>;
  /** Starts an empty session. @returns False if a `session_switch` handler refused. */
  newSession(): Promise<boolean>;
  /** Continues another session. @returns False if a `session_switch` handler refused. */
  switchSession(path: string): Promise<boolean>;
}

export interface ExtensionDialogOptions {
  /** An abort resolves the dialog with its default. Default: the handler's signal. */
  signal?: AbortSignal;
  /** Milliseconds until the dialog resolves with its default. Default: no limit. The wait does not count against the handler's time limit. */
  timeoutMs?: number;
  /** The same as `timeoutMs`. */
  timeout?: number;
}

/** Where a widget is. Default: above the editor. */
export type WidgetPlacement = "aboveEditor" | "belowEditor";

/**
 * The user interface, in every mode. Without a user (print and JSON mode) each dialog resolves at once with its default. Without a terminal of
 * pi, the members of `TerminalInterface` have no effect: `custom` resolves with undefined, and the theme has no colours.
 */
export interface ExtensionUi extends TerminalInterface {
  /** Default: undefined. */
  select(title: string, options: readonly string[], dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** Default: false. */
  confirm(title: string, message: string, dialog?: ExtensionDialogOptions): Promise<boolean>;
  /** A line of text. Default: undefined. */
  input(title: string, placeholder?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** A longer text. Default: undefined. */
  editor(title: string, prefill?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Sets the status line with this key. Without text, removes it. */
  setStatus(key: string, text?: string): void;
  /** Shows lines beside the editor, in the terminal also a component, identified by a key. Without content, removes them. */
  setWidget(
    key: string,
    content?: readonly string[] | WidgetFactory,
    options?: WidgetPlacement | { placement?: WidgetPlacement },
  ): void;
  setTitle(title: string): void;
  /** Sets the text of the prompt editor. */
  setEditorText(text: string): void;
}
