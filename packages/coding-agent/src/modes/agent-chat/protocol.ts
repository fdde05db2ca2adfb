import type { Static, TProperties, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { TodoStatusSchema } from "../../protocol/data.ts";
import { literals } from "../../protocol/literals.ts";
import { type RiskTier, riskTiers } from "../../risk-tiers.ts";

/** Most images of one message. */
const maxImages = 6;

function positiveInteger(description: string) {
  return Type.Optional(Type.Integer({ minimum: 1, description }));
}

const ImageSchema = Type.Object({
  media_type: literals(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data_base64: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "Base64, without a data URL prefix." }),
});

const ContextSchema = Type.Object({
  append: Type.Optional(Type.String({ description: "Added at the end of the system prompt." })),
});

const ConfigSchema = Type.Object({
  model: Type.Optional(Type.String({ minLength: 1, description: "`id` or `provider/id`." })),
  api_base: Type.Optional(
    Type.String({
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://.",
      description: "Base URL of an OpenAI-compatible endpoint, which is asked for `model`; that must be given then.",
    }),
  ),
  api_key: Type.Optional(Type.String({ minLength: 1, description: "For `api_base`, or else for the provider of the model." })),
  workspace: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Folder to work in, which must exist. Chats of different folders are kept apart. Default: the process's.",
    }),
  ),
  max_iterations: positiveInteger("Model calls of one chat until you are asked. Default 50."),
  max_tool_calls_per_task: positiveInteger("Tool calls of one chat until you are asked. Default: no limit."),
  max_consecutive_failures: positiveInteger("Tool calls that may fail one after another until you are asked. Default 5."),
  enable_task_planning: Type.Optional(Type.Boolean({ description: "Whether the agent has the `todo` tool. Default true." })),
});

function request<P extends TProperties>(description: string, params: P) {
  return Type.Object(params, { description });
}

/** What a client sends, by `method`; each schema is that of `params`. Validation, types, JSON Schema and reference are made from this. */
export const requests = {
  agent_chat: request("Sends a message. Answered with events up to `done`, or an `error` in its place.", {
    message: Type.String({ description: "May be empty where there are images." }),
    session_key: Type.Optional(
      Type.String({ maxLength: 256, description: 'Names the conversation to go on with, any text. Default "default".' }),
    ),
    images: Type.Optional(Type.Array(ImageSchema, { maxItems: maxImages, description: "Shown to the model with the message." })),
    context: Type.Optional(ContextSchema),
    skill_dirs: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: "Folders with skills, absolute or in the workspace." }),
    ),
    config: Type.Optional(ConfigSchema),
  }),
  confirm: request("Answers a `confirmation_request`. Passed over when none is open.", {
    approved: Type.Boolean({ description: "Whether the call may run." }),
  }),
  clarify: request("Answers a `clarification_request`. Passed over when none is open.", {
    action: literals(["continue", "stop"]),
    hint: Type.Optional(Type.String({ description: "With `continue`: a message of the user that the agent reads next." })),
  }),
  ping: request("Asks for a `pong`, at any time.", {}),
} as const;

const tokenCounts = {
  prompt_tokens: Type.Number({ description: "Cached ones included." }),
  completion_tokens: Type.Number(),
  total_tokens: Type.Number(),
};
const taskNumber = Type.Integer({ minimum: 1, description: "Its place in the list, from 1." });
const TaskSchema = Type.Object({
  id: taskNumber,
  description: Type.String(),
  completed: Type.Boolean(),
  status: TodoStatusSchema,
});
const TasksSchema = Type.Array(TaskSchema, { description: "The whole list." });
const callFields = {
  tool_call_id: Type.String({ description: "The same in call and result." }),
  name: Type.String({ description: "Of the tool." }),
};
const port = Type.Integer({ description: "On 127.0.0.1." });

function event<P extends TProperties>(description: string, data: P) {
  return Type.Object(data, { description });
}

/** What is told, by `event`; each schema is that of `data`. */
export const events = {
  text_chunk: event("A piece of an answer, as it streams.", { text: Type.String() }),
  text: event("The whole text of an answer, behind its pieces.", { text: Type.String() }),
  tool_call: event("The agent wants a tool to run. Whether it may is decided next.", {
    ...callFields,
    arguments: Type.String({ description: "A JSON object as text." }),
  }),
  tool_result: event("What a tool gave, or why it failed or was not run.", {
    ...callFields,
    result: Type.String({ description: "As the model reads it; images are only named." }),
    is_error: Type.Boolean(),
  }),
  command_started: event("A shell command runs.", { command: Type.String() }),
  command_output: event("A line that the command has written.", {
    stream: literals(["stdout", "stderr"]),
    chunk: Type.String({ description: "Without the line's end and without escape sequences; a line over 64 KiB comes in pieces." }),
  }),
  command_finished: event("The command has ended.", {
    success: Type.Boolean({ description: "Whether the exit code is 0." }),
    exit_code: Type.Union([Type.Integer(), Type.Null()], { description: "null when it was killed." }),
    duration_ms: Type.Integer(),
  }),
  preview_started: event("A folder is about to be served.", { path: Type.String(), port }),
  preview_ready: event("The folder is served.", { url: Type.String(), port }),
  preview_failed: event("The folder cannot be served.", { message: Type.String() }),
  preview_stopped: event("The folder is not served any more. May come between chats.", { reason: Type.String() }),
  swarm_started: event("A sub-task was given to another agent in this process.", { description: Type.String() }),
  swarm_progress: event("What that agent does now.", { status: Type.String() }),
  swarm_finished: event("The sub-task is done.", { summary: Type.String({ description: "The answer." }) }),
  swarm_failed: event("The sub-task is not done.", { message: Type.String() }),
  task_plan: event("The agent has set its list of tasks, or changed what is on it.", { tasks: TasksSchema }),
  task_progress: event("A task of the list has another status. When very many have at once, there is one `task_plan` instead.", {
    task_id: taskNumber,
    completed: Type.Boolean(),
    tasks: TasksSchema,
  }),
  llm_usage: event("The tokens of a model call; of a sub-task, the sum of its calls.", tokenCounts),
  confirmation_request: event(
    "Something needs a yes before it happens. Waits for `confirm`, where a call is meant at most 10 minutes.",
    {
      prompt: Type.String({ description: "What will run, and why that is asked." }),
      risk_tier: Type.Optional(
        Type.Unsafe<RiskTier>(
          Type.Union(
            riskTiers.map((tier) => Type.Literal(tier)),
            { description: "How far the call reaches; absent where something else is asked." },
          ),
        ),
      ),
    },
  ),
  clarification_request: event("The agent is stuck, or at a limit. Waits for `clarify`.", {
    reason: literals(["no_progress", "too_many_failures", "max_iterations", "max_tool_calls"]),
    message: Type.String(),
    suggestions: Type.Array(Type.String()),
  }),
  done: event("The chat is over.", {
    task_id: Type.String({ description: "A UUID of this chat." }),
    response: Type.String({ description: "The text of the last answer that has one." }),
    task_completed: Type.Boolean({ description: "Whether the agent came to an end by itself." }),
    tool_calls: Type.Integer({ description: "How many there were." }),
    new_skill: Type.Null({ description: "Nothing here makes skills." }),
    completion_type: literals(["success", "partial_success", "failure"]),
    llm_usage: Type.Object(tokenCounts, { description: "Of all model calls of the chat." }),
  }),
  error: event("Something cannot be done.", {
    message: Type.String(),
    code: literals(["parse", "bad_request", "busy", "provider", "internal"]),
    ends_chat: Type.Boolean({ description: "Whether a chat that was going is over, and no `done` follows." }),
  }),
  pong: event("The answer to `ping`.", {}),
} as const;

export type RequestName = keyof typeof requests;
export type Params<N extends RequestName> = Static<(typeof requests)[N]>;
export type ChatParams = Params<"agent_chat">;
export type EventName = keyof typeof events;
export type EventData<N extends EventName> = Static<(typeof events)[N]>;
/** One line of output. */
export type ChatEvent = { [N in EventName]: { event: N; data: EventData<N> } }[EventName];
export type ErrorCode = EventData<"error">["code"];
export type TokenCounts = EventData<"llm_usage">;
export type Task = Static<typeof TaskSchema>;

/** Whether it is a method; names that objects inherit are none. */
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
  // TypeBox keeps notes of its own under symbols, which JSON leaves out.
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}

/** What a client may send in the place of an optional field. */
function acceptNulls(schema: TSchema): TSchema {
  if (schema.type === "array") return { ...schema, items: acceptNulls(schema.items as TSchema) };
  if (schema.type !== "object") return schema;
  const properties = Object.entries(schema.properties as TProperties).map(([name, property]) => {
    const inner = acceptNulls(property);
    return [name, schema.required?.includes(name) ? inner : { anyOf: [inner, { type: "null" }] }];
  });
  return { ...schema, properties: Object.fromEntries(properties) as TProperties };
}
