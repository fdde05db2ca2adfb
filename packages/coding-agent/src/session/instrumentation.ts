import type { AgentMessage, AgentTool } from "@pikit/agent";
import type { AnswerObserver, Model, ThinkingLevel } from "@pikit/ai";
import type { QuestionEnd } from "../approvals/ask.ts";
import type { CommandProbe, ObservedCommand } from "../exec/observe-commands.ts";
import type { McpCallProbe, ObservedMcpCall } from "../mcp/agent-tool.ts";
import type { TraceContext } from "../trace-context.ts";
import type { EventWithoutDelta } from "./events.ts";

/**
 * Observes the work of a session, for traces and metrics: see `AgentSession.instrument`. All functions are optional. They are called
 * synchronously and should return at once. An error that one throws is printed once, and changes nothing for the session.
 */
export interface SessionInstrumentation {
  /** Called when a run begins, before its first event. It ends with `agent_settled`. `trace`: that of the prompt, if it has one. */
  runStarted?(run: { trace: TraceContext | undefined }): void;
  /** Called with each event but `message_update`, before the subscribers. The probe of `modelCall` observes answers. */
  event?(event: EventWithoutDelta): void;
  /** Called before each request to a model. The result observes the answer, and its headers are sent with the request. */
  modelCall?(call: ObservedModelCall): ModelCallProbe | undefined;
  /** Called when the user is asked about a tool call. The result is called with the answer. */
  approval?(question: ObservedQuestion): QuestionEnd | undefined;
  /** Called before each command. */
  command?(command: ObservedCommand): CommandProbe | undefined;
  /** Called before each call of a tool of an MCP server. */
  mcpCall?(call: ObservedMcpCall): McpCallProbe | undefined;
  /** Called when a tool call begins a sub-task. The result observes the session of the sub-task. */
  task?(task: { toolCallId: string; session: ObservedSession }): SessionInstrumentation | undefined;
  /** Called last, when the session has ended. No other function is called after it. */
  disposed?(): void;
}

/** A session of a sub-task. */
export interface ObservedSession {
  readonly sessionId: string;
}

/** A request to a model that is about to be sent. */
export interface ObservedModelCall {
  /** `answer` is a turn of the run. `summary` is part of a compaction, or about a branch that the session leaves. */
  purpose: "answer" | "summary";
  model: Model;
  /** The level of the session; a summary may use a lower one. */
  thinkingLevel: ThinkingLevel;
  /** The instructions, the tools and the messages of an answer. A summary has others. Live objects: do not change them. */
  context: { systemPrompt: string; tools: readonly AgentTool[]; messages: readonly AgentMessage[] };
}

/** Observes one request to a model. */
export interface ModelCallProbe extends AnswerObserver {
  /** Headers to add to the request. */
  headers?: Readonly<Record<string, string>>;
}

/** A question to the user about a tool call. */
export interface ObservedQuestion {
  /** Undefined for a call without one. It may be a call of a sub-task. */
  toolCallId: string | undefined;
  riskTier: string | undefined;
}
