export {
  AgentProcessError,
  type AgentProcessErrorCode,
  type AgentProcessErrorOptions,
  isRpcError,
  RpcCommandError,
  type RpcError,
  RpcProtocolError,
  type RpcProtocolErrorCode,
  RpcTimeoutError,
} from "./errors.ts";
export type { RpcClientOptions, SendOptions } from "./options.ts";
export type {
  AgentMessage,
  AssistantMessage,
  Attachment,
  BashResult,
  CommandData,
  CommandName,
  CommandParams,
  EventName,
  ImageContent,
  RpcEvent,
  SessionState,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
  WireModel,
} from "./protocol-types.ts";
export { type EventListener, type PromptOptions, RpcClient } from "./rpc-client.ts";
