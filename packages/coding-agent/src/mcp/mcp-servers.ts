import { isDeepStrictEqual } from "node:util";
import type { AgentTool } from "@pikit/agent";
import type { McpServerConfig } from "../config/mcp-server-settings.ts";
import { MarkSeries } from "../exec/command-mark.ts";
import type { CommandContainer } from "../exec/container.ts";
import type { ServerInstructions } from "../prompt/system-prompt.ts";
import { createMcpTool, type McpCallObserver } from "./agent-tool.ts";
import { McpServer } from "./mcp-server.ts";
import { nameTools } from "./tool-names.ts";

/** Maximum characters of a server's instructions in the system prompt. */
const maxInstructionsLength = 4000;

type Configs = Readonly<Record<string, McpServerConfig>>;

export interface McpServersOptions {
  /** `mcpServers` of the effective settings. */
  servers: Configs;
  /** The folder of the session. */
  cwd: string;
  /** Replaces the MCP tools of the session. */
  replaceTools(tools: readonly AgentTool[]): void;
  /** Called for each server that cannot be used, once per reason. */
  report(problem: string): void;
  /** Called before each call of a tool. Default: nothing. */
  onCall?: McpCallObserver | undefined;
  /** Whether only servers on this machine may be used. Default false. */
  offline?: boolean | undefined;
  /** Something around local servers, such as a sandbox. Default: none. */
  container?: CommandContainer | undefined;
}

/** The MCP servers of a session. Before `start`, no server is started and the SDK is not loaded. */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #marks = new MarkSeries();
  readonly #reported = new Set<string>();
  #cwd: string;
  #configs: Configs = {};
  #servers = new Map<string, McpServer>();
  #stopping: Promise<unknown> = Promise.resolve();

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#setUp(options.servers);
  }

  /** The instructions of the running servers, for the system prompt. */
  get instructions(): ServerInstructions[] {
    return [...this.#servers.values()].flatMap(({ name, instructions }) => {
      const text = instructions?.trim().slice(0, maxInstructionsLength) ?? "";
      return text === "" ? [] : [{ server: name, text }];
    });
  }

  /**
   * Starts all servers that are not running, in parallel, and adds their tools to the session. Resolves when each server runs or has failed, or
   * on abort. It does not wait for servers that have failed before; their tools are added later. Never rejects.
   */
  async start(signal?: AbortSignal): Promise<void> {
    const starts = [...this.#servers.values()].map((server) => {
      const { hasFailed } = server;
      const started = server.start();
      return hasFailed ? undefined : started;
    });
    const started = Promise.all(starts);
    if (!signal) return void (await started);
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([started, promise]);
    signal.removeEventListener("abort", onAbort);
  }

  /**
   * Changes the settings or the folder. Servers with unchanged settings in the same folder continue; the others are stopped, and new ones start
   * with the next `start`. Without a change, this does nothing.
   */
  configure(servers: Configs, cwd: string): void {
    const isSameFolder = cwd === this.#cwd;
    const before = this.#configs;
    if (isSameFolder && isDeepStrictEqual(servers, before)) return;
    this.#cwd = cwd;
    const left = [...this.#servers].filter(([name]) => !isSameFolder || !isDeepStrictEqual(servers[name], before[name]));
    for (const [name] of left) this.#servers.delete(name);
    this.#reported.clear();
    this.#stopping = Promise.all([this.#stopping, ...left.map(([, server]) => server.stop())]);
    this.#setUp(servers);
    this.#offerTools();
  }

  /** Stops all servers and all their processes. Never rejects. */
  async stop(): Promise<void> {
    await Promise.all([this.#stopping, ...[...this.#servers.values()].map((server) => server.stop())]);
  }

  #setUp(configs: Configs): void {
    this.#configs = configs;
    const servers = new Map<string, McpServer>();
    for (const [name, config] of Object.entries(configs)) {
      if (config.disabled !== true) servers.set(name, this.#servers.get(name) ?? this.#create(name, config));
    }
    this.#servers = servers;
  }

  #create(name: string, config: McpServerConfig): McpServer {
    return new McpServer({
      name,
      config,
      cwd: this.#cwd,
      offline: this.#options.offline ?? false,
      container: config.sandbox === false ? undefined : this.#options.container,
      nextMark: () => this.#marks.next(),
      onTools: () => this.#offerTools(),
      report: (problem) => this.#report(problem),
    });
  }

  #offerTools(): void {
    const found = [...this.#servers.values()].flatMap((server) => {
      const wanted = this.#configs[server.name]?.tools;
      const tools = server.tools.filter(({ name }) => wanted?.includes(name) ?? true);
      return tools.map((tool) => ({ server, tool }));
    });
    const names = nameTools(found.map(({ server, tool }) => ({ server: server.name, tool: tool.name })));
    try {
      this.#options.replaceTools(
        found.map(({ server, tool }, index) => createMcpTool(server, tool, names[index] as string, this.#options.onCall)),
      );
    } catch (error) {
      this.#report(`The tools of the MCP servers cannot be offered: ${(error as Error).message}`);
    }
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.report(problem);
  }
}
