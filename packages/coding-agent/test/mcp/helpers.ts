import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentTool, AgentToolResult } from "@pikit/agent";
import { onTestFinished } from "vitest";
import type { McpServerConfig } from "../../src/config/mcp-server-settings.ts";
import { McpServers, type McpServersOptions } from "../../src/mcp/mcp-servers.ts";

const fixture = join(dirname(fileURLToPath(import.meta.url)), "fixtures/server.ts");

/** The settings of the fixture server; see there for what it can do. */
export function fixtureServer(behaviour = "good", more: Partial<McpServerConfig> & { starts?: string } = {}): McpServerConfig {
  const { starts, ...config } = more;
  return { command: process.execPath, args: [fixture, behaviour, ...(starts === undefined ? [] : [starts])], ...config };
}

/** Servers with what they have brought and reported; ended with the test. */
export class TestServers {
  tools: readonly AgentTool[] = [];
  readonly problems: string[] = [];
  readonly servers: McpServers;
  #waiting: (() => void)[] = [];

  constructor(configs: McpServersOptions["servers"], options: Pick<McpServersOptions, "cwd" | "offline" | "onCall">) {
    this.servers = new McpServers({
      servers: configs,
      ...options,
      replaceTools: (tools) => {
        this.tools = tools;
        for (const resolve of this.#waiting.splice(0)) resolve();
      },
      report: (problem) => this.problems.push(problem),
    });
    onTestFinished(() => this.servers.stop());
  }

  /** Resolves with the next tools. */
  nextTools(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get names(): string[] {
    return this.tools.map(({ name }) => name);
  }

  /** Calls a tool by the name that models know. */
  call(
    name: string,
    params: Record<string, unknown> = {},
    options: { signal?: AbortSignal; onUpdate?: (update: AgentToolResult) => void } = {},
  ): Promise<AgentToolResult> {
    const tool = this.tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name} among ${this.names.join(", ")}`);
    const { signal = new AbortController().signal, onUpdate = () => undefined } = options;
    return tool.execute("call-1", params as never, signal, onUpdate);
  }

  /** As `call`, and gives the text. */
  async text(name: string, params?: Record<string, unknown>): Promise<string> {
    const { content } = await this.call(name, params);
    return content.map((block) => (block.type === "text" ? block.text : `<${block.type} ${block.mimeType}>`)).join("|");
  }
}
