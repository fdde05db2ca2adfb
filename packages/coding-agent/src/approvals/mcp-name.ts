import type { AgentTool } from "@pikit/agent";

const names = new WeakMap<AgentTool, string>();

/** Names the MCP server and its tool behind a tool of the agent: `server/tool`. Rules use this name. */
export function setMcpName(tool: AgentTool, name: string): AgentTool {
  names.set(tool, name);
  return tool;
}

export function mcpNameOf(tool: AgentTool): string | undefined {
  return names.get(tool);
}
