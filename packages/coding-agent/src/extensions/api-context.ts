import type { AgentMessage } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import type { SessionEntry } from "../conversation/entries.ts";
import type { CompactionResult, ContextUsage } from "../protocol/data.ts";
import type { EntryTreeNode } from "../protocol/entries.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import type { MessageContent, MessageInput, SendOptions, SendUserOptions } from "./api-messages.ts";
import type { ExtensionUi } from "./api-ui.ts";
import type { ModelRegistryView } from "./model-registry-view.ts";

/** The kind of program that shows the session. `tui` is the terminal; `print` has no user. */
export type ExtensionMode = "tui" | "rpc" | "json" | "print";

/** The session as a handler sees it. It stays valid after the handler has returned, except for `signal`. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  readonly mode: ExtensionMode;
  /** Whether a user can answer dialogs. */
  readonly hasUI: boolean;
  /** The working folder of the tools. */
  readonly cwd: string;
  /** Aborted when the handler must stop: the run was aborted, or the time limit is reached. */
  readonly signal: AbortSignal;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  /** The models that cycling goes through; empty if the user has not limited them. */
  readonly scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  readonly modelRegistry: ModelRegistryView;
  readonly sessionManager: ReadonlySessionManager;
  readonly sessionId: string;
  /** null for a session in memory. */
  readonly sessionFile: string | null;
  /** The messages of the active branch. A live array: do not change it. */
  readonly messages: readonly AgentMessage[];
  /** The latest data of this type that `appendEntry` stored on the active branch; undefined if there is none. */
  lastEntry(customType: string): Promise<unknown>;
  /** Whether no run is active. */
  isIdle(): boolean;
  /** Whether messages are queued. */
  hasPendingMessages(): boolean;
  /** Whether the project's `.pi` folder may take effect. */
  isProjectTrusted(): boolean;
  /** The use of the context window; undefined without a model. */
  getContextUsage(): ContextUsage | undefined;
  /** The system prompt, with the changes for this run. Empty before the first prompt. */
  getSystemPrompt(): string;
  /**
   * Summarises the older part of the conversation, and aborts the current run for it. A handler must not await it, because the run waits for the
   * handler. Without `onError`, the returned promise rejects if it fails.
   */
  compact(options?: ExtensionCompactOptions): Promise<CompactionResult | undefined>;
  /** Aborts the current run. Does not wait for its end. */
  abort(): void;
  /** Ends the process with exit code 0 when the current run has settled and is stored. In-process, only notifies the session's owner. */
  shutdown(): void;
}

export interface ExtensionCompactOptions {
  /** Further instructions for the summary. */
  customInstructions?: string;
  onComplete?(result: CompactionResult): void;
  onError?(error: Error): void;
}

/** The result of a move of the session: `cancelled` if a handler refused it. */
export interface MoveResult {
  cancelled: boolean;
}

/** The options of a move of the session. */
export interface MoveOptions {
  /** Called when the session has moved and its extensions have started. */
  withSession?(context: ReplacedSessionContext): void | Promise<void>;
}

/** The context of a command, with methods that wait for the run. A handler has none of them, because the run waits for the handler. */
export interface CommandContext extends ExtensionContext {
  /** The parts of the system prompt. */
  getSystemPromptOptions(): SystemPromptOptions;
  /** Resolves when no run is active. */
  waitForIdle(): Promise<void>;
  /** Starts an empty session. `setup` may add entries to it before extensions start; `parentSession` is the path of the session it continues. */
  newSession(
    options?: MoveOptions & { parentSession?: string; setup?(session: WritableSessionManager): void | Promise<void> },
  ): Promise<MoveResult>;
  /** Continues another session. */
  switchSession(path: string, options?: MoveOptions): Promise<MoveResult>;
  /** Copies the path to an entry into a new session and continues there. `before` (default): the entry is a message of the user, and is left out. */
  fork(entryId: string, options?: MoveOptions & { position?: "before" | "at" }): Promise<MoveResult>;
  /** Moves to another entry of this session. With `summarize`, the left branch is summarised. */
  navigateTree(targetId: string, options?: NavigateOptions): Promise<MoveResult>;
  /** Loads extensions, skills, templates and context files again. Code after it still belongs to the former copy of the extension. */
  reload(): Promise<void>;
}

export interface NavigateOptions {
  /** Default: false. */
  summarize?: boolean;
  /** Further instructions for the summary. */
  customInstructions?: string;
  /** Whether `customInstructions` replace the usual ones. */
  replaceInstructions?: boolean;
  /** The label of the summary; without a summary, of the entry. */
  label?: string;
}

/** The context after a move of the session. */
export interface ReplacedSessionContext extends CommandContext {
  sendMessage(message: MessageInput, options?: SendOptions): Promise<void>;
  sendUserMessage(content: MessageContent, options?: SendUserOptions): Promise<void>;
}

/**
 * The parts of the system prompt. Changes of `customPrompt`, `sections`, `appendSystemPrompt` and
 * `promptGuidelines` in `before_agent_start` apply to this run.
 */
export interface SystemPromptOptions {
  cwd: string;
  /** The instructions that replace the built-in ones. */
  customPrompt?: string;
  /** Replaces the whole prompt of this run, if a handler sets it. */
  forceSystemPrompt?: string;
  appendSystemPrompt?: string;
  /** The names of the active tools. */
  selectedTools: string[];
  /** One line about each tool, by name. */
  toolSnippets: Record<string, string>;
  promptGuidelines: string[];
  contextFiles: { path: string; content: string }[];
  skills: { name: string; description: string; filePath: string }[];
  /** Further sections of the prompt, by name. */
  sections: Record<string, string>;
}

/** The session's entries, for reading. */
export interface ReadonlySessionManager {
  getCwd(): string;
  /** The folder of session files. */
  getSessionDir(): string;
  getSessionId(): string;
  /** undefined for a session in memory. */
  getSessionFile(): string | undefined;
  getSessionName(): string | undefined;
  getHeader(): SessionHeader;
  /** The id of the latest entry on the active branch; null before the first. */
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  getEntry(id: string): SessionEntry | undefined;
  getLabel(id: string): string | undefined;
  getChildren(parentId: string): SessionEntry[];
  /** The entries from the root to an entry. Default: to the leaf. */
  getBranch(fromId?: string): SessionEntry[];
  /** All entries of all branches, in the order of appending. */
  getEntries(): SessionEntry[];
  /** All entries as trees, oldest first. Their depth is the length of the conversation. */
  getTree(): EntryTreeNode[];
  /** The entries from which the context of the model is built. */
  buildContextEntries(): SessionEntry[];
  buildSessionContext(): { messages: AgentMessage[]; thinkingLevel: string; model: { provider: string; modelId: string } | null };
}

/** A session that is being set up. */
export interface WritableSessionManager extends ReadonlySessionManager {
  /** Adds a message. @returns The id of its entry. */
  appendMessage(message: AgentMessage): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendCustomMessageEntry(customType: string, content: MessageContent, display: boolean, details?: unknown): string;
  appendSessionInfo(name: string): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
}
