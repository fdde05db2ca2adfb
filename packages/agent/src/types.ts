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

/** A file that the user attached to a message. */
export interface Attachment {
  id: string;
  type: "image" | "document";
  fileName: string;
  mimeType: string;
  /** Bytes of the original file. */
  size: number;
  /** Base64, without a data URL prefix. */
  content: string;
  /** The text of a document, if the sender has extracted it. */
  extractedText?: string | null;
  /** A small base64 image for display. */
  preview?: string | null;
}

export type UserMessageWithAttachments = UserMessage & { attachments?: KeptAttachment[] };

/** An attachment in its message; without `content` if the content is one of the message's blocks. */
export type KeptAttachment = Omit<Attachment, "content"> & Partial<Pick<Attachment, "content">>;

/**
 * Message roles in addition to the providers' three. Empty here; a higher layer adds roles by declaration merging:
 * `declare module "@pikit/agent" { interface CustomMessages { note: NoteMessage } }`. Such messages stay in the transcript;
 * `toModelMessages` converts them, or leaves them out, for each request.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface CustomMessages {}

/** A message of a transcript. */
export type AgentMessage = UserMessageWithAttachments | AssistantMessage | ToolResultMessage | CustomMessages[keyof CustomMessages];

/** The name of `AgentMessage` in the protocol documents. */
export type AppMessage = AgentMessage;

/** Plain text for people about a tool call. User interfaces show it in place of the arguments and of the content. */
export interface ToolDisplay {
  /** The call in one line. */
  call?: string;
  /** The lines of the result; none: the result is not shown. */
  result?: string[];
}

/** The result of a tool; also its partial result while it runs. */
export interface AgentToolResult<TDetails = unknown> {
  /** The content for the model. */
  content: (TextContent | ImageContent)[];
  /** Data for user interfaces; must be JSON. */
  details: TDetails;
  /** Text for people. Default: the text of `renderCall` and `renderResult` of the tool; without them, the content is shown. */
  display?: ToolDisplay;
}

/** The text of a rendering function: one text, or its lines. */
export type RenderedText = string | readonly string[];

/** A tool that the loop can run. */
export interface AgentTool<TParameters extends TSchema = TSchema, TDetails = unknown> extends Tool<TParameters> {
  /** The display name. */
  label: string;
  /**
   * `parallel`: may run at the same time as other parallel tools of the answer. If an answer calls one `sequential` tool (the default), all
   * its calls run one after another, in their order.
   */
  executionMode?: "parallel" | "sequential";
  /** Changes the arguments of a call before they are checked, for example for callers that use an older schema. */
  prepareArguments?(args: unknown): unknown;
  /**
   * Runs the tool. Throw an error for a failure, preferably a `ToolError`; the loop converts it to an error result for the model.
   *
   * @param params - Validated and coerced; a copy that the tool may keep or change.
   * @param signal - Aborted with the run. Two seconds after an abort the run no longer waits for the tool.
   * @param onUpdate - Reports the complete output so far, not a delta. Ignored after the tool has returned.
   */
  execute(
    toolCallId: string,
    params: Static<TParameters>,
    signal: AbortSignal,
    onUpdate: (partialResult: AgentToolResult<TDetails>) => void,
  ): Promise<AgentToolResult<TDetails>>;
  /**
   * Describes a call for people, in one line. Called once, before the call runs; it must not be asynchronous. If it throws or returns no
   * text, user interfaces show the arguments.
   */
  renderCall?(params: Static<TParameters>): RenderedText | undefined;
  /**
   * Renders a result for people. Called once, with the final result, but not with errors; it must not be asynchronous. If it throws or
   * returns no text, user interfaces show the content.
   */
  renderResult?(result: AgentToolResult<TDetails>, params: Static<TParameters>): RenderedText | undefined;
}

/**
 * The events of a run, in this order: `agent_start`; for each turn `turn_start`, the added messages (`message_start`, `message_end`), the
 * answer (`message_start`, `message_update`*, `message_end`), the execution of its tool calls, their results as messages in call order,
 * and `turn_end`; finally `agent_end`, exactly once, even after an error or an abort.
 */
export type AgentEvent =
  | { type: "agent_start" }
  /** `messages`: all messages that this run added, including the prompt. `willRetry` is always false. */
  | { type: "agent_end"; messages: AgentMessage[]; willRetry: false }
  | { type: "turn_start" }
  /** `toolResults` are in the order of the calls in `message`. */
  | { type: "turn_end"; message: AgentMessage; toolResults: ToolResultMessage[] }
  | { type: "message_start"; message: AgentMessage }
  /** Only for answers. `message` is the answer being built; it changes until the answer ends. */
  | { type: "message_update"; message: AssistantMessage; assistantMessageEvent: AssistantMessageEvent }
  | { type: "message_end"; message: AgentMessage }
  | {
      type: "tool_execution_start";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      /** Only of a tool that renders its calls. */
      display?: ToolDisplay;
    }
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

/** Delivers an event. The loop awaits a returned promise. Must not throw. */
export type Emit = (event: AgentEvent) => void | Promise<void>;

/** The parameters of one model call. Requested before each call, so that changes take effect with the next call. */
export interface ModelRequest {
  model: Model;
  systemPrompt?: string;
  tools: readonly AgentTool[];
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Options of the stream function; the loop adds `signal` and `reasoning`. */
  options?: Omit<StreamOptions, "signal" | "reasoning">;
}

/** A valid tool call that is about to run. */
export interface PendingToolCall {
  toolCall: ToolCall;
  tool: AgentTool;
  /** Validated and coerced. */
  params: unknown;
}

/** The decision of a `beforeToolCall` hook: run the call with other parameters, or refuse it with a text for the model. */
export type ToolCallVerdict = { params: unknown } | { refuse: string };

/** When the loop checks for steering messages: between the tool calls of a turn, or after them. */
export type InterruptMode = "immediate" | "wait";

/** A turn that did not fail. */
export interface FinishedTurn {
  answer: AssistantMessage;
  /** In call order. Empty when the answer has no calls; the run then ends unless a message is queued. */
  toolResults: readonly ToolResultMessage[];
}

/** The decision of a `betweenTurns` hook: `stop` ends the run; messages are added before the queued ones, and the run continues. */
export type TurnVerdict = "stop" | readonly AgentMessage[] | undefined;

/** The decision of a `shouldRetry` hook: whether to retry, or the messages to add before a retry. */
export type RetryVerdict = boolean | readonly AgentMessage[];

/** The outcome of a tool call. */
export interface ToolCallOutcome {
  result: AgentToolResult;
  isError: boolean;
}

/** A failed answer and its error. */
export interface FailedAnswer {
  answer: AssistantMessage;
  /** Undefined if preparing the request failed. */
  failure: AiError | undefined;
}

/** A regular expression that runs in linear time. */
export interface SchemaPattern {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  /** Maximum steps per character. */
  stepsPerCharacter: number;
}

/** Compiles a regular expression of a schema's `pattern` or `patternProperties`; undefined if it is not supported. */
export type CompilePattern = (source: string) => SchemaPattern | undefined;

/**
 * The hooks of a run. An error of a tool hook becomes the error result of the call; an error of any other hook ends the run with an error
 * message in the transcript. Two seconds after an abort the run no longer waits for a hook.
 */
export interface AgentLoopConfig {
  /** Returns the parameters of the next model call. */
  nextRequest(): ModelRequest | Promise<ModelRequest>;
  /** Converts the transcript for the model. Default: leaves out messages of custom roles. */
  toModelMessages?(messages: readonly AgentMessage[]): Message[] | Promise<Message[]>;
  /** Returns messages to add before the next model call. Called after each turn. */
  takeSteering?(): AgentMessage[];
  /** Returns messages that continue the run. Called when the run would end. */
  takeFollowUps?(): AgentMessage[];
  /**
   * `immediate`: the calls of a turn run in order; as soon as `hasSteering` returns true, the calls that have not started are skipped.
   * `wait` (default): steering messages wait for the end of the turn.
   */
  interruptMode?(): InterruptMode;
  /** Whether `takeSteering` would return messages. */
  hasSteering?(): boolean;
  /**
   * Called with each event of an answer while it streams. Returning true ends the answer: its stop reason is `aborted`, its calls are not
   * run, and `shouldRetry` decides whether the run continues.
   */
  watchAnswer?(event: AssistantMessageEvent): boolean | undefined;
  /** Decides whether to retry after a failed answer. It may wait first, but only until the signal is aborted. Default: no retry. */
  shouldRetry?(failed: FailedAnswer, signal: AbortSignal): RetryVerdict | Promise<RetryVerdict>;
  /** Called after each successful turn, before queued messages are taken. May change the transcript, for example to compact it. */
  betweenTurns?(turn: FinishedTurn, signal: AbortSignal): TurnVerdict | Promise<TurnVerdict>;
  /**
   * Returns the compiler for the regular expressions in a tool's schema. Called before the first call of a tool whose schema has some. A
   * pattern that it does not support is not checked. Default: no pattern is checked, because JavaScript's regular expressions can take
   * unlimited time and schemas come from outside.
   */
  patternsFor?(tool: AgentTool): CompilePattern | Promise<CompilePattern>;
  /** Called for each valid call, in the order of the calls, before any of them runs. */
  beforeToolCall?(call: PendingToolCall, signal: AbortSignal): ToolCallVerdict | undefined | Promise<ToolCallVerdict | undefined>;
  /** Called with the outcome of each call that ran; may return a replacement. */
  afterToolCall?(
    call: PendingToolCall,
    outcome: ToolCallOutcome,
    signal: AbortSignal,
  ): ToolCallOutcome | undefined | Promise<ToolCallOutcome | undefined>;
}
