export type { Signal } from "./abort-signal.ts";
export type { AiSdkModel } from "./ai-sdk/model.ts";
export type { ConnectOptions, SessionRequest } from "./connect/options.ts";
export {
  AgentProcessError,
  type AgentProcessErrorCode,
  type AgentProcessErrorOptions,
  isRpcError,
  RpcAbortError,
  RpcCommandError,
  RpcConnectionError,
  type RpcConnectionErrorCode,
  type RpcError,
  RpcProtocolError,
  type RpcProtocolErrorCode,
  RpcRunError,
  RpcTimeoutError,
} from "./errors.ts";
export type { EventListener, EventsOptions } from "./event-hub.ts";
export type { EventIterator } from "./event-queue.ts";
export type { ClientModel } from "./host-models.ts";
export type { ClientTool, HostToolAnswer, HostToolContext } from "./host-tools.ts";
export type { ModelCall, ModelFunction, ModelOutput } from "./model-function.ts";
export type { RpcClientOptions, SendOptions } from "./options.ts";
export { type AcquireOptions, AgentPool, createPool, type PoolOptions, type PoolState } from "./pool.ts";
export type {
  AgentMessage,
  AssistantMessage,
  Attachment,
  BashResult,
  CommandData,
  CommandName,
  CommandParams,
  CompactionResult,
  EntryTreeNode,
  EventName,
  HostModelContext,
  HostModelEvent,
  HostModelOptions,
  HostModelResult,
  HostModelUsage,
  HostTool,
  HostToolOutput,
  ImageContent,
  ResyncEvent,
  RpcEvent,
  SessionEntry,
  SessionState,
  SessionStats,
  StreamMode,
  TextContent,
  TodoPhase,
  TodoPhaseInput,
  ToolCall,
  ToolResultMessage,
  UiRequest,
  UiResponse,
  UserMessage,
  WireModel,
} from "./protocol-types.ts";
export { type BashOptions, type PromptOptions, RpcClient } from "./rpc-client.ts";
export type { CommandOptions, RpcCommands } from "./rpc-commands.ts";
export type { JsonSchema, StandardSchema, ToolParameters } from "./tool-parameters.ts";
export type { DialogContext, DialogHandler, DisplayHandler, UiFields } from "./ui-handlers.ts";
export type { WaitOptions } from "./waiting-line.ts";
