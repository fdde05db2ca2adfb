import type { Static, TProperties, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { TodoStatusSchema } from "../../protocol/data.ts";
import { literals } from "../../protocol/literals.ts";
import { type RiskTier, riskTiers } from "../../risk-tiers.ts";

/** Maximum number of images in one message. */
const maxImages = 6;

function positiveInteger(description: string) {
  return Type.Optional(Type.Integer({ minimum: 1, description }));
}

const ImageSchema = Type.Object({
  media_type: literals(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data_base64: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "Base64, without a data URL prefix." }),
});

const ContextSchema = Type.Object({
  append: Type.Optional(Type.String({ description: "Text to append to the system prompt." })),
});

const ConfigSchema = Type.Object({
  model: Type.Optional(Type.String({ minLength: 1, description: "`id` or `provider/id`." })),
  api_base: Type.Optional(
    Type.String({
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://.",
      description: "Base URL of an OpenAI-compatible endpoint for `model`, which is then required.",
    }),
  ),
  api_key: Type.Optional(
    Type.String({ minLength: 1, description: "API key for `api_base` if given, otherwise for the provider of the model." }),
  ),
  workspace: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Working folder; must exist. Each folder has its own conversations. Default: that of the process.",
    }),
  ),
  max_iterations: positiveInteger("Model calls of one chat before a `clarification_request`. Default 50."),
  max_tool_calls_per_task: positiveInteger("Tool calls of one chat before a `clarification_request`. Default: no limit."),
  max_consecutive_failures: positiveInteger("Failed tool calls in a row before a `clarification_request`. Default 5."),
  enable_task_planning: Type.Optional(Type.Boolean({ description: "Whether the agent has the `todo` tool. Default true." })),
});

function request<P extends TProperties>(description: string, params: P) {
  return Type.Object(params, { description });
}

/** The schemas of `params`, by `method`. Validation, types, the JSON Schema and the reference in the docs are generated from this table. */
export const requests = {
  agent_chat: request("Sends a message. Events follow, up to `done` or an `error` that replaces it.", {
    message: Type.String({ description: "May be empty if there are images." }),
    session_key: Type.Optional(
      Type.String({ maxLength: 256, description: 'The name of the conversation to continue; any text. Default "default".' }),
    ),
    images: Type.Optional(Type.Array(ImageSchema, { maxItems: maxImages, description: "Sent to the model with the message." })),
    context: Type.Optional(ContextSchema),
    skill_dirs: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Folders with skills: absolute paths, or relative to the workspace.",
      }),
    ),
    config: Type.Optional(ConfigSchema),
  }),
  confirm: request("Answers a `confirmation_request`. Ignored if none is open.", {
    approved: Type.Boolean({ description: "Whether the call may run." }),
  }),
  clarify: request("Answers a `clarification_request`. Ignored if none is open.", {
    action: literals(["continue", "stop"]),
    hint: Type.Optional(Type.String({ description: "With `continue`: a user message that the agent reads next." })),
  }),
  ping: request("Requests a `pong`; allowed at any time.", {}),
} as const;

const tokenCounts = {
  prompt_tokens: Type.Number({ description: "Includes cached tokens." }),
  completion_tokens: Type.Number(),
  total_tokens: Type.Number(),
};
const taskNumber = Type.Integer({ minimum: 1, description: "The position of the task in the list, from 1." });
const TaskSchema = Type.Object({
  id: taskNumber,
  description: Type.String(),
  completed: Type.Boolean(),
  status: TodoStatusSchema,
});
const TasksSchema = Type.Array(TaskSchema, { description: "The whole list." });
const callFields = {
  tool_call_id: Type.String({ description: "The same in the call and its result." }),
  name: Type.String({ description: "The name of the tool." }),
};
const port = Type.Integer({ description: "On 127.0.0.1." });

function event<P extends TProperties>(description: string, data: P) {
  return Type.Object(data, { description });
}

/** The schemas of `data`, by `event`. */
export const events = {
  text_chunk: event("A chunk of an answer, while it streams.", { text: Type.String() }),
  text: event("The whole text of an answer, after its chunks.", { text: Type.String() }),
  tool_call: event("The model calls a tool. Whether the call may run is decided next.", {
    ...callFields,
    arguments: Type.String({ description: "A JSON object as text." }),
  }),
  tool_result: event("The result of a tool call, or the reason why it failed or did not run.", {
    ...callFields,
    result: Type.String({ description: "The text that the model reads; images are only mentioned." }),
    is_error: Type.Boolean(),
  }),
  command_started: event("A shell command has started.", { command: Type.String() }),
  command_output: event("A line of the command's output.", {
    stream: literals(["stdout", "stderr"]),
    chunk: Type.String({
      description: "Without line end and escape sequences; a line over 64 Ki characters comes in several chunks.",
    }),
  }),
  command_finished: event("The command has ended.", {
    success: Type.Boolean({ description: "Whether the exit code is 0." }),
    exit_code: Type.Union([Type.Integer(), Type.Null()], { description: "null if the command was killed." }),
    duration_ms: Type.Integer(),
  }),
  preview_started: event("The server of a folder is starting.", { path: Type.String(), port }),
  preview_ready: event("The folder is served.", { url: Type.String(), port }),
  preview_failed: event("The folder cannot be served.", { message: Type.String() }),
  preview_stopped: event("The folder is no longer served. May also come between chats.", { reason: Type.String() }),
  swarm_started: event("Another agent in this process has started a sub-task.", { description: Type.String() }),
  swarm_progress: event("The current work of that agent.", { status: Type.String() }),
  swarm_finished: event("The sub-task is done.", { summary: Type.String({ description: "The answer." }) }),
  swarm_failed: event("The sub-task has failed.", { message: Type.String() }),
  task_plan: event("The agent has set or changed its list of tasks.", { tasks: TasksSchema }),
  task_progress: event("The status of a task has changed. If very many change at once, one `task_plan` comes instead.", {
    task_id: taskNumber,
    completed: Type.Boolean(),
    tasks: TasksSchema,
  }),
  llm_usage: event("The tokens of a model call; of a sub-task, the sum of its calls.", tokenCounts),
  confirmation_request: event("An action needs an approval. Waits for `confirm`; for a tool call at most 10 minutes.", {
    prompt: Type.String({ description: "The action, and the reason for the question." }),
    risk_tier: Type.Optional(
      Type.Unsafe<RiskTier>(
        Type.Union(
          riskTiers.map((tier) => Type.Literal(tier)),
          { description: "The risk tier of the call; absent if the question is not about a call." },
        ),
      ),
    ),
  }),
  clarification_request: event("The agent makes no progress or has reached a limit. Waits for `clarify`.", {
    reason: literals(["no_progress", "too_many_failures", "max_iterations", "max_tool_calls"]),
    message: Type.String(),
    suggestions: Type.Array(Type.String()),
  }),
  done: event("The chat is over.", {
    task_id: Type.String({ description: "A UUID of this chat." }),
    response: Type.String({ description: "The text of the last answer with text." }),
    task_completed: Type.Boolean({ description: "Whether the agent finished by itself, without an abort or a limit." }),
    tool_calls: Type.Integer({ description: "The number of tool calls." }),
    new_skill: Type.Null({ description: "Always null: this agent does not create skills." }),
    completion_type: literals(["success", "partial_success", "failure"]),
    llm_usage: Type.Object(tokenCounts, { description: "The sum of all model calls of the chat." }),
  }),
  error: event("A request or a part of the work has failed.", {
    message: Type.String(),
    code: literals(["parse", "bad_request", "busy", "provider", "internal"]),
    ends_chat: Type.Boolean({ description: "Whether this ends the running chat; no `done` follows then." }),
  }),
  pong: event("The answer to `ping`.", {}),
} as const;

export type RequestName = keyof typeof requests;
export type Params<N extends RequestName> = Static<(typeof requests)[N]>;
export type ChatParams = Params<"agent_chat">;
export type EventName = keyof typeof events;
export type EventData<N extends EventName> = Static<(typeof events)[N]>;
/** A line of output. */
export type ChatEvent = { [N in EventName]: { event: N; data: EventData<N> } }[EventName];
export type ErrorCode = EventData<"error">["code"];
export type TokenCounts = EventData<"llm_usage">;
export type Task = Static<typeof TaskSchema>;

/** Whether `name` is a method. Names that every object inherits, such as `toString`, are not. */
export function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requests, name);
}

/** The protocol as one JSON Schema (draft 2020-12): `$defs/request` is a line of input, `$defs/event` a line of output. */
export function agentChatSchema(): Record<string, unknown> {
  const requestLines = Object.entries(requests).map(([method, params]) => {
    const fields = { method: Type.Literal(method), params: params.required ? params : Type.Optional(params) };
    return acceptNulls(Type.Object(fields, { description: params.description ?? "" }));
  });
  const eventLines = Object.entries(events).map(([name, data]) =>
    Type.Object({ event: Type.Literal(name), data }, { description: data.description ?? "" }),
  );
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "agent_chat",
    description: "JSON lines of pi agent-rpc: requests on stdin, events on stdout.",
    anyOf: [{ $ref: "#/$defs/request" }, { $ref: "#/$defs/event" }],
    $defs: { request: { anyOf: requestLines }, event: { anyOf: eventLines } },
  };
  // The round trip removes TypeBox's symbol keys.
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}

/** Allows null for each optional field, at all depths. */
function acceptNulls(schema: TSchema): TSchema {
  if (schema.type === "array") return { ...schema, items: acceptNulls(schema.items as TSchema) };
  if (schema.type !== "object") return schema;
  const properties = Object.entries(schema.properties as TProperties).map(([name, property]) => {
    const inner = acceptNulls(property);
    return [name, schema.required?.includes(name) ? inner : { anyOf: [inner, { type: "null" }] }];
  });
  return { ...schema, properties: Object.fromEntries(properties) as TProperties };
}
