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

/** Creates the agent's tool for a tool of a server; `name` is the name for models. */
export function createMcpTool(server: McpServer, tool: McpTool, name: string): AgentTool {
  const agentTool: AgentTool = {
    name,
    label: tool.title ?? tool.name,
    description: tool.description,
    parameters: Type.Unsafe<Record<string, unknown>>(tool.inputSchema),
    executionMode: tool.isReadOnly ? "parallel" : "sequential",
    async execute(_toolCallId, params, signal, onUpdate) {
      let latest: McpProgress | undefined;
      const updates = createThrottle(updateIntervalMs, () => {
        if (latest) onUpdate(toUpdate(latest, { server: server.name, tool: tool.name, truncated: false }));
      });
      try {
        const result = await server.call({
          tool: tool.name,
          arguments: params as Record<string, unknown>,
          signal,
          onProgress(progress) {
            latest = progress;
            updates.request();
          },
        });
        return await toToolResult(result, { server: server.name, tool: tool.name, signal });
      } finally {
        updates.stop();
      }
    },
  };
  return setMcpName(agentTool, `${server.name}/${tool.name}`);
}

function toUpdate({ progress, total, message }: McpProgress, details: McpToolDetails): AgentToolResult<McpToolDetails> {
  const share = total === undefined ? `${progress}` : `${progress}/${total}`;
  const text = message === undefined ? share : `${share} ${message.slice(0, maxMessageLength)}`;
  return { content: [{ type: "text", text }], details };
}
