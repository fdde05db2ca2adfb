import { type Static, Type } from "@sinclair/typebox";

/** The answer to a command: exactly one for each. `id` is the command's own, with type and value unchanged. */
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
