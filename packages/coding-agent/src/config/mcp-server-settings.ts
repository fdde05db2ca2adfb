import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

/** An entry of `mcpServers` in the settings: a program to start, or a URL. */
export const McpServerSchema = Type.Object({
  type: Type.Optional(Type.String({ description: "stdio or http. Not needed: command or url says it." })),
  command: Type.Optional(Type.String({ description: "The program of a server that is started here; no shell reads it." })),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "Added to its environment. $NAME stands for a variable of yours." }),
  ),
  cwd: Type.Optional(Type.String({ description: "Where it works. Default, and what it is relative to: the session's folder." })),
  url: Type.Optional(Type.String({ description: "The address of a server that speaks streamable HTTP." })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "Sent with each request. $NAME stands for a variable of yours." }),
  ),
  tools: Type.Optional(Type.Array(Type.String(), { description: "The tools to offer. Default: all." })),
  startTimeoutSeconds: Type.Optional(Type.Number({ minimum: 0, description: "Until it must be ready. Default: 30." })),
  timeoutSeconds: Type.Optional(
    Type.Number({ minimum: 0, description: "Until a call must have its result; progress begins it anew. Default: 300." }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: "Whether to leave it alone. Default: false." })),
});

export type McpServerConfig = Static<typeof McpServerSchema>;
