import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { AgentTool, AgentToolResult } from "@pikit/agent";
import * as Type from "@sinclair/typebox";
import { setMcpName } from "../approvals/mcp-name.ts";
import { createThrottle } from "../tools/output/throttle.ts";
import type { McpProgress, McpTool } from "./connection.ts";
import type { McpServer } from "./mcp-server.ts";
import { type McpToolDetails, toToolResult } from "./tool-result.ts";

/** The minimum interval between two progress updates of a call. */
const updateIntervalMs = 100;
/** Maximum characters of a progress message. */
const maxMessageLength = 1000;

/** A call of a tool of an MCP server that is about to be sent. */
export interface ObservedMcpCall {
  toolCallId: string;
  server: string;
  /** The name that the server knows. */
  tool: string;
  transport: "http" | "stdio";
}

/** Observes one call of a tool of an MCP server. */
export interface McpCallProbe {
  /** Fields for `_meta` of the request, such as `traceparent`. Over HTTP, `traceparent` and `tracestate` are sent as headers, too. */
  meta?: Readonly<Record<string, string>>;
  /** Called when the call has ended. `isError`: the server has answered that the tool failed. */
  ended?(outcome: { isError: boolean } | { error: unknown }): void;
}

/** Called before each call. Must not throw. */
export type McpCallObserver = (call: ObservedMcpCall) => McpCallProbe | undefined;

/** Creates the agent's tool for a tool of a server; `name` is the name for models. */
export function createMcpTool(server: McpServer, tool: McpTool, name: string, onCall?: McpCallObserver): AgentTool {
  const agentTool: AgentTool = {
    name,
    label: tool.title ?? tool.name,
    description: tool.description,
    parameters: Type.Unsafe<Record<string, unknown>>(tool.inputSchema),
    executionMode: tool.isReadOnly ? "parallel" : "sequential",
    async execute(toolCallId, params, signal, onUpdate) {
      let latest: McpProgress | undefined;
      const updates = createThrottle(updateIntervalMs, () => {
        if (latest) onUpdate(toUpdate(latest, { server: server.name, tool: tool.name, truncated: false }));
      });
      const observed = { toolCallId, server: server.name, tool: tool.name, transport: server.transport };
      try {
        const result = await observeCall(onCall?.(observed), (meta) =>
          server.call({
            tool: tool.name,
            arguments: params as Record<string, unknown>,
            signal,
            meta,
            onProgress(progress) {
              latest = progress;
              updates.request();
            },
          }),
        );
        return await toToolResult(result, { server: server.name, tool: tool.name, signal });
      } finally {
        updates.stop();
      }
    },
  };
  return setMcpName(agentTool, `${server.name}/${tool.name}`);
}

async function observeCall(
  probe: McpCallProbe | undefined,
  call: (meta: McpCallProbe["meta"]) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    const result = await call(probe?.meta);
    probe?.ended?.({ isError: result.isError === true });
    return result;
  } catch (error) {
    probe?.ended?.({ error });
    throw error;
  }
}

function toUpdate({ progress, total, message }: McpProgress, details: McpToolDetails): AgentToolResult<McpToolDetails> {
  const share = total === undefined ? `${progress}` : `${progress}/${total}`;
  const text = message === undefined ? share : `${share} ${message.slice(0, maxMessageLength)}`;
  return { content: [{ type: "text", text }], details };
}
