import type { Static, TObject, TProperties } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

const text = Type.String();
const optionalText = Type.Optional(text);
const session = { sessionId: text };
const pairs = Type.Array(Type.Object({ name: text, value: text }));

/** An MCP server that the client names: a program, or an address. */
const McpServerSchema = Type.Union([
  Type.Object({ type: Type.Literal("http"), name: text, url: text, headers: Type.Optional(pairs) }),
  Type.Object({ type: Type.Literal("sse"), name: text, url: text }),
  Type.Object({ name: text, command: text, args: Type.Optional(Type.Array(text)), env: Type.Optional(pairs) }),
]);

/** A part of a prompt. `resource` is the content of a file, `resource_link` only its address. */
const ContentSchema = Type.Union([
  Type.Object({ type: Type.Literal("text"), text }),
  Type.Object({ type: Type.Literal("image"), data: text, mimeType: text }),
  Type.Object({ type: Type.Literal("audio"), mimeType: text }),
  Type.Object({ type: Type.Literal("resource_link"), uri: text, name: optionalText }),
  Type.Object({
    type: Type.Literal("resource"),
    resource: Type.Object({ uri: text, mimeType: optionalText, text: optionalText, blob: optionalText }),
  }),
]);

const place = { cwd: text, mcpServers: Type.Optional(Type.Array(McpServerSchema)) };
function method<P extends TProperties>(params: P): TObject<P> {
  return Type.Object(params);
}

/** The parameters of every request of the client, except `initialize`. A field that is not listed is ignored. */
export const methods = {
  authenticate: method({ methodId: text }),
  "session/new": method(place),
  "session/load": method({ ...session, ...place }),
  "session/resume": method({ ...session, ...place }),
  "session/fork": method({ ...session, ...place }),
  "session/list": method({ cwd: optionalText, cursor: optionalText }),
  "session/close": method(session),
  "session/delete": method(session),
  "session/prompt": method({ ...session, prompt: Type.Array(ContentSchema), _meta: Type.Optional(Type.Unknown()) }),
  "session/set_mode": method({ ...session, modeId: text }),
  "session/set_config_option": method({ ...session, configId: text, value: Type.Union([text, Type.Boolean()]) }),
  "session/set_model": method({ ...session, modelId: text }),
} as const;

export type MethodName = keyof typeof methods;
export type MethodParams<N extends MethodName> = Static<(typeof methods)[N]>;

/** The capabilities of the client that pi uses. */
export interface ClientCapabilities {
  fs?: { readTextFile: boolean; writeTextFile: boolean };
  terminal?: boolean;
  auth?: { terminal: boolean };
  session?: { compaction?: object; notices?: object };
  elicitation?: { form?: object };
}

export type McpServer = Static<typeof McpServerSchema>;
export type PromptPart = Static<typeof ContentSchema>;

/** Whether `name` is a method. Names that every object inherits, such as `toString`, are not. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}
