import type { Model, RequestedThinkingLevel, ThinkingLevel } from "@pikit/ai";
import type { ExtensionContext } from "./api-context.ts";
import type { MessageContent, MessageInput, SendOptions, SendUserOptions } from "./api-messages.ts";
import type {
  CommandInfo,
  ExtensionCommand,
  ExtensionFlag,
  ExtensionProvider,
  ExtensionRenderer,
  ExtensionShortcut,
  ExtensionTool,
  MarkdownTransformer,
  ToolInfo,
} from "./api-tools.ts";
import type { ExtensionEventName, ExtensionEvents } from "./events.ts";

/** The version of this interface. A module that exports a higher `apiVersion` is refused. */
export const extensionApiVersion = 1;

/** The default export of an extension. Called when it is loaded, and again for each session. Its registrations are ready for the first prompt. */
export type ExtensionFactory = (pi: ExtensionApi) => void | Promise<void>;

/** Called for each event of its name. If it throws or takes too long, an `extension_error` is emitted, and the session continues. */
export type ExtensionHandler<N extends ExtensionEventName> = (
  event: ExtensionEvents[N]["event"],
  context: ExtensionContext,
) => HandlerResult<N> | Promise<HandlerResult<N>>;

// biome-ignore lint/suspicious/noConfusingVoidType: most handlers return nothing
type HandlerResult<N extends ExtensionEventName> = ExtensionEvents[N]["result"] | undefined | void;

/** The interface for extensions. All methods except `on`, `getFlag` and the registrations need a session, and throw while the factory runs. */
export interface ExtensionApi {
  readonly apiVersion: typeof extensionApiVersion;
  /** Calls `handler` for each event of this name. Returns a function that removes the handler. An unknown name is reported. */
  on<N extends ExtensionEventName>(event: N, handler: ExtensionHandler<N>): () => void;
  /** Adds a tool for the model. It replaces a built-in tool, or an earlier tool of this extension, with the same name. */
  registerTool<TArguments = Record<string, unknown>, TDetails = unknown>(tool: ExtensionTool<TArguments, TDetails>): void;
  /** Adds `/name`. The command starts at once, also during a run, and is never sent to the model. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Adds a key of the terminal, such as `ctrl+x`. Other modes have no keys. */
  registerShortcut(key: string, shortcut: ExtensionShortcut): void;
  /** Adds `--name` to the command line. */
  registerFlag(name: string, flag: ExtensionFlag): void;
  /** The value of an option that this extension has added: that of the command line, else its default. */
  getFlag(name: string): boolean | string | undefined;
  /** Renders the messages of this type in the terminal. */
  registerMessageRenderer(customType: string, renderer: ExtensionRenderer): void;
  /** Renders the entries of this type in the terminal. */
  registerEntryRenderer(customType: string, renderer: ExtensionRenderer): void;
  /** Changes the Markdown of messages before the terminal renders it. */
  registerMarkdownTransformer(transformer: MarkdownTransformer): void;
  /** Adds models, or an api for models. */
  registerProvider(name: string, provider: ExtensionProvider): Promise<void>;
  /** Removes a provider of an extension. */
  unregisterProvider(name: string): void;
  /**
   * Adds a message to the conversation. A text is a message of the user: it starts a run, or is queued during a run. A message of an extension is
   * only added, or queued during a run; with `triggerTurn` the model answers it. Resolves when it is stored.
   */
  sendMessage(message: MessageInput, options?: SendOptions): Promise<void>;
  /**
   * Sends a message of the user: it starts a run, or is queued during a run.
   *
   * @throws {SessionError} `busy` during a run without `deliverAs`.
   */
  sendUserMessage(content: MessageContent, options?: SendUserOptions): Promise<void>;
  /** Stores data that the model does not see. `context.lastEntry` reads it. Types that begin with `pikit.` are reserved. */
  appendEntry(customType: string, data?: unknown): Promise<void>;
  /** Names the session. */
  setSessionName(name: string): Promise<void>;
  /** undefined if the session has no name. */
  getSessionName(): string | undefined;
  /** Sets the label of an entry; without a label, removes it. */
  setLabel(entryId: string, label: string | undefined): Promise<void>;
  /** Runs a program without a shell, to its end. A failing program is a result, not an error. */
  exec(program: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** The names of the tools that the model has. */
  getActiveTools(): string[];
  /** All tools that `setActiveTools` knows. */
  getAllTools(): ToolInfo[];
  /** Sets the tools that the model has from its next call on. Unknown names are ignored. Tools that are added later are active. */
  setActiveTools(names: readonly string[]): void;
  /** The commands that a prompt can call: those of extensions, then templates, then skills. The latter two are known after the first prompt. */
  getCommands(): CommandInfo[];
  /** Sets the model of this session. @returns False if its provider has no key. */
  setModel(model: Model): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  /** Sets the thinking level of this session. The model uses its nearest level. */
  setThinkingLevel(level: RequestedThinkingLevel): void;
  /** Events between extensions. */
  readonly events: EventBus;
}

/** Events between the extensions of a session. */
export interface EventBus {
  /** Calls the handlers of a channel, in the order of their registration. */
  emit(channel: string, data?: unknown): void;
  /** Returns a function that removes the handler. */
  on(channel: string, handler: (data: never) => unknown): () => void;
}

export interface ExecOptions {
  /** Default: the working folder. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Kills the program and its child processes. */
  signal?: AbortSignal;
  /** Default: none. */
  timeoutMs?: number;
  /** The same as `timeoutMs`, which takes precedence. */
  timeout?: number;
}

export interface ExecResult {
  /** The first 1,048,576 characters, as plain text. */
  stdout: string;
  /** The same for stderr. */
  stderr: string;
  /** null if it was killed. */
  exitCode: number | null;
  /** The same; 1 if it was killed. */
  code: number;
  /** Whether it was killed: by the timeout, or because `signal` was aborted. */
  killed: boolean;
}
