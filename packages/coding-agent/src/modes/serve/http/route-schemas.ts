/** The data of each route: what the server reads and answers, for its checks and for the OpenAPI document. */
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { approvalPolicies } from "../../../config/approval-policies.ts";
import { StreamModeSchema } from "../../../protocol/data.ts";
import { literals } from "../../../protocol/literals.ts";
import { RequestedThinkingLevelSchema } from "../../../protocol/messages.ts";
import { builtInToolNames } from "../../../tools/index.ts";
import type { HttpErrorCode } from "./http-error.ts";
import type { RouteName } from "./routes.ts";

/** Default and maximum number of sessions in a list. */
export const listLimits = { default: 50, most: 1000 } as const;

/** Maximum bytes of a command: those of a line of RPC mode. */
export const maxCommandBytes = 64 * 1024 * 1024;

/** Maximum bytes of the options of a session. */
export const maxOptionsBytes = 4 * 1024 * 1024;

const text = (description: string) => Type.Optional(Type.String({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const count = (description: string, minimum = 0) => Type.Optional(Type.Number({ minimum, description }));
const exactly = { additionalProperties: false };

/** A path, or false for none at all. */
const resources = (description: string) =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Literal(false)], { description }));

const SessionChoiceSchema = Type.Union(
  [
    Type.Literal("new"),
    Type.Literal("memory"),
    Type.Literal("continue"),
    Type.Object({ path: Type.String({ minLength: 1 }) }, exactly),
    Type.Object({ idPrefix: Type.String({ minLength: 1 }) }, exactly),
    Type.Object({ id: Type.String({ minLength: 1 }) }, exactly),
    Type.Object({ fork: Type.String({ minLength: 1 }) }, exactly),
  ],
  {
    description:
      'new: a new session; memory: one that is not stored; continue: the latest one of the folder; path: the one in that file; idPrefix: the one whose id begins so; id: the one with this id, or a new one; fork: a copy of another one. Default: "new".',
  },
);

/** The options that the server keeps with a session, so that they hold again when it is opened once more. */
export const KeptOptionsSchema = Type.Object({
  model: text("The model: id or provider/id, optionally with :level."),
  provider: text("The provider; alone: its default model."),
  modelScope: Type.Optional(Type.Array(Type.String(), { description: "The models for cycle_model: names, or patterns with *." })),
  thinkingLevel: Type.Optional(RequestedThinkingLevelSchema),
  tools: Type.Optional(
    Type.Array(literals(builtInToolNames), { description: "Built-in tools. Default: read, bash, edit, write." }),
  ),
  approval: Type.Optional(literals(approvalPolicies)),
  readOnly: flag("Refuse every tool call that does more than read."),
  systemPrompt: text("Replaces the built-in instructions."),
  appendSystemPrompt: text("Added at the end of the system prompt."),
  contextFiles: flag("Whether AGENTS.md files are read. Default: true."),
  ruleFiles: flag("Whether stream rules are read from files. Default: true."),
  skills: resources("Further skills by their paths; false: none."),
  promptTemplates: resources("Further prompt templates by their paths; false: none."),
  mcp: flag("Whether the MCP servers of the settings are used. Default: true."),
  offline: flag("Use only models and MCP servers on this machine."),
  trustProject: flag("Whether the .pi folder of the project takes effect. Default: the remembered answer."),
  retry: Type.Optional(
    Type.Object(
      { enabled: flag("Default: true."), maxRetries: count("Default: 3."), baseDelayMs: count("Default: 2000.") },
      { ...exactly, description: "Retries after temporary failures of the model." },
    ),
  ),
  compaction: Type.Optional(
    Type.Object(
      {
        enabled: flag("Default: true."),
        reserveTokens: count("Default: 16384."),
        keepRecentTokens: count("Default: 20000."),
      },
      { ...exactly, description: "When the older part of the conversation is summarised." },
    ),
  ),
  limits: Type.Optional(
    Type.Object(
      {
        maxTurns: count("Model calls.", 1),
        maxCostUsd: count("US dollars."),
        maxTimeMs: count("Milliseconds."),
        maxToolCalls: count("Tool calls."),
        maxFailuresInARow: count("Failed tool calls in a row.", 1),
        maxRepeats: count("Identical tool calls in a row.", 1),
      },
      { ...exactly, description: "The limits of one prompt. Default: no limit." },
    ),
  ),
});
export type KeptOptions = Static<typeof KeptOptionsSchema>;

export const SessionRequestSchema = Type.Object(
  {
    session: Type.Optional(SessionChoiceSchema),
    cwd: text("The working folder of a new session: absolute, within a root. Default: the first root."),
    takeOverLock: flag("Replace the lock of a process on another host, which has ended."),
    name: text("A name for the session."),
    ...KeptOptionsSchema.properties,
  },
  exactly,
);
export type SessionRequest = Static<typeof SessionRequestSchema>;

export const OpenedSessionSchema = Type.Object({
  sessionId: Type.String(),
  sessionFile: Type.Union([Type.String(), Type.Null()]),
  cwd: Type.String(),
  opened: literals(["new", "stored", "live"]),
});
export type OpenedSession = Static<typeof OpenedSessionSchema>;

export const StoredSessionSchema = Type.Object({
  id: Type.String(),
  name: text("Its name."),
  cwd: Type.String({ description: "Its working folder." }),
  createdAt: Type.String({ description: "ISO 8601." }),
  modifiedAt: Type.String({ description: "ISO 8601." }),
  firstPrompt: text("The beginning of its first prompt."),
  parentSession: text("The session that it was forked from: its file, or its id in a store."),
  live: Type.Boolean({ description: "Whether it is in the memory of the server." }),
  streaming: Type.Boolean({ description: "Whether a run is active." }),
  waiting: Type.Integer({ description: "Open questions." }),
  interrupted: Type.Boolean({ description: "Whether its last prompt has no end, and no run is active." }),
  server: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "The address of the other server that has it open, which knows its state; null if that one has announced none.",
    }),
  ),
});
export type StoredSession = Static<typeof StoredSessionSchema>;

export const ErrorAnswerSchema = Type.Object({
  error: Type.Object({ code: Type.String(), message: Type.String() }),
});

const PositionSchema = Type.String({
  maxLength: 200,
  description: "epoch:seq, the position of the last frame that the client has.",
});

/** The query of the events. */
export const EventsQuerySchema = Type.Object({
  stream: Type.Optional(StreamModeSchema),
  since: Type.Optional(PositionSchema),
});

/** The query of a WebSocket. */
export const SocketQuerySchema = Type.Object({
  ...EventsQuerySchema.properties,
  client: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The id of the client: its commands are remembered by it and by their ids.",
    }),
  ),
});

export const ListQuerySchema = Type.Object({
  cwd: text("Only those of this folder."),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: listLimits.most, description: `Default: ${listLimits.default}.` })),
});

/** Headers with a meaning of their own, by name. */
export const HeaderSchemas = {
  "idempotency-key": Type.String({ minLength: 1, maxLength: 200, description: "A command with the same key runs once." }),
  "last-event-id": Type.String({ maxLength: 200, description: "The same as since, and takes precedence over it." }),
  traceparent: Type.String({ description: "The trace of a prompt, unless the command has the field: see W3C Trace Context." }),
  tracestate: Type.String({ description: "Further fields of that trace." }),
} as const;

/** A request's and the answers' data. */
export interface RouteSchemas {
  summary: string;
  params?: TObject;
  query?: TObject;
  /** Request headers that have a meaning of their own. */
  headers?: TObject;
  body?: { schema: TSchema; maxBytes: number };
  /** By status. A string is the type of an answer that is not JSON. */
  answers: Readonly<Record<number, { description: string; content?: TSchema | string; headers?: TObject }>>;
  errors: readonly HttpErrorCode[];
}

const id = Type.Object({ id: Type.String({ description: "The id of a session." }) });
const source = ["bad_request", "forbidden", "too_many", "headers_too_large", "timeout"] as const;
const guarded = [...source, "unauthorized"] as const;
const opening = [...guarded, "not_found", "conflict", "cannot_open", "closing", "unavailable", "internal"] as const;

/** A reference to a definition of the RPC protocol. */
const rpc = (name: string) => Type.Unsafe<Record<string, unknown>>({ $ref: name });

const healthRoute: RouteSchemas = {
  summary: "Whether the server works",
  answers: {
    200: { description: "It works.", content: health("ok") },
    503: { description: "It is ending.", content: health("closing") },
  },
  errors: source,
};

const readyRoute: RouteSchemas = {
  summary: "Whether the server takes new work: it is not ending, and the store of the sessions answers",
  answers: {
    200: { description: "It does.", content: Type.Object({ status: Type.Literal("ready") }) },
    503: { description: "It does not.", content: Type.Object({ status: literals(["draining", "store_unavailable"]) }) },
  },
  errors: source,
};

/** The answer for a session of another server. */
const elsewhere = {
  description: "The session is open in another server, to which the same request must be sent.",
  content: rpc("ErrorAnswer"),
  headers: Type.Object({
    location: Type.String({ description: "The address for the same request." }),
    "pi-session-server": Type.String({ description: "The address of that server." }),
  }),
};

export const routeSchemas: Readonly<Record<RouteName, RouteSchemas>> = {
  getHealth: healthRoute,
  getHealthShort: { ...healthRoute, summary: "The same as /v1/health" },
  getReady: readyRoute,
  getReadyShort: { ...readyRoute, summary: "The same as /v1/ready" },
  getMetrics: {
    summary: "The numbers of the server in the format of Prometheus",
    answers: { 200: { description: "The numbers.", content: "text/plain" } },
    errors: [...guarded, "internal"],
  },
  getOpenApi: {
    summary: "This document",
    answers: { 200: { description: "The document.", content: Type.Object({ openapi: Type.String() }) } },
    errors: source,
  },
  listSessions: {
    summary: "The stored and the live sessions within the roots, latest first",
    query: ListQuerySchema,
    answers: {
      200: { description: "The sessions.", content: Type.Object({ sessions: Type.Array(rpc("StoredSession")) }) },
    },
    errors: [...guarded, "unavailable", "internal"],
  },
  openSession: {
    summary: "Begin or open a session",
    body: { schema: rpc("SessionRequest"), maxBytes: maxOptionsBytes },
    answers: {
      200: { description: "It was live.", content: rpc("OpenedSession") },
      201: { description: "It was begun or opened.", content: rpc("OpenedSession") },
      307: elsewhere,
    },
    errors: [...opening, "too_large", "unsupported_media_type"],
  },
  getSession: {
    summary: "One session",
    params: id,
    answers: { 200: { description: "The session.", content: rpc("StoredSession") }, 307: elsewhere },
    errors: [...guarded, "not_found", "unavailable", "internal"],
  },
  sendCommand: {
    summary: "Run a command, or answer a question",
    params: id,
    headers: header("idempotency-key", "traceparent", "tracestate"),
    body: { schema: rpc("Incoming"), maxBytes: maxCommandBytes },
    answers: {
      200: {
        description: "The response to the command, also if it failed.",
        content: rpc("Response"),
        headers: Type.Object({
          "pi-position": Type.String({ description: "The frames up to this one came before the response." }),
        }),
      },
      204: { description: "The answer to a question was taken." },
      307: elsewhere,
    },
    errors: [...opening, "key_reused", "too_large", "unsupported_media_type"],
  },
  streamEvents: {
    summary: "The frames of a session as server-sent events",
    params: id,
    query: EventsQuerySchema,
    headers: header("last-event-id"),
    answers: { 200: { description: "Each data line is a ConnectionFrame.", content: "text/event-stream" }, 307: elsewhere },
    errors: opening,
  },
  openSocket: {
    summary: "A WebSocket: frames out, commands in",
    params: id,
    query: SocketQuerySchema,
    answers: {
      101: { description: "Each message out is a ConnectionFrame or a response; each message in is an Incoming." },
      307: elsewhere,
    },
    errors: opening,
  },
  getPage: pageRoute("The page", "text/html"),
  getPageScript: pageRoute("Its script", "text/javascript"),
  getPageStyle: pageRoute("Its style", "text/css"),
};

function header(...names: (keyof typeof HeaderSchemas)[]): TObject {
  return Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(HeaderSchemas[name])])));
}

function health(status: "ok" | "closing"): TSchema {
  return Type.Object({ status: Type.Literal(status), version: Type.String(), protocolVersion: Type.Integer() });
}

function pageRoute(summary: string, content: string): RouteSchemas {
  return { summary, answers: { 200: { description: "The file.", content } }, errors: [...source, "not_found", "internal"] };
}
