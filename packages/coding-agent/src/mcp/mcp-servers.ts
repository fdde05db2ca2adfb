import { isDeepStrictEqual } from "node:util";
import type { AgentTool } from "@pikit/agent";
import type { McpServerConfig } from "../config/mcp-server-settings.ts";
import { MarkSeries } from "../exec/command-mark.ts";
import type { ServerInstructions } from "../prompt/system-prompt.ts";
import { createMcpTool } from "./agent-tool.ts";
import { McpServer } from "./mcp-server.ts";
import { nameTools } from "./tool-names.ts";

/** Characters of one server's instructions in the system prompt. */
const maxInstructionsLength = 4000;

type Configs = Readonly<Record<string, McpServerConfig>>;

export interface McpServersOptions {
  /** `mcpServers` of the settings that are in effect. */
  servers: Configs;
  /** The session's folder. */
  cwd: string;
  /** Gives the session these tools in place of those before. */
  replaceTools(tools: readonly AgentTool[]): void;
  /** Told of each server that cannot be used, once for each reason. */
  report(problem: string): void;
  /** Whether only servers on this machine may be asked. Default false. */
  offline?: boolean | undefined;
}

/** The MCP servers of a session. Nothing is started, and no SDK loaded, before `start`. */
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

  /** What the servers that run say about their use, for the system prompt. */
  get instructions(): ServerInstructions[] {
    return [...this.#servers.values()].flatMap(({ name, instructions }) => {
      const text = instructions?.trim().slice(0, maxInstructionsLength) ?? "";
      return text === "" ? [] : [{ server: name, text }];
    });
  }

  /**
   * Starts the servers that do not run, all at once, and gives the session their tools. Resolves when each of them runs or has failed, or
   * on abort; those that were not ready then, and those that have failed before, join later. Never rejects.
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
   * Takes other settings, or another folder. Servers whose settings are the same, in the same folder, go on; the others are ended, and
   * new ones start with the next `start`. Where nothing is other than before, nothing happens.
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

  /** Ends all servers and everything that they have started. Never rejects. */
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
      this.#options.replaceTools(found.map(({ server, tool }, index) => createMcpTool(server, tool, names[index] as string)));
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
