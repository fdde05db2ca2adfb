import type { AgentMessage, AgentToolResult } from "@pikit/agent";
import type { ApiLoader, ImageContent, Model, TextContent } from "@pikit/ai";
import type { StreamingBehavior } from "../protocol/data.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import type { ExtensionEventName, ExtensionEvents } from "./events.ts";

/** The version of this interface. A module that exports a higher `apiVersion` is refused. */
export const extensionApiVersion = 1;

/** The default export of an extension. Called once when it is loaded; what it registers is there for the first prompt. */
export type ExtensionFactory = (pi: ExtensionApi) => void | Promise<void>;

/** Called when its event comes. What it throws, and what takes too long, is told as `extension_error` and stops nothing. */
export type ExtensionHandler<N extends ExtensionEventName> = (
  event: ExtensionEvents[N]["event"],
  context: ExtensionContext,
) => HandlerResult<N> | Promise<HandlerResult<N>>;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is the usual one
type HandlerResult<N extends ExtensionEventName> = ExtensionEvents[N]["result"] | undefined | void;

/** What an extension works with. All but the registrations need a session, and throw while the factory is at work. */
export interface ExtensionApi {
  readonly apiVersion: typeof extensionApiVersion;
  /** Calls `handler` at each event of that name. Returns the function that ends it. */
  on<N extends ExtensionEventName>(event: N, handler: ExtensionHandler<N>): () => void;
  /** Gives the model a tool. One with the name of a built-in tool takes its place; a second one of this extension replaces the first. */
  registerTool<TArguments = Record<string, unknown>, TDetails = unknown>(tool: ExtensionTool<TArguments, TDetails>): void;
  /** Adds `/name`. It runs at once, also while a run is going, and is never sent to the model. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Adds models, or a whole api that models can name. */
  registerProvider(name: string, provider: ExtensionProvider): Promise<void>;
  /**
   * Adds to the conversation. A text is a message of the user: it starts a run, or is queued while one is going. A custom message is only
   * added, unless `deliverAs` says when the model is to answer it. Resolves when it is stored.
   */
  sendMessage(message: string | CustomMessageInput, options?: SendOptions): Promise<void>;
  /** Stores something that the model does not see; `context.lastEntry` reads it again. Types that begin with `pikit.` are ours. */
  appendEntry(customType: string, data: unknown): Promise<void>;
  /** Runs a program without a shell, to its end. A failing program is a result, not an error. */
  exec(program: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
}

/** A tool whose `execute` gets the context too. */
export interface ExtensionTool<TArguments = unknown, TDetails = unknown>
  extends Omit<ToolDefinition<TArguments, TDetails>, "execute"> {
  /** How far its calls reach, for approvals. Default: `execute`. */
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
  /** @param args - What stands behind the name, without the spaces around it. */
  handler(args: string, context: CommandContext): void | Promise<void>;
}

export interface ExtensionProvider {
  /** As in `models.json`. Default: the empty text. */
  baseUrl?: string;
  /** The wire api that its models speak. */
  api: string;
  /** A literal key, or `$NAME` for a variable of the environment. Default: none is needed. */
  apiKey?: string;
  headers?: Record<string, string>;
  compat?: Record<string, unknown>;
  /** Only `id` has to be given. */
  models: (Pick<Model, "id"> & Partial<Model>)[];
  /** Loads the adapter of `api`, when it is not one of ours; see `registerApi` of `@pikit/ai`. */
  load?: ApiLoader;
}

export interface CustomMessageInput {
  /** Says what it is, for user interfaces and for who reads the session. */
  customType: string;
  /** What the model reads. */
  content: string | (TextContent | ImageContent)[];
  /** Whether user interfaces show it. Default true. */
  display?: boolean;
  /** For user interfaces; must be JSON. */
  details?: unknown;
}

export interface SendOptions {
  /** `steer`: before the next model call; `followUp`: when the run would end. While idle both start a run. Texts: default `followUp`. */
  deliverAs?: StreamingBehavior;
}

export interface ExecOptions {
  /** Default: the working folder. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Kills the program and what it started. */
  signal?: AbortSignal;
  /** Default: none. */
  timeoutMs?: number;
}

export interface ExecResult {
  /** The first MiB, as plain text. */
  stdout: string;
  /** The same. */
  stderr: string;
  /** null when it was killed. */
  exitCode: number | null;
}

/** What a handler knows of the session and may do with it. Valid also after the handler has returned, except for `signal`. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  /** The folder that tools work in. */
  readonly cwd: string;
  /** Aborted when the handler is to stop: the run was aborted, or the time is up. */
  readonly signal: AbortSignal;
  readonly model: Model | undefined;
  /** Whether no run is going. */
  readonly isIdle: boolean;
  readonly sessionId: string;
  /** null in memory. */
  readonly sessionFile: string | null;
  /** The active branch. Live: read it, do not change it. */
  readonly messages: readonly AgentMessage[];
  /** What `appendEntry` stored last under this type on the active branch; undefined when nothing. */
  lastEntry(customType: string): Promise<unknown>;
  /** Stops the run that is going. Resolves at once. */
  abort(): void;
  /** Ends the process when the run that is going has settled: all is saved, exit code 0. In process, the owner of the session is told. */
  shutdown(): void;
}

/** What a command can do beside; in a handler these would wait for the run that waits for the handler. */
export interface CommandContext extends ExtensionContext {
  /** Resolves when no run is going. */
  waitForIdle(): Promise<void>;
  /** Summarises the older part of the conversation. */
  compact(instructions?: string): Promise<void>;
  /** Begins an empty session. @returns Whether it was begun; a `session_switch` handler may have refused. */
  newSession(): Promise<boolean>;
  /** Goes on with another session. @returns Whether it did. */
  switchSession(path: string): Promise<boolean>;
}

export interface ExtensionDialogOptions {
  /** Its abort resolves the dialog with its default. Default: the handler's own signal. */
  signal?: AbortSignal;
  /** Milliseconds until the dialog resolves with its default. Default: none. Waiting for an answer does not count as the handler's time. */
  timeoutMs?: number;
}

/** Asks and tells the user, in every mode. Where nobody is there (print and JSON mode) a dialog resolves at once with its default. */
export interface ExtensionUi {
  /** Default: undefined. */
  select(title: string, options: readonly string[], dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** Default: false. */
  confirm(title: string, message: string, dialog?: ExtensionDialogOptions): Promise<boolean>;
  /** A line of text. Default: undefined. */
  input(title: string, placeholder?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** A longer text. Default: undefined. */
  editor(title: string, prefill?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** A line of state under a key; without text it goes away. */
  setStatus(key: string, text?: string): void;
  /** Lines beside the editor under a key; without lines they go away. Default: above. */
  setWidget(key: string, lines?: readonly string[], placement?: "aboveEditor" | "belowEditor"): void;
  setTitle(title: string): void;
  /** Puts a text where the user types the next prompt. */
  setEditorText(text: string): void;
}
