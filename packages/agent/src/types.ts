import type {
  AiError,
  AssistantMessage,
  AssistantMessageEvent,
  ImageContent,
  Message,
  Model,
  StreamOptions,
  TextContent,
  ThinkingLevel,
  Tool,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "@pikit/ai";
import type { Static, TSchema } from "@sinclair/typebox";
import type { Listener } from "./listeners.ts";

/** A file that a user sent along with a message. */
export interface Attachment {
  id: string;
  type: "image" | "document";
  fileName: string;
  mimeType: string;
  /** Bytes of the original file. */
  size: number;
  /** Base64, without a data URL prefix. */
  content: string;
  /** A document's text, where the sender has extracted it. */
  extractedText?: string | null;
  /** A small base64 image for display. */
  preview?: string | null;
}

export type UserMessageWithAttachments = UserMessage & { attachments?: KeptAttachment[] };

/** An attachment on its message; without `content` where that is one of the message's own blocks. */
export type KeptAttachment = Omit<Attachment, "content"> & Partial<Pick<Attachment, "content">>;

/**
 * Message roles beyond the providers' three. Empty here; a layer above adds its own by declaration merging:
 * `declare module "@pikit/agent" { interface CustomMessages { note: NoteMessage } }`. Such messages live in the transcript and are
 * turned into something a model understands, or left out, only when a request is made.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface CustomMessages {}

/** Everything that a transcript can hold. */
export type AgentMessage = UserMessageWithAttachments | AssistantMessage | ToolResultMessage | CustomMessages[keyof CustomMessages];

/** The name under which the protocol documents know `AgentMessage`. */
export type AppMessage = AgentMessage;

/** What a tool returns, and what it reports while it runs. */
export interface AgentToolResult<TDetails = unknown> {
  /** What the model sees. */
  content: (TextContent | ImageContent)[];
  /** What a user interface may show; must be JSON. */
  details: TDetails;
}

/** A tool that the loop can run. */
export interface AgentTool<TParameters extends TSchema = TSchema, TDetails = unknown> extends Tool<TParameters> {
  /** For people. */
  label: string;
  /**
   * `parallel`: may run beside other parallel tools of the same answer. One `sequential` tool (the default) makes all calls of its
   * answer run one after another, in the order in which the model wrote them.
   */
  executionMode?: "parallel" | "sequential";
  /**
   * Runs the tool. Failures are thrown, best as a `ToolError`; the loop turns them into an error result for the model.
   *
   * @param params - Validated and coerced; a copy that the tool may keep or change.
   * @param signal - Aborted when the run is; a tool that has not returned 2 seconds later is left behind.
   * @param onUpdate - Reports the output so far (all of it, not a delta). Ignored after the tool has returned.
   */
  execute(
    toolCallId: string,
    params: Static<TParameters>,
    signal: AbortSignal,
    onUpdate: (partialResult: AgentToolResult<TDetails>) => void,
  ): Promise<AgentToolResult<TDetails>>;
}

/**
 * What happens during a run, in this order: `agent_start`; for each turn `turn_start`, the messages that go in (`message_start`,
 * `message_end`), the answer (`message_start`, `message_update`*, `message_end`), the execution of its tool calls, their results as
 * messages in call order, `turn_end`; at last `agent_end`, exactly once, also after an error or an abort.
 */
export type AgentEvent =
  | { type: "agent_start" }
  /** `messages`: everything that this run added, the prompt included. `willRetry` is always false. */
  | { type: "agent_end"; messages: AgentMessage[]; willRetry: false }
  | { type: "turn_start" }
  /** `toolResults` are in the order of the calls in `message`. */
  | { type: "turn_end"; message: AgentMessage; toolResults: ToolResultMessage[] }
  | { type: "message_start"; message: AgentMessage }
  /** Answers only. `message` is the answer being built: a live object. */
  | { type: "message_update"; message: AssistantMessage; assistantMessageEvent: AssistantMessageEvent }
  | { type: "message_end"; message: AgentMessage }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: Record<string, unknown> }
  | {
      type: "tool_execution_update";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      /** The output so far, not a delta. */
      partialResult: AgentToolResult;
    }
  | { type: "tool_execution_end"; toolCallId: string; toolName: string; result: AgentToolResult; isError: boolean };

export type AgentListener = Listener<AgentEvent>;

/** Delivers an event; the loop waits when a promise comes back. Must not throw. */
export type Emit = (event: AgentEvent) => void | Promise<void>;

/** What one model call is made with. Asked for before each call, so that a change applies from the next call on. */
export interface ModelRequest {
  model: Model;
  systemPrompt?: string;
  tools: readonly AgentTool[];
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Passed to the stream function; `signal` and `reasoning` are filled in by the loop. */
  options?: Omit<StreamOptions, "signal" | "reasoning">;
}

/** A tool call that has been found valid and is about to run. */
export interface PendingToolCall {
  toolCall: ToolCall;
  tool: AgentTool;
  /** Validated and coerced. */
  params: unknown;
}

/** What a `beforeToolCall` hook may decide: run it with other parameters, or refuse it with a text for the model. */
export type ToolCallVerdict = { params: unknown } | { refuse: string };

/** When a message that steers is looked at: between the tool calls of a turn, or after them. */
export type InterruptMode = "immediate" | "wait";

/** A turn that did not fail. */
export interface FinishedTurn {
  answer: AssistantMessage;
  /** In call order; empty when the answer called nothing, and the run ends here unless something is queued. */
  toolResults: readonly ToolResultMessage[];
}

/** What a `betweenTurns` hook may decide: `stop` ends the run; messages go in next, before what is queued, and the run goes on. */
export type TurnVerdict = "stop" | readonly AgentMessage[] | undefined;

/** What a `shouldRetry` hook may decide: whether to ask again, or the messages to put in before. */
export type RetryVerdict = boolean | readonly AgentMessage[];

/** What a tool call gave. */
export interface ToolCallOutcome {
  result: AgentToolResult;
  isError: boolean;
}

/** An answer that failed, and why. */
export interface FailedAnswer {
  answer: AssistantMessage;
  /** Absent when preparing the request failed. */
  failure: AiError | undefined;
}

/** A regular expression that takes time in proportion to the text. */
export interface SchemaPattern {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  /** Steps that one character may take. */
  stepsPerCharacter: number;
}

/** Makes the regular expression of a schema's `pattern` or `patternProperties`; undefined for one that cannot be made. */
export type CompilePattern = (source: string) => SchemaPattern | undefined;

/**
 * The parts of a run that its owner decides. What the tool hooks throw becomes the call's error result; what the others throw ends the
 * run with an error message in the transcript. A hook that has not answered 2 seconds after an abort is left behind.
 */
export interface AgentLoopConfig {
  /** What the next model call is made with. */
  nextRequest(): ModelRequest | Promise<ModelRequest>;
  /** The transcript as the model shall see it. Default: messages of the providers' three roles, others left out. */
  toModelMessages?(messages: readonly AgentMessage[]): Message[] | Promise<Message[]>;
  /** Messages to put in before the next model call. Asked after each turn. */
  takeSteering?(): AgentMessage[];
  /** Messages to go on with when the run would end. */
  takeFollowUps?(): AgentMessage[];
  /**
   * `immediate`: the calls of a turn run in order, and once `hasSteering` says that a message waits, those that have not started are
   * skipped. `wait` (default): steering waits for the end of the turn.
   */
  interruptMode?(): InterruptMode;
  /** Whether `takeSteering` would give something. */
  hasSteering?(): boolean;
  /**
   * Sees each event of an answer as it streams. `true` ends the answer here: it becomes one that was aborted, its calls are not run, and
   * `shouldRetry` decides whether the run goes on.
   */
  watchAnswer?(event: AssistantMessageEvent): boolean | undefined;
  /** Whether to ask again after an answer that failed. It may wait, and must stop waiting when the signal is aborted. Default: no. */
  shouldRetry?(failed: FailedAnswer, signal: AbortSignal): RetryVerdict | Promise<RetryVerdict>;
  /** Called after each turn that did not fail, before anything queued is looked for: the place for work on the transcript. */
  betweenTurns?(turn: FinishedTurn, signal: AbortSignal): TurnVerdict | Promise<TurnVerdict>;
  /**
   * What makes the regular expressions in a tool's schema; asked for before the first call of a tool whose schema has some. One that it
   * cannot make is not checked. Default: none is, since those of the language may take for ever, and schemas come from outside.
   */
  patternsFor?(tool: AgentTool): CompilePattern | Promise<CompilePattern>;
  /** Asked for each valid call, in the order of the calls, before any of them runs. */
  beforeToolCall?(call: PendingToolCall, signal: AbortSignal): ToolCallVerdict | undefined | Promise<ToolCallVerdict | undefined>;
  /** Sees what each call that ran gave, and may replace it. */
  afterToolCall?(
    call: PendingToolCall,
    outcome: ToolCallOutcome,
    signal: AbortSignal,
  ): ToolCallOutcome | undefined | Promise<ToolCallOutcome | undefined>;
}
