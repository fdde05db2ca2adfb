import { type AgentRpcOptions, serveAgentRpc as serve } from "./serve.ts";
import type { AgentSession } from "./session/agent-session.ts";
import { createAgentSession as create } from "./session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "./session/options.ts";

export { type AgentTool, type AgentToolResult, isToolError, type RenderedText, type ToolDisplay, ToolError } from "@pikit/agent";
export {
  createHostModel,
  createScriptedModel,
  type HostModelCall,
  type HostModelFunction,
  type HostModelOutput,
  type HostModelResult,
  type ImageContent,
  type Model,
  type TextContent,
} from "@pikit/ai";
export type { Static, TSchema } from "@sinclair/typebox";
export { type ApprovalPolicy, approvalPolicies, type RuleTexts } from "./config/approval-policies.ts";
export { type Settings, SettingsSchema } from "./config/settings.ts";
export type { SessionChoice } from "./conversation/choose-session.ts";
export type { Label } from "./conversation/conversation-index.ts";
export { FileSessionStore } from "./conversation/file-store.ts";
export { MemorySessionStore, type MemoryStoreOptions } from "./conversation/memory-store.ts";
export type {
  CopyingStore,
  DescribingStore,
  OpenedSession,
  OpenOptions,
  SessionDescription,
  SessionFilter,
  SessionHolder,
  SessionInfo,
  SessionLine,
  SessionLockOptions,
  SessionLog,
  SessionStore,
  SharedStore,
} from "./conversation/session-store.ts";
export { SessionError, type SessionErrorCode, type UnknownWord, UsageError, type UsageErrorCode } from "./errors.ts";
export { type CommandEnvironmentOptions, createCommandEnvironment } from "./exec/command-environment.ts";
export type { CommandProbe, ObservedCommand } from "./exec/observe-commands.ts";
export {
  createLocalProcesses,
  type LocalProcesses,
  type LocalProcessesOptions,
  type ProcessResult,
  type ProcessRunner,
  type RunProcessOptions,
  runProcess,
} from "./exec/run-process.ts";
export {
  type EventBus,
  type ExecOptions,
  type ExecResult,
  type ExtensionApi,
  type ExtensionFactory,
  type ExtensionHandler,
  extensionApiVersion,
} from "./extensions/api.ts";
export type {
  CommandContext,
  ExtensionCompactOptions,
  ExtensionContext,
  ExtensionMode,
  MoveOptions,
  MoveResult,
  NavigateOptions,
  ReadonlySessionManager,
  ReplacedSessionContext,
  SystemPromptOptions,
  WritableSessionManager,
} from "./extensions/api-context.ts";
export type { CustomMessageInput, MessageContent, MessageInput, SendOptions, SendUserOptions } from "./extensions/api-messages.ts";
export type {
  CommandInfo,
  CompletionItem,
  ExtensionCommand,
  ExtensionComponent,
  ExtensionFlag,
  ExtensionProvider,
  ExtensionRenderer,
  ExtensionShortcut,
  ExtensionTool,
  ExtensionToolResult,
  MarkdownTransformer,
  Rendered,
  SourceInfo,
  ToolInfo,
} from "./extensions/api-tools.ts";
export type { ExtensionDialogOptions, ExtensionUi, WidgetPlacement } from "./extensions/api-ui.ts";
export type {
  BashOperations,
  ExtensionEventName,
  ExtensionEvents,
  HookEvents,
  InputSource,
  SessionMove,
  UserBashResult,
} from "./extensions/events.ts";
export type { CompactionPreparation, FamilyEvents, TreePreparation } from "./extensions/family/events.ts";
export type { ModelRegistryView, RequestAuth } from "./extensions/model-registry-view.ts";
export { reportUncaught, type UncaughtKind } from "./extensions/uncaught.ts";
export type { McpCallProbe, ObservedMcpCall } from "./mcp/agent-tool.ts";
export type { ModelChoice, ScopedModel } from "./models/model-choice.ts";
export { toWireModel } from "./models/wire-model.ts";
export type { PromptInput } from "./prompt/prompt-input.ts";
export type {
  BashResult,
  CompactionResult,
  ContextUsage,
  QueuedTexts,
  SessionState,
  SessionStats,
  StreamingBehavior,
  StreamMode,
  TodoPhase,
  TodoPhaseInput,
} from "./protocol/data.ts";
export type { EntryContent, EntryTreeNode, SessionEntry } from "./protocol/entries.ts";
export type { SessionHeader } from "./protocol/frames.ts";
export type {
  BashExecutionMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
  WireModel,
} from "./protocol/messages.ts";
export type { JsonSchema, StandardSchema, ToolParameters } from "./protocol/tool-parameters.ts";
export { type RiskTier, riskTiers } from "./risk-tiers.ts";
export type { RetrySettings } from "./run/auto-retry.ts";
export type { CompactionPreview } from "./run/compaction/intercept.ts";
export type { CompactionSettings } from "./run/compaction/policy.ts";
export type { RunLimits } from "./run/limits.ts";
export type { PromptRun } from "./run/run-controller.ts";
export { parseStreamRule } from "./run/stream-rules/parse-rule.ts";
export type { StreamRule } from "./run/stream-rules/rule.ts";
export {
  type AgentRpcOptions,
  type RecordStream,
  type RpcModeOptions,
  runRpcMode,
  type Streams,
  streamRecords,
} from "./serve.ts";
export { AgentSession, type CompactOptions, type PromptOptions } from "./session/agent-session.ts";
export type { AgentSessionEvent } from "./session/events.ts";
export type {
  ModelCallProbe,
  ObservedModelCall,
  ObservedQuestion,
  ObservedSession,
  SessionInstrumentation,
} from "./session/instrumentation.ts";
export type { CreateAgentSessionOptions } from "./session/options.ts";
export type { BranchPoint, SessionHistory } from "./session/parts/history.ts";
export type {
  CompletionProvider,
  CustomFactory,
  CustomOptions,
  EditorComponent,
  EditorFactory,
  FooterData,
  FooterFactory,
  OverlayHandle,
  OverlayOptions,
  TerminalInputListener,
  TerminalInterface,
  UiComponent,
  UiKeybindings,
  UiScreen,
  WidgetFactory,
  WorkingIndicator,
} from "./terminal-interface.ts";
export type { UiTheme } from "./theme/ui-theme.ts";
export type { CommandObserver } from "./tools/bash/run.ts";
export { defineTool, type ToolDefinition } from "./tools/define-tool.ts";
export type { DelegationEvent, DelegationObserver } from "./tools/delegate/run.ts";
export type { DirectoryEntry, FileAccess, FileFacts, FileType, OpenFile } from "./tools/files/file-access.ts";
export { localFiles } from "./tools/files/local-files.ts";
export { type BuiltInToolName, builtInToolNames } from "./tools/index.ts";
export type { PreviewEvent } from "./tools/preview/run.ts";
export type { ToolRenderContext, ToolRenderOptions, ToolView } from "./tools/tool-rendering.ts";
export type { TraceContext } from "./trace-context.ts";
export { Type } from "./type-builder.ts";
export {
  type ApprovalAnswer,
  type ApprovalQuestion,
  absentUser,
  type Clarification,
  type ClarificationAnswer,
  type DialogOptions,
  type UserInterface,
} from "./user-interface.ts";
export { packageVersion } from "./version.ts";

/** Extensions that import this package get this copy of it. */
const loadLibrary = () => import("./index.ts");

/**
 * Creates a session. Before the first prompt nothing is written and no provider is called.
 *
 * @throws {UsageError} When the named model does not exist, or a configuration file is invalid.
 * @throws {SessionError} When the chosen session cannot be opened, a stream rule is invalid, or Bun is too old.
 * @throws {AiError} When the file of `record` cannot be written, or the model cannot be recorded.
 */
export function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<AgentSession> {
  return create({ ...options, loadLibrary });
}

/**
 * Serves the agent_chat protocol on any two streams, like `pi agent-rpc` on stdin and stdout. When the input ends, the running chat continues
 * to its end, and its questions get the default answers. When the output closes or `signal` is aborted, the running chat is aborted.
 *
 * @returns A promise that resolves when all output is written, or cannot be written any more.
 */
export function serveAgentRpc(options: AgentRpcOptions): Promise<void> {
  return serve({ ...options, loadLibrary });
}
