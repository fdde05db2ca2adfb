import { isAbsolute, join } from "node:path";
import type { McpServerConfig } from "../../config/mcp-server-settings.ts";
import { readSettings } from "../../config/read-settings.ts";
import type { SessionChoice } from "../../conversation/choose-session.ts";
import { Credentials } from "../../models/credentials.ts";
import { isDemo, ModelRegistry } from "../../models/model-registry.ts";
import { noModelMessage } from "../../models/no-model.ts";
import { toTraceContext } from "../../trace-context.ts";
import { AcpSession } from "./acp-session.ts";
import { errorCodes, type ReceivedRequest, RpcError } from "./json-rpc.ts";
import { isMethodName, type McpServer, type MethodName, type MethodParams, methods } from "./protocol.ts";
import { readParams } from "./read-params.ts";
import type { BaseOptions, SessionParts } from "./session-parts.ts";
import { StoredSessions } from "./stored.ts";

type Handlers = { [N in MethodName]: (params: MethodParams<N>, request: ReceivedRequest) => Promise<object> };

/** Answers the requests about sessions. Loaded with the first of them. */
export class SessionMethods {
  readonly #parts: SessionParts;
  readonly #stored: StoredSessions;
  readonly #sessions = new Map<string, AcpSession>();
  /** Sessions that are being opened or closed, by id: of two requests the second waits. */
  readonly #moving = new Map<string, Promise<unknown>>();
  #isClosed = false;

  readonly #handlers: Handlers = {
    authenticate: () => this.#authenticate(),
    "session/new": async (params, request) => {
      const session = await this.#open("new", params, request);
      return { sessionId: session.session.sessionId, ...(await session.describe()) };
    },
    "session/load": async (params, request) => {
      const session = await this.#find(params, request);
      await session.replay();
      return session.describe();
    },
    "session/resume": async (params, request) => (await this.#find(params, request)).describe(),
    "session/fork": async (params, request) => {
      const session = await this.#open({ fork: await this.#stored.find(params.sessionId, params.cwd) }, params, request);
      return { sessionId: session.session.sessionId, ...(await session.describe()) };
    },
    "session/list": ({ cwd, cursor }) => this.#stored.list(cwd, cursor),
    "session/close": async ({ sessionId }) => {
      this.#require(sessionId);
      await this.#close(sessionId);
      return {};
    },
    "session/delete": async ({ sessionId }) => {
      await this.#close(sessionId);
      await this.#stored.remove(sessionId);
      return {};
    },
    "session/prompt": async ({ sessionId, prompt, _meta }) => ({
      stopReason: await this.#require(sessionId).prompt(prompt, toTraceContext(_meta)),
    }),
    "session/set_mode": async ({ sessionId, modeId }) => {
      const session = this.#require(sessionId);
      session.choices.setMode(modeId);
      await session.tellOptions();
      return {};
    },
    "session/set_config_option": async ({ sessionId, configId, value }) => {
      const session = this.#require(sessionId);
      await session.choices.set(configId, value);
      if (configId === "mode") session.tellMode();
      return { configOptions: await session.choices.options() };
    },
    "session/set_model": async ({ sessionId, modelId }) => {
      const session = this.#require(sessionId);
      await session.choices.setModel(modelId);
      await session.tellOptions();
      return {};
    },
  };

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#stored = new StoredSessions(parts.base);
  }

  /** Answers a request. @throws {RpcError} and the errors of sessions. */
  async answer(method: string, params: unknown, request: ReceivedRequest): Promise<object> {
    if (isMethodName(method)) return this.#call(method, params, request);
    const names = Object.keys(methods).join(", ");
    throw new RpcError(
      errorCodes.methodNotFound,
      `There is no method "${method.slice(0, 100)}". The methods are initialize, ${names}.`,
    );
  }

  async #call<N extends MethodName>(method: N, params: unknown, request: ReceivedRequest): Promise<object> {
    return this.#handlers[method](await readParams(method, params), request);
  }

  /** Aborts the run of a session, if it has one. */
  cancel(sessionId: string): void {
    void this.#sessions.get(sessionId)?.cancel();
  }

  /** Ends all sessions: their runs are aborted, and everything is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#moving.values());
    await Promise.all([...this.#sessions.keys()].map((id) => this.#close(id)));
  }

  /** Looks whether there is a model to use now. @throws {RpcError} `authRequired`: what to do. */
  async #authenticate(): Promise<object> {
    const { agentDir, apiKey, offline = false }: BaseOptions = this.#parts.base;
    const credentials = new Credentials(agentDir, { apiKey });
    const models = new ModelRegistry({ credentials, agentDir, cwd: process.cwd(), offline });
    if ((await models.available()).every(isDemo)) throw new RpcError(errorCodes.authRequired, noModelMessage());
    return {};
  }

  /** The session with this id, opened if it is not. */
  async #find({ sessionId, ...place }: MethodParams<"session/load">, request: ReceivedRequest): Promise<AcpSession> {
    await this.#moving.get(sessionId);
    const open = this.#sessions.get(sessionId);
    if (open) return open;
    const opening = this.#stored.find(sessionId, place.cwd).then((path) => this.#open({ path }, place, request));
    this.#moving.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      this.#moving.delete(sessionId);
    }
  }

  async #open(
    choice: SessionChoice,
    { cwd, mcpServers = [] }: MethodParams<"session/new">,
    request: ReceivedRequest,
  ): Promise<AcpSession> {
    const { base, rpc, output, capabilities } = this.#parts;
    if (!isAbsolute(cwd)) throw new RpcError(errorCodes.invalidParams, 'Field "cwd" must be an absolute path.');
    const settings = await readSettings(join(base.agentDir, "settings.json"));
    const options = {
      // A person watches, so risky calls are asked about, unless the settings or the command line say otherwise.
      approval: settings.approval ?? "on-risk",
      ...{ ...base, cwd, session: choice, store: this.#stored.storeFor(cwd) },
      mcpServers: { ...base.mcpServers, ...toConfigs(mcpServers) },
    };
    const session = await AcpSession.open(options, { rpc, output, capabilities: capabilities(), requestId: request.id });
    if (this.#isClosed) await session.close();
    else this.#sessions.set(session.session.sessionId, session);
    for (const line of session.session.history.diagnostics) base.onProblem?.(line);
    // Before the response the editor does not know the id of the session.
    request.afterwards(() => void session.begin());
    return session;
  }

  async #close(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    this.#sessions.delete(sessionId);
    const closing = session.close();
    this.#moving.set(sessionId, closing);
    try {
      await closing;
    } finally {
      this.#moving.delete(sessionId);
    }
  }

  #require(sessionId: string): AcpSession {
    const session = this.#sessions.get(sessionId);
    if (session) return session;
    const known = sessionId.slice(0, 200);
    throw new RpcError(
      errorCodes.notFound,
      `The session ${known} is not open. Send session/load, session/resume or session/new first.`,
    );
  }
}

/** The servers as the settings name them. Their values are literal, so a dollar sign begins no reference. */
function toConfigs(servers: readonly McpServer[]): Record<string, McpServerConfig> {
  const configs: Record<string, McpServerConfig> = {};
  for (const server of servers) {
    if ("command" in server) configs[server.name] = { command: server.command, args: server.args ?? [], env: toValues(server.env) };
    else if (server.type === "http") configs[server.name] = { url: server.url, headers: toValues(server.headers) };
    else
      throw new RpcError(
        errorCodes.invalidParams,
        `The MCP server "${server.name}" is of type sse, which is not supported. Use http.`,
      );
  }
  return configs;
}

function toValues(pairs: readonly { name: string; value: string }[] = []): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value.replaceAll("$", "$$$$")]));
}
