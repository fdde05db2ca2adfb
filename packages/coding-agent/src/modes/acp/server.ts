import { isAbsolute } from "node:path";
import type { AgentCapabilities, AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk";
import { Check } from "@sinclair/typebox/value";
import type { McpServerConfig } from "../../config/mcp-server-settings.ts";
import type { SessionChoice } from "../../conversation/choose-session.ts";
import { Credentials } from "../../models/credentials.ts";
import { isDemo, ModelRegistry } from "../../models/model-registry.ts";
import { noModelMessage } from "../../models/no-model.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../../session/options.ts";
import { packageVersion } from "../../version.ts";
import type { AcpOutput } from "./acp-output.ts";
import { AcpSession, toRpcError } from "./acp-session.ts";
import { errorCodes, JsonRpc, type ReceivedRequest, RpcError, type RpcHandler } from "./json-rpc.ts";
import {
  type ClientCapabilities,
  isMethodName,
  type McpServer,
  type MethodName,
  type MethodParams,
  methods,
  notifications,
  protocolVersion,
} from "./protocol.ts";
import { readParams } from "./read-params.ts";
import { StoredSessions } from "./stored.ts";

/** The options of all sessions; the editor gives the folder and further MCP servers. */
export type BaseOptions = Omit<CreateAgentSessionOptions, "cwd" | "session" | "user"> & EntryPointOptions & { agentDir: string };

const capabilities: AgentCapabilities & { sessionCapabilities: { fork: object } } = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: true, sse: false },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
};

type Handlers = { [N in MethodName]: (params: MethodParams<N>, request: ReceivedRequest) => Promise<object> };

/** Answers the requests of an editor. It has any number of sessions open. */
export class AcpServer implements RpcHandler {
  readonly rpc: JsonRpc;
  readonly #base: BaseOptions;
  readonly #output: AcpOutput;
  readonly #stored: StoredSessions;
  readonly #sessions = new Map<string, AcpSession>();
  /** Sessions that are being opened or closed, by id: of two requests the second waits. */
  readonly #moving = new Map<string, Promise<unknown>>();
  #client: ClientCapabilities = {};
  #isClosed = false;

  readonly #handlers: Handlers = {
    initialize: (params) => this.#initialize(params),
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
    "session/prompt": async ({ sessionId, prompt }) => ({ stopReason: await this.#require(sessionId).prompt(prompt) }),
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

  constructor(base: BaseOptions, output: AcpOutput) {
    this.#base = base;
    this.#output = output;
    this.#stored = new StoredSessions(base);
    this.rpc = new JsonRpc((record) => output.send(record), this);
  }

  readonly toRpcError = toRpcError;

  async request(method: string, params: unknown, request: ReceivedRequest): Promise<unknown> {
    if (!isMethodName(method)) {
      const names = Object.keys(methods).join(", ");
      throw new RpcError(errorCodes.methodNotFound, `There is no method "${method.slice(0, 100)}". The methods are ${names}.`);
    }
    return this.#call(method, params, request);
  }

  notification(method: string, params: unknown): void {
    if (method === "session/cancel" && Check(notifications[method], params)) void this.#sessions.get(params.sessionId)?.cancel();
  }

  /** Ends all sessions: their runs are aborted, and everything is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.rpc.close();
    await Promise.allSettled(this.#moving.values());
    await Promise.all([...this.#sessions.keys()].map((id) => this.#close(id)));
  }

  /** Resolves when no session has a run. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#moving.values());
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.waitForIdle()));
  }

  async #call<N extends MethodName>(method: N, params: unknown, request: ReceivedRequest): Promise<object> {
    return this.#handlers[method](await readParams(method, params), request);
  }

  async #initialize({ clientCapabilities = {} }: MethodParams<"initialize">): Promise<InitializeResponse> {
    this.#client = clientCapabilities;
    return {
      protocolVersion,
      agentCapabilities: capabilities,
      authMethods: authMethods(clientCapabilities),
      agentInfo: { name: "pi", title: "pi", version: packageVersion() },
    };
  }

  /** Looks whether there is a model to use now. @throws {RpcError} `authRequired`: what to do. */
  async #authenticate(): Promise<object> {
    const { agentDir, apiKey, offline = false } = this.#base;
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
    if (!isAbsolute(cwd)) throw new RpcError(errorCodes.invalidParams, 'Field "cwd" must be an absolute path.');
    const options = {
      ...{ ...this.#base, cwd, session: choice, store: this.#stored.storeFor(cwd) },
      mcpServers: { ...this.#base.mcpServers, ...toConfigs(mcpServers) },
    };
    const session = await AcpSession.open(options, {
      rpc: this.rpc,
      capabilities: this.#client,
      requestId: request.id,
      output: this.#output,
    });
    if (this.#isClosed) await session.close();
    else this.#sessions.set(session.session.sessionId, session);
    for (const line of session.session.history.diagnostics) this.#base.onProblem?.(line);
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

function authMethods({ auth }: ClientCapabilities): AuthMethod[] {
  const description =
    "Stores a key of a provider. Keys in environment variables and local models need no login; pi doctor tells what is found.";
  const method = { id: "pi-login", name: "Store an API key", description };
  return [auth?.terminal ? { ...method, type: "terminal", args: ["login"] } : method];
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
