import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { AgentMessage } from "@pikit/agent";
import type { PageFile } from "../../src/modes/serve/page-files.ts";
import type { StoredSession } from "../../src/page/wire/api.ts";
import type { SessionState } from "../../src/protocol/data.ts";

/** A command or frame that a client has sent. */
export interface SentRecord {
  type: string;
  id?: string;
  [field: string]: unknown;
}

/** A request as the server got it. */
export interface SeenRequest {
  method: string;
  url: string;
  authorization: string | undefined;
  referer: string | undefined;
}

type Handler = (record: SentRecord) => unknown;

const demoModel = {
  ...{ id: "tour", name: "Tour", api: "scripted", provider: "demo", baseUrl: "", reasoning: true },
  ...{ input: ["text" as const, "image" as const], contextWindow: 100_000, maxTokens: 1000 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
const otherModel = { ...demoModel, id: "other", name: "Other", provider: "second" };

/** A session whose frames and answers the test decides. Speaks the protocol of `pi serve`. */
export class ScriptedSession {
  readonly id: string;
  readonly records: SentRecord[] = [];
  messages: AgentMessage[] = [];
  epoch = "e1";
  /** The state that `resync` and `get_state` have, beside the defaults. */
  state: Partial<SessionState> = {};
  /** The rest of the next `resync` frames. */
  resync: { message?: object; running?: object[] } = {};
  /** The ids of the questions that are open → their frames. */
  readonly #questions = new Map<string, object>();
  readonly #frames: string[] = [];
  #connections = new Set<ServerResponse>();
  readonly #handlers = new Map<string, Handler>();
  readonly #answers = new Map<string, string>();
  readonly #held = new Map<string, Promise<void>>();
  #waiting: (() => void)[] = [];

  constructor(id: string) {
    this.id = id;
    this.on("get_messages", () => ({ messages: this.messages }));
    this.on("get_state", () => this.#fullState());
    this.on("get_available_models", () => ({ models: [demoModel, otherModel] }));
    this.on("get_available_thinking_levels", () => ({ levels: ["off", "low", "high"] }));
    this.on("get_session_stats", () => ({
      ...{ sessionId: id, userMessages: 1, assistantMessages: 1, toolCalls: 0, toolResults: 0, totalMessages: 2, cost: 0.25 },
      tokens: { input: 1000, output: 234, cacheRead: 0, cacheWrite: 0, total: 1234 },
      contextUsage: { tokens: 1234, contextWindow: 10_000, percent: 12.34 },
    }));
    this.on("set_model", ({ provider, modelId }) => {
      this.state.model = { ...demoModel, provider: String(provider), id: String(modelId) };
      return this.state.model;
    });
    this.on("set_thinking_level", ({ level }) => {
      this.state.thinkingLevel = level as SessionState["thinkingLevel"];
    });
  }

  /** The number of open event streams. */
  get watchers(): number {
    return this.#connections.size;
  }

  /** Sets the data of the response to a command. A handler that throws makes a response with its message. */
  on(command: string, handler: Handler): void {
    this.#handlers.set(command, handler);
  }

  /** Delays the responses to a command. */
  hold(command: string, until: Promise<void>): void {
    this.#held.set(command, until);
  }

  /** Resolves when the response to a command may be sent. */
  async held(command: string): Promise<void> {
    await this.#held.get(command);
  }

  /** Sends frames to all connections; the ones that connect again get those that they missed. */
  emit(...frames: object[]): void {
    for (const frame of frames) {
      const seq = this.#frames.length + 1;
      const line = `id: ${this.epoch}:${seq}\ndata: ${JSON.stringify({ ...frame, epoch: this.epoch, seq })}\n\n`;
      this.#frames.push(line);
      for (const connection of this.#connections) connection.write(line);
    }
  }

  /** Sends a question, which stays open until a client answers it. */
  ask(question: { id: string; [field: string]: unknown }): void {
    const frame = { type: "extension_ui_request", ...question };
    this.emit(frame);
    this.#questions.set(question.id, frame);
  }

  /** Ends a question as if another client had answered it. */
  settle(id: string, answer: object): void {
    if (this.#questions.delete(id)) this.emit({ type: "extension_ui_response", id, ...answer });
  }

  /** Cuts all connections in the middle of a frame. */
  cut(): void {
    for (const connection of this.#connections) {
      connection.write('id: e1:999\ndata: {"type":"mess');
      connection.destroy();
    }
    this.#connections = new Set();
  }

  /** As after a restart of the server: nothing of the frames is known. */
  restart(): void {
    this.epoch = `e${Number(this.epoch.slice(1)) + 1}`;
    this.#frames.length = 0;
    this.#answers.clear();
    this.cut();
  }

  /** Resolves with the first record of a type that was sent, now or later. */
  async sent(type: string, index = 0): Promise<SentRecord> {
    for (;;) {
      const record = this.records.filter((each) => each.type === type)[index];
      if (record) return record;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  connect(response: ServerResponse, since: string | undefined): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const seq = this.#frames.length;
    const [epoch, known] = since?.split(":") ?? [];
    const start = epoch === this.epoch ? Number(known) : undefined;
    const write = (frame: object, at?: number) =>
      response.write(`${at === undefined ? "" : `id: ${this.epoch}:${at}\n`}data: ${JSON.stringify(frame)}\n\n`);
    response.write("retry: 1000\n\n");
    write(
      { type: "ready", protocolVersion: 1, version: "0", sessionId: this.id, epoch: this.epoch, seq: start ?? seq },
      start ?? seq,
    );
    if (start === undefined) {
      const reason = since === undefined ? "start" : "epoch";
      write({ type: "resync", reason, epoch: this.epoch, seq, state: this.#fullState(), running: [], ...this.resync }, seq);
    } else for (const line of this.#frames.slice(start)) response.write(line);
    for (const frame of this.#questions.values()) write({ ...frame, again: true });
    this.#connections.add(response);
    response.on("close", () => this.#connections.delete(response));
  }

  /** Runs a command once for each key. @returns The response; undefined for a frame. */
  run(record: SentRecord, key: string): string | undefined {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    this.records.push(record);
    for (const wake of this.#waiting.splice(0)) wake();
    if (record.type === "extension_ui_response") {
      this.settle(String(record.id), record);
      return undefined;
    }
    const response = JSON.stringify({ id: record.id, type: "response", command: record.type, ...this.#answer(record) });
    this.#answers.set(key, response);
    return response;
  }

  get position(): string {
    return `${this.epoch}:${this.#frames.length}`;
  }

  #answer(record: SentRecord): object {
    try {
      return { success: true, data: this.#handlers.get(record.type)?.(record) };
    } catch (error) {
      return { success: false, error: (error as Error).message };
    }
  }

  #fullState(): SessionState {
    return {
      ...{ model: demoModel, thinkingLevel: "off", isStreaming: false, isCompacting: false, isSettled: true },
      ...{ sessionId: this.id, queueMode: "all", steeringMode: "all", followUpMode: "all", interruptMode: "wait" },
      ...{ autoCompactionEnabled: true, autoRetryEnabled: true, messageCount: 0, queuedMessageCount: 0 },
      ...{ pendingMessageCount: 0, todoPhases: [], streamMode: "deltas" },
      ...this.state,
    };
  }
}

/** A server with the routes that the page uses. */
export class ScriptedServer {
  readonly token = "secret-Token_1";
  readonly requests: SeenRequest[] = [];
  readonly sessions = new Map<string, ScriptedSession>();
  /** What the list has of each session, beside its id. */
  readonly listed = new Map<string, Partial<StoredSession>>();
  /** Called with the body of each request for a new session; returns its id. */
  onBegin: (body: Record<string, unknown>) => string = () => this.add("new").id;
  /** The number of the next responses to commands that get lost, although the commands run. */
  lostResponses = 0;
  readonly #server: Server;
  readonly #files: ReadonlyMap<string, PageFile>;

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(files: ReadonlyMap<string, PageFile>): Promise<ScriptedServer> {
    const server = new ScriptedServer(files);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(id: string, listed: Partial<StoredSession> = {}): ScriptedSession {
    const session = new ScriptedSession(id);
    this.sessions.set(id, session);
    this.listed.set(id, listed);
    return session;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    this.requests.push({ method, url, authorization: headers.authorization, referer: headers.referer });
    const { pathname, searchParams } = new URL(url, this.url);
    const file = this.#files.get(pathname);
    if (file) {
      response.writeHead(200, file.headers).end(file.body);
      return;
    }
    if (headers.authorization !== `Bearer ${this.token}`) return sendError(response, 401, "unauthorized", "The token is wrong.");
    const [, , , id, action] = pathname.split("/");
    const session = this.sessions.get(decodeURIComponent(id ?? ""));
    if (id === undefined) await this.#serveList(request, response);
    else if (!session) sendError(response, 404, "not_found", "There is no such session.");
    else if (action === "events") session.connect(response, searchParams.get("since") ?? undefined);
    else await this.#serveCommand(session, request, response);
  }

  async #serveList(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "POST") {
      const sessionId = this.onBegin(JSON.parse(await text(request)) as Record<string, unknown>);
      send(response, 201, { sessionId, sessionFile: null, cwd: "/", opened: "new" });
      return;
    }
    const sessions = [...this.listed].map(([id, listed]) => ({
      ...{ id, cwd: "/home/user/project", createdAt: "2026-01-01T00:00:00Z", modifiedAt: "2026-01-02T00:00:00Z" },
      ...{ live: false, streaming: false, waiting: 0, interrupted: false, ...listed },
    }));
    send(response, 200, { sessions });
  }

  async #serveCommand(session: ScriptedSession, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = JSON.parse(await text(request)) as SentRecord;
    const answer = session.run(record, String(request.headers["idempotency-key"]));
    await session.held(record.type);
    if (this.lostResponses > 0 && !record.type.startsWith("get_")) {
      this.lostResponses -= 1;
      response.destroy();
      return;
    }
    response.setHeader("pi-position", session.position);
    response.writeHead(answer === undefined ? 204 : 200, { "content-type": "application/json" }).end(answer);
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { error: { code, message } });
}
