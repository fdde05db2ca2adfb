import { readFile } from "node:fs/promises";
import type {
  AgentEvent,
  AgentMessage,
  AgentToolResult,
  AppMessage,
  Attachment,
  CustomMessages,
  KeptAttachment,
  UserMessageWithAttachments,
} from "@pikit/agent";
import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  ImageContent,
  Message,
  Model,
  StopReason,
  TextContent,
  ThinkingContent,
  ThinkingLevel,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "@pikit/ai";
import type {
  AgentSession,
  AgentSessionEvent,
  BashExecutionMessage,
  RpcModeOptions,
  runRpcMode,
  WireModel,
} from "@pikit/coding-agent";
import type { RpcResponse } from "@pikit/coding-agent/protocol";
import { expect, test } from "vitest";

/** A name that is not exported does not compile. */
type _Names = [
  ...[
    AgentEvent,
    AgentMessage,
    AgentToolResult,
    AppMessage,
    Attachment,
    CustomMessages,
    KeptAttachment,
    UserMessageWithAttachments,
  ],
  ...[Api, AssistantMessage, AssistantMessageEvent, ImageContent, Message, Model, StopReason, TextContent, ThinkingContent],
  ...[ThinkingLevel, ToolCall, ToolResultMessage, Usage, UserMessage],
  ...[AgentSession, AgentSessionEvent, BashExecutionMessage, RpcModeOptions, typeof runRpcMode, WireModel, RpcResponse],
];

test("every name of docs/type-names.md is exported by the package that it is said to be in", async () => {
  const page = await readFile(new URL("../../../../docs/type-names.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| .* \| (.*) \| `(@pikit\/.*)` \|$/gm)];
  const promised = rows
    .filter(([, , from]) => from !== "@pikit/rpc-client")
    .flatMap(([, names = "", from]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${from} ${name}`));
  const source = await readFile(new URL(import.meta.url), "utf8");
  const imports = [...source.matchAll(/^import type \{(.*?)\} from "(@pikit[^"]*)";$/gms)];
  const imported = imports.flatMap(([, names = "", from]) => (names.match(/\w+/g) ?? []).map((name) => `${from} ${name}`));
  expect(promised.sort()).toEqual(imported.sort());
});
