/** What serves a protocol on streams of the program's own; see `serve.ts`. */
export { agentFolder } from "../config/paths.ts";
export { startAgentChat } from "./agent-chat/agent-chat-mode.ts";
export { serveRpc } from "./rpc/rpc-mode.ts";
export { openWritable } from "./stdout.ts";
