import type { Static, TProperties } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import {
  HostModelCallSchema,
  HostModelCancelSchema,
  HostModelErrorSchema,
  HostModelEventSchema,
  HostModelResultSchema,
} from "./host-models.ts";
import { literals } from "./literals.ts";
import { ImageContentSchema, TextContentSchema, ToolDisplaySchema } from "./messages.ts";

/** The response to a command: exactly one per command. `id` is the command's id, with type and value unchanged. */
export const ResponseSchema = Type.Union([
  Type.Object({
    id: Type.Optional(Type.Unknown()),
    type: Type.Literal("response"),
    command: Type.String(),
    success: Type.Literal(true),
    data: Type.Optional(Type.Unknown()),
  }),
  Type.Object({
    id: Type.Optional(Type.Unknown()),
    type: Type.Literal("response"),
    command: Type.String(),
    success: Type.Literal(false),
    error: Type.String(),
  }),
]);
export type RpcResponse = Static<typeof ResponseSchema>;

/** The first line of JSON mode, and of every session file. */
export const SessionHeaderSchema = Type.Object({
  type: Type.Literal("session"),
  version: Type.Literal(3),
  id: Type.String(),
  timestamp: Type.String({ description: "ISO 8601." }),
  cwd: Type.String(),
  parentSession: Type.Optional(Type.String()),
});
export type SessionHeader = Static<typeof SessionHeaderSchema>;

/** The first line, unless `--no-ready` is set. */
export const ReadySchema = Type.Object({
  type: Type.Literal("ready"),
  protocolVersion: Type.Literal(1),
  version: Type.String({ description: "Of pi." }),
});

function uiRequest<const M extends string, P extends TProperties>(method: M, fields: P) {
  return Type.Object({ type: Type.Literal("extension_ui_request"), id: Type.String(), method: Type.Literal(method), ...fields });
}

const title = { title: Type.String() };
const timeout = {
  timeout: Type.Optional(
    Type.Number({ description: "Milliseconds until the dialog resolves to its default. Absent: no timeout." }),
  ),
};

/** The tool call that a `confirm` asks about, if it needs an approval. */
export const ApprovalSchema = Type.Object({
  toolCallId: Type.Optional(Type.String({ description: "As in the events about the call. Absent for a call of a sub-task." })),
  reasons: Type.String({ description: "Why it is asked, one reason per line; empty if there are none." }),
  call: Type.String({ description: "The whole command, diff or arguments." }),
  isDiff: Type.Boolean({ description: "Whether `call` is a diff, with lines that begin with `+`, `-` or a space." }),
  answers: Type.Array(Type.String(), {
    description:
      "The answers that may be sent as `value` in place of `confirmed`: `once` and `no`; `session` and `never` also for similar calls of this session; `always` and `forbid` also in later sessions. More may follow.",
  }),
  rule: Type.Optional(Type.String({ description: "The rule that all answers but `once` and `no` make: similar calls." })),
  ruleFile: Type.Optional(Type.String({ description: "The file to which `always` and `forbid` write the rule." })),
});

/** A request to the user interface. The dialogs `select`, `confirm`, `input` and `editor` wait for a response; the other methods do not. */
export const UiRequestSchema = Type.Union([
  uiRequest("select", { ...title, options: Type.Array(Type.String()), ...timeout }),
  uiRequest("confirm", { ...title, message: Type.String(), approval: Type.Optional(ApprovalSchema), ...timeout }),
  uiRequest("input", { ...title, placeholder: Type.Optional(Type.String()), ...timeout }),
  uiRequest("editor", { ...title, prefill: Type.Optional(Type.String()), ...timeout }),
  uiRequest("notify", { message: Type.String(), notifyType: Type.Optional(literals(["info", "warning", "error"])) }),
  uiRequest("setStatus", { statusKey: Type.String(), statusText: Type.Optional(Type.String()) }),
  uiRequest("setWidget", {
    widgetKey: Type.String(),
    widgetLines: Type.Optional(Type.Array(Type.String())),
    widgetPlacement: Type.Optional(literals(["aboveEditor", "belowEditor"])),
  }),
  uiRequest("setTitle", title),
  uiRequest("set_editor_text", { text: Type.String() }),
]);
export type UiRequest = Static<typeof UiRequestSchema>;

/** The response to a dialog: `confirmed` for `confirm`, or `value` for one of its answers; `value` for the others, `cancelled` for all. */
export const UiResponseSchema = Type.Object({
  type: Type.Literal("extension_ui_response"),
  id: Type.String(),
  value: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String({ description: "The user's reason for a no, for the model." })),
  confirmed: Type.Optional(Type.Boolean()),
  cancelled: Type.Optional(Type.Boolean()),
});
export type UiResponse = Static<typeof UiResponseSchema>;

/** The definition of a host tool in `set_host_tools`. */
export const HostToolSchema = Type.Object({
  name: Type.String(),
  label: Type.Optional(Type.String()),
  description: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema of the arguments." }),
  timeoutMs: Type.Optional(Type.Number({ minimum: 1, description: "Milliseconds until a call is cancelled. Absent: no timeout." })),
});
export type HostTool = Static<typeof HostToolSchema>;

/** The result of a host tool. */
export const HostToolOutputSchema = Type.Object({
  content: Type.Array(Type.Union([TextContentSchema, ImageContentSchema])),
  details: Type.Optional(Type.Unknown()),
  display: Type.Optional(ToolDisplaySchema),
});
export type HostToolOutput = Static<typeof HostToolOutputSchema>;

/** Tells the host to run one of its tools. */
export const HostToolCallSchema = Type.Object({
  type: Type.Literal("host_tool_call"),
  id: Type.String({ description: "Of this frame; the client's answers repeat it." }),
  toolCallId: Type.String(),
  toolName: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
});
export type HostToolCall = Static<typeof HostToolCallSchema>;

/** Tells the host to stop a call; a later result is ignored. */
export const HostToolCancelSchema = Type.Object({
  type: Type.Literal("host_tool_cancel"),
  id: Type.String(),
  targetId: Type.String({ description: "The `id` of the call." }),
});
export type HostToolCancel = Static<typeof HostToolCancelSchema>;

/** The partial result of a call. */
export const HostToolUpdateSchema = Type.Object({
  type: Type.Literal("host_tool_update"),
  id: Type.String(),
  partialResult: HostToolOutputSchema,
});

/** The result of a call; ends it. */
export const HostToolResultSchema = Type.Object({
  type: Type.Literal("host_tool_result"),
  id: Type.String(),
  result: HostToolOutputSchema,
  isError: Type.Optional(Type.Boolean()),
});

/** In deltas mode: more output of a `bash` command that is running. */
export const BashUpdateSchema = Type.Object({
  type: Type.Literal("bash_execution_update"),
  id: Type.Optional(Type.Unknown({ description: "The `id` of the command." })),
  delta: Type.String(),
});
export type BashUpdate = Static<typeof BashUpdateSchema>;

/** The end of a prompt, for clients that wait for it by the `id` of their command. */
export const PromptResultSchema = Type.Object({
  type: Type.Literal("prompt_result"),
  id: Type.Unknown({ description: "The `id` of the command." }),
  agentInvoked: Type.Boolean({ description: "False if the model was not called, as for a command of an extension." }),
  status: literals(["completed", "aborted", "error"]),
  error: Type.Optional(
    Type.Object(
      {
        message: Type.String(),
        provider: Type.String(),
        model: Type.String(),
        retryable: Type.Boolean({ description: "Whether retries had been made, so that a later prompt may succeed." }),
      },
      { description: "Only with the status `error`." },
    ),
  ),
  sessionSettled: Type.Boolean({ description: "Whether nothing runs. Otherwise a `session_settled` follows." }),
});
export type PromptResult = Static<typeof PromptResultSchema>;

/** Nothing runs, and nothing will start by itself. */
export const SessionSettledSchema = Type.Object({ type: Type.Literal("session_settled") });

/** Frames of a client; they get no response. */
export const incomingFrames = {
  extension_ui_response: UiResponseSchema,
  host_tool_update: HostToolUpdateSchema,
  host_tool_result: HostToolResultSchema,
  host_model_event: HostModelEventSchema,
  host_model_result: HostModelResultSchema,
  host_model_error: HostModelErrorSchema,
} as const;

/** Frames of pi, in addition to responses and events. */
export const outgoingFrames = {
  ready: ReadySchema,
  bash_execution_update: BashUpdateSchema,
  extension_ui_request: UiRequestSchema,
  host_tool_call: HostToolCallSchema,
  host_tool_cancel: HostToolCancelSchema,
  host_model_call: HostModelCallSchema,
  host_model_cancel: HostModelCancelSchema,
  prompt_result: PromptResultSchema,
  session_settled: SessionSettledSchema,
} as const;
