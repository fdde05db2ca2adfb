import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ToolError } from "@pikit/agent";
import type { McpServerConfig } from "../config/mcp-server-settings.ts";
import type { CommandContainer } from "../exec/container.ts";
import { createThrottle } from "../tools/output/throttle.ts";
import { untilAborted } from "../until-aborted.ts";
import { type McpConnection, McpConnectionError, type McpProgress, type McpTool } from "./connection.ts";
import { type ResolvedServer, resolveServer } from "./server-config.ts";

/** The delay before the second attempt after consecutive failures; it doubles each time. The first attempt has no delay. */
const firstBackoffMs = 1000;
const longestBackoffMs = 60_000;
/** The maximum time that a call waits for the next attempt. */
const longestWaitMs = 8000;
/** The minimum interval between two requests for the list of tools. */
const refreshIntervalMs = 1000;
/** Maximum characters of a reported problem. */
const maxProblemLength = 2000;

export interface McpServerOptions {
  name: string;
  config: McpServerConfig;
  /** The folder of the session. */
  cwd: string;
  offline: boolean;
  /** Something around a local server. Default: none. */
  container?: CommandContainer | undefined;
  /** Returns a new mark for each start of a server. */
  nextMark(): string;
  /** Called when the tools have changed. */
  onTools(): void;
  report(problem: string): void;
}

export interface McpCallOptions {
  tool: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  /** Fields for `_meta` of the request. */
  meta?: Readonly<Record<string, string>> | undefined;
  onProgress(progress: McpProgress): void;
}

/** A server in the settings. It is started on demand, and again after its process has ended. */
export class McpServer {
  readonly name: string;
  /** The tools of the last connection. They stay after the server has ended, because a call starts it again. */
  tools: readonly McpTool[] = [];
  instructions: string | undefined;
  readonly #options: McpServerOptions;
  readonly #life = new AbortController();
  readonly #refreshes = createThrottle(refreshIntervalMs, () => void this.#refresh());
  #isRefreshing = false;
  #secrets: readonly string[] = [];
  #connection: McpConnection | undefined;
  #timeoutMs = 0;
  #starting: Promise<void> | undefined;
  #failures = 0;
  #nextAttemptAt = 0;
  #problem = "";

  constructor(options: McpServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get transport(): "http" | "stdio" {
    return this.#options.config.url === undefined ? "stdio" : "http";
  }

  /** Whether the last attempts have failed; `start` may then take long. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Starts the server if it is not running and the delay after a failure is over. Resolves when it runs or has failed; never rejects. */
  start(): Promise<void> {
    if (this.#connection || this.#life.signal.aborted) return Promise.resolve();
    if (!this.#starting && performance.now() < this.#nextAttemptAt) return Promise.resolve();
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /**
   * Calls a tool. If the server ends during a call, the call is not repeated, because it may have had an effect.
   *
   * @throws {ToolError} `aborted`, `timeout`, `mcp_unavailable`, `mcp_failed`.
   */
  async call(call: McpCallOptions): Promise<CallToolResult> {
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.#ready(call.signal);
      try {
        const result = await connection.call({ ...call, timeoutMs: this.#timeoutMs });
        this.#failures = 0;
        return result;
      } catch (error) {
        // The server has refused the request, so the call had no effect.
        const isForgotten = error instanceof McpConnectionError && error.failure === "session_lost";
        if (!isForgotten || attempt > 1) throw this.#toToolError(error, call.tool);
        if (this.#connection === connection) this.#connection = undefined;
        await connection.close();
      }
    }
  }

  /** Stops the server and prevents further starts. Never rejects. */
  async stop(): Promise<void> {
    this.#life.abort(new Error("the session has ended"));
    this.#refreshes.stop();
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([this.#starting, connection?.close()]);
  }

  async #start(): Promise<void> {
    try {
      const resolved = resolveServer(this.#options.config, { env: process.env, offline: this.#options.offline });
      this.#secrets = resolved.secrets;
      this.#timeoutMs = resolved.timeoutMs;
      await this.#connect(resolved);
      this.#problem = "";
      this.#options.onTools();
    } catch (error) {
      if (this.#life.signal.aborted) return;
      this.#fail(describe(error));
      this.#options.report(`The MCP server ${this.name} cannot be used: ${this.#problem}`);
    }
  }

  async #connect({ target, startTimeoutMs }: ResolvedServer): Promise<void> {
    const { cwd, container, nextMark } = this.#options;
    const { connect } = await import("./connect.ts");
    const deadline = AbortSignal.timeout(startTimeoutMs);
    const signal = AbortSignal.any([this.#life.signal, deadline]);
    let connection: McpConnection | undefined;
    try {
      connection = await connect({
        ...{ target, cwd, container, mark: nextMark(), signal },
        onToolsChanged: () => this.#refreshes.request(),
      });
      this.tools = await connection.listTools(signal);
    } catch (error) {
      await connection?.close();
      if (!deadline.aborted) throw error;
      throw new Error(`it was not ready after ${startTimeoutMs / 1000} seconds (startTimeoutSeconds)`, { cause: error });
    }
    if (this.#life.signal.aborted) return connection.close();
    this.#connection = connection;
    this.instructions = connection.instructions;
    void connection.closed.then((end) => this.#lose(connection, end));
  }

  /** Handles the unexpected end of a connection. */
  #lose(connection: McpConnection, end: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (!this.#life.signal.aborted) this.#fail(end);
  }

  #fail(problem: string): void {
    this.#problem = this.#redact(problem).slice(0, maxProblemLength).trimEnd().replace(/\.?$/, ".");
    this.#failures += 1;
    const backoffMs = this.#failures === 1 ? 0 : Math.min(firstBackoffMs * 2 ** (this.#failures - 2), longestBackoffMs);
    this.#nextAttemptAt = performance.now() + backoffMs;
  }

  async #ready(signal: AbortSignal): Promise<McpConnection> {
    while (!this.#connection) {
      if (this.#life.signal.aborted) throw this.#unavailable("it was stopped");
      const waitMs = this.#nextAttemptAt - performance.now();
      if (waitMs > longestWaitMs) throw this.#unavailable(`the next attempt is made in ${Math.ceil(waitMs / 1000)} seconds`);
      const before = this.#failures;
      try {
        if (waitMs > 0) await sleep(waitMs, undefined, { signal });
        await untilAborted(this.start(), signal);
      } catch {
        throw new ToolError("aborted", `The call of the MCP server ${this.name} was aborted.`);
      }
      if (!this.#connection && this.#failures > before) throw this.#unavailable();
    }
    return this.#connection;
  }

  async #refresh(): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    // One request at a time. A running request may return the old list, so another one follows.
    if (this.#isRefreshing) return this.#refreshes.request();
    this.#isRefreshing = true;
    try {
      const tools = await connection.listTools(AbortSignal.any([this.#life.signal, AbortSignal.timeout(this.#timeoutMs)]));
      if (this.#connection !== connection || isDeepStrictEqual(tools, this.tools)) return;
      this.tools = tools;
      this.#options.onTools();
    } catch (error) {
      if (this.#connection !== connection) return; // the connection has ended; calls report that
      this.#options.report(`The MCP server ${this.name} has changed its tools, but they cannot be listed: ${describe(error)}.`);
    } finally {
      this.#isRefreshing = false;
    }
  }

  #unavailable(more?: string): ToolError {
    const text = `The MCP server ${this.name} is not running${more === undefined ? "" : `; ${more}`}. ${this.#problem}`;
    return new ToolError("mcp_unavailable", `${text.trimEnd()} Continue without it, or tell the user.`);
  }

  #toToolError(error: unknown, tool: string): ToolError {
    const failure = error instanceof McpConnectionError ? error.failure : undefined;
    if (failure === "aborted") return new ToolError("aborted", `The call of ${tool} was aborted.`, { cause: error });
    if (failure === "timeout") {
      const text = `${tool} of the MCP server ${this.name} gave no result within ${this.#timeoutMs / 1000} seconds and was cancelled.`;
      return new ToolError("timeout", text, { cause: error });
    }
    const reason = this.#redact(describe(error)).slice(0, maxProblemLength).trimEnd().replace(/\.?$/, ".");
    const doubt = failure === "closed" ? " The call may have had an effect anyway; check before you repeat it." : "";
    return new ToolError("mcp_failed", `${tool} of the MCP server ${this.name} failed: ${reason}${doubt}`, { cause: error });
  }

  /** Hides the values of references in the settings. */
  #redact(text: string): string {
    return this.#secrets.filter((secret) => secret.length >= 4).reduce((rest, secret) => rest.replaceAll(secret, "[hidden]"), text);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
