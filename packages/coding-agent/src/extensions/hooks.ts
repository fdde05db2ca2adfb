import type { AgentEvent, AgentMessage, PendingToolCall, ToolCallOutcome, ToolCallVerdict } from "@pikit/agent";
import type { StreamOptions } from "@pikit/ai";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { BashResult, StreamingBehavior } from "../protocol/data.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { BranchSummary } from "../run/compaction/branch-summary.ts";
import type { CompactionPreview, CompactionWish } from "../run/compaction/intercept.ts";
import type { InputSource, Notice, SessionMove } from "./events.ts";

/** A prompt after the `before_prompt` handlers. */
export interface PreparedPrompt {
  input: PromptInput;
  /** The system prompt for this run only; absent if it does not change. */
  systemPrompt?: string;
  /** Messages of extensions that follow the prompt. */
  messages?: readonly CustomMessage[];
}

/** The functions that see the requests to providers. */
export type RequestHooks = Pick<StreamOptions, "onPayload" | "onHeaders" | "onResponse">;

/** A shell command of the user. */
export interface UserBashCall {
  command: string;
  excludeFromContext: boolean;
  cwd: string;
  signal: AbortSignal;
  onOutput?: ((chunk: string) => void) | undefined;
}

/** The hooks of a session. All are optional. They never reject. */
export interface SessionHooks {
  /** Called at the start of the session, when its subscribers are ready. */
  start?(reason: "startup"): Promise<void>;
  /** Called with each event, after the session's own subscribers. */
  observe?(event: AgentEvent | SessionEvent): void | Promise<void>;
  /** Calls the handlers of an event that only extensions get. */
  notify?(notice: Notice): Promise<void>;
  /** Called with a complete message of the model or of a tool. The handlers may change it, in place. */
  finishMessage?(message: AgentMessage): void | Promise<void>;
  /** The functions that see the requests to providers; undefined if no handler needs them. */
  requestHooks?(): RequestHooks | undefined;
  /** Called with a shell command of the user. @returns Undefined if the session runs it itself. */
  userBash?(call: UserBashCall): Promise<BashResult | undefined>;
  /** Called before each run. */
  beforeRun?(): void | Promise<void>;
  /** Called with an input before templates are expanded. @returns The input to use; undefined if an extension has handled it. */
  input?(
    input: PromptInput,
    received: { source: InputSource; behavior: StreamingBehavior | undefined },
  ): Promise<PromptInput | undefined>;
  /** @returns The prompt to send, or the reason why nothing is sent. */
  beforePrompt?(input: PromptInput, systemPrompt: () => string, signal?: AbortSignal): Promise<PreparedPrompt | { refuse: string }>;
  /** The messages for the next model call. */
  context?(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]>;
  toolCall?(call: PendingToolCall, signal: AbortSignal): Promise<ToolCallVerdict | undefined>;
  toolResult?(call: PendingToolCall, outcome: ToolCallOutcome, signal: AbortSignal): Promise<ToolCallOutcome | undefined>;
  beforeCompaction?(preview: CompactionPreview, signal: AbortSignal): Promise<CompactionWish | undefined>;
  /** Whether the session may move. An object: the summary of the branch that it leaves. */
  mayMove?(move: SessionMove): Promise<boolean | BranchSummary>;
  /** Called when a move that `mayMove` has allowed is about to take effect. Not called for a move within the session. */
  leave?(): Promise<void>;
  /** Called when a move has failed. */
  stayed?(): Promise<void>;
  /** Called after a move of the session. */
  moved?(move: SessionMove): Promise<void>;
  /** Called when everything is aborted. Aborts running commands. */
  abort?(): void;
  /** Called last, at the end of the session. */
  shutdown?(): Promise<void>;
}

/** The current hooks. They are replaced when extensions are reloaded. */
export interface HookSlot {
  readonly current: SessionHooks | undefined;
}
