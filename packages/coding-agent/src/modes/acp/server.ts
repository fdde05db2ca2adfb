import type { AgentCapabilities, AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk";
import { packageVersion } from "../../version.ts";
import type { AcpOutput } from "./acp-output.ts";
import { JsonRpc, type ReceivedRequest, type RpcHandler } from "./json-rpc.ts";
import type { ClientCapabilities } from "./protocol.ts";
import { protocolVersion, readInitialize } from "./read-initialize.ts";
import { toRpcError } from "./rpc-errors.ts";
import type { SessionMethods } from "./session-methods.ts";
import type { BaseOptions } from "./session-parts.ts";

const agentCapabilities: AgentCapabilities & { sessionCapabilities: { fork: object } } = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: true, sse: false },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
};

/** Answers the requests of an editor. */
export class AcpServer implements RpcHandler {
  readonly rpc: JsonRpc;
  readonly #base: BaseOptions;
  readonly #output: AcpOutput;
  #capabilities: ClientCapabilities = {};
  #methods: Promise<SessionMethods> | undefined;
  #loaded: SessionMethods | undefined;

  constructor(base: BaseOptions, output: AcpOutput) {
    this.#base = base;
    this.#output = output;
    this.rpc = new JsonRpc((record) => output.send(record), this);
  }

  readonly toRpcError = toRpcError;

  async request(method: string, params: unknown, request: ReceivedRequest): Promise<unknown> {
    if (method !== "initialize") return (await this.#load()).answer(method, params, request);
    this.#capabilities = readInitialize(params);
    // While the editor reads the answer.
    request.afterwards(() => void this.#output.flush().then(() => this.#load()));
    return this.#describe();
  }

  notification(method: string, params: unknown): void {
    const { sessionId } = (params ?? {}) as { sessionId?: unknown };
    if (method === "session/cancel" && typeof sessionId === "string") this.#loaded?.cancel(sessionId);
  }

  /** Ends all sessions: their runs are aborted, and everything is stored. */
  async close(): Promise<void> {
    this.rpc.close();
    await (await this.#methods)?.close();
  }

  #load(): Promise<SessionMethods> {
    this.#methods ??= import("./session-methods.ts").then(({ SessionMethods }) => {
      const parts = { base: this.#base, rpc: this.rpc, output: this.#output };
      this.#loaded = new SessionMethods({ ...parts, capabilities: () => this.#capabilities });
      return this.#loaded;
    });
    return this.#methods;
  }

  #describe(): InitializeResponse {
    return {
      ...{ protocolVersion, agentCapabilities, authMethods: authMethods(this.#capabilities) },
      agentInfo: { name: "pi", title: "pi", version: packageVersion() },
    };
  }
}

function authMethods({ auth }: ClientCapabilities): AuthMethod[] {
  const description =
    "Stores a key of a provider. Keys in environment variables and local models need no login; pi doctor tells what is found.";
  const method = { id: "pi-login", name: "Store an API key", description };
  return [auth?.terminal ? { ...method, type: "terminal", args: ["login"] } : method];
}
