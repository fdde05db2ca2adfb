import type { AgentEvent, AgentMessage, PendingToolCall, ToolCallOutcome, ToolCallVerdict } from "@pikit/agent";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { CompactionPreview, CompactionWish } from "../run/compaction/intercept.ts";
import type { SessionMove } from "./events.ts";

/** What a prompt becomes before it is accepted. */
export interface PreparedPrompt {
  input: PromptInput;
  /** For the run of this prompt alone; absent when it stays as it is. */
  systemPrompt?: string;
}

/** Where a session lets others take part. What is absent has nobody. None of it rejects. */
export interface SessionHooks {
  /** The session begins, and whoever shows it listens. */
  start?(reason: "start"): Promise<void>;
  /** Sees each event after the session's own subscribers. */
  observe?(event: AgentEvent | SessionEvent): void | Promise<void>;
  /** Before the messages of a run go out. */
  beforeRun?(): void | Promise<void>;
  /** @returns What is sent; or a text that says why nothing is. */
  beforePrompt?(input: PromptInput, systemPrompt: () => string, signal?: AbortSignal): Promise<PreparedPrompt | { refuse: string }>;
  /** The conversation as the next model call shall see it. */
  context?(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]>;
  toolCall?(call: PendingToolCall, signal: AbortSignal): Promise<ToolCallVerdict | undefined>;
  toolResult?(call: PendingToolCall, outcome: ToolCallOutcome, signal: AbortSignal): Promise<ToolCallOutcome | undefined>;
  beforeCompaction?(preview: CompactionPreview, signal: AbortSignal): Promise<CompactionWish | undefined>;
  /** Whether the session may go elsewhere. */
  mayMove?(move: SessionMove): Promise<boolean>;
  /** The session has gone elsewhere. */
  moved?(reason: SessionMove["reason"]): Promise<void>;
  /** Everything is being stopped: commands that are at work too. */
  abort?(): void;
  /** The last call: the session ends. */
  shutdown?(): Promise<void>;
}

/** Holds the hooks that are in effect now; they are replaced when extensions are loaded anew. */
export interface HookSlot {
  readonly current: SessionHooks | undefined;
}
