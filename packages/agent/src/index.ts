export { Agent, type AgentHooks, type AgentOptions, type AgentState, type RequestOptions } from "./agent.ts";
export { type AgentRun, runAgentLoop } from "./agent-loop.ts";
export { AgentError, isToolError, ToolError, type ToolErrorOptions } from "./errors.ts";
export { type Listener, Listeners } from "./listeners.ts";
export { MessageQueue, type QueueMode } from "./message-queue.ts";
export { loadSchemaCheck } from "./schema-check.ts";
// All of types.ts is public, and declaration merging into CustomMessages needs the star.
export type * from "./types.ts";
