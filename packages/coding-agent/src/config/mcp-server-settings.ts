import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

/** An entry of `mcpServers` in the settings: a program to start, or a URL. */
export const McpServerSchema = Type.Object({
  type: Type.Optional(Type.String({ description: "stdio or http. Not needed: command or url determines it." })),
  command: Type.Optional(Type.String({ description: "The program of a local server. It is started without a shell." })),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Added to its environment. $NAME stands for your environment variable.",
    }),
  ),
  cwd: Type.Optional(
    Type.String({ description: "Its working folder, relative to the session's folder. Default: the session's folder." }),
  ),
  url: Type.Optional(Type.String({ description: "The URL of a server with the streamable HTTP transport." })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: "Sent with each request. $NAME stands for your environment variable.",
    }),
  ),
  tools: Type.Optional(Type.Array(Type.String(), { description: "The tools to offer. Default: all." })),
  startTimeoutSeconds: Type.Optional(
    Type.Number({ minimum: 0, description: "Time limit of the start, in seconds; 0: none. Default: 30." }),
  ),
  timeoutSeconds: Type.Optional(
    Type.Number({
      minimum: 0,
      description: "Time limit of a call, in seconds; 0: none. A progress message restarts it. Default: 300.",
    }),
  ),
  sandbox: Type.Optional(
    Type.Boolean({
      description:
        "false: a local server of the user's settings or of the host runs without the sandbox that commands have. Default: true.",
    }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: "Whether the server is not used. Default: false." })),
});

export type McpServerConfig = Static<typeof McpServerSchema>;
