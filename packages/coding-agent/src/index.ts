export {
  AgentSession,
  type AgentSessionEvent,
  type AgentSessionParts,
  type PromptOptions,
  type StreamingBehavior,
} from "./agent-session.ts";
export { type CreateAgentSessionOptions, createAgentSession, type SessionChoice } from "./create-agent-session.ts";
export { SessionError, type SessionErrorCode, UsageError } from "./errors.ts";
export { type ProcessResult, type ProcessRunner, type RunProcessOptions, runProcess } from "./exec/run-process.ts";
export { toWireModel } from "./models/wire-model.ts";
export type { PromptInput } from "./prompt/prompt-input.ts";
export type { BashResult, SessionState, StreamMode, TodoPhase } from "./protocol/data.ts";
export type {
  BashExecutionMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
  WireModel,
} from "./protocol/messages.ts";
export type { RetrySettings } from "./run/auto-retry.ts";
export type { RunLimits } from "./run/limits.ts";
export type { PromptRun } from "./run/run-controller.ts";
export type { CommandObserver } from "./tools/bash.ts";
export { type BuiltInToolName, builtInToolNames } from "./tools/index.ts";
export {
  absentUser,
  type Clarification,
  type ClarificationAnswer,
  type DialogOptions,
  type UserInterface,
} from "./user-interface.ts";
export { packageVersion } from "./version.ts";
