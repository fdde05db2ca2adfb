import type { ImageContent } from "@pikit/ai";
import { anthropic } from "@pikit/test-kit";
import * as Type from "@sinclair/typebox";
import { expect, test } from "vitest";
import { serveModels } from "./helpers/endpoints.ts";
import { openSession } from "./helpers/sessions.ts";
import { useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

const none: ImageContent = { type: "image", data: Buffer.from("not an image").toString("base64"), mimeType: "image/png" };
const note = "[An image was here, but its data is not a PNG, JPEG, GIF or WebP image.]";

test("B9 what a tool gives for an image becomes a text that says so, and the session goes on", async () => {
  const server = await serveModels(workspace);
  server.respond(anthropic.toolCall("look"), anthropic.text("I see."), anthropic.text("Fine."));
  const content = [
    none,
    { type: "image" },
    { type: "text" },
    { type: "video", data: "AAAA" },
    null,
    { type: "text", text: "seen" },
  ];
  const look = {
    ...{ name: "look", label: "Look", description: "Looks", parameters: Type.Object({}) },
    execute: async () => ({ content: content as never, details: null }),
  };
  const { session, events } = await openSession(workspace, { model: "local-anthropic/claude", customTools: [look], tools: [] });
  await session.prompt("Look");
  const neither = { type: "text", text: "[Something was here that is neither text nor an image.]" };
  const expected = [
    { type: "text", text: note },
    { type: "text", text: "[An image was here, but it has no data.]" },
    ...[neither, neither, neither],
    { type: "text", text: "seen" },
  ];
  const end = events.find(({ type }) => type === "tool_execution_end");
  expect(end).toMatchObject({ isError: false, result: { content: expected } });
  expect(session.messages.find(({ role }) => role === "toolResult")).toMatchObject({ content: expected });
  await session.prompt("Go on");
  expect(session.lastAssistantText()).toBe("Fine.");
});

test("B9 a session that holds such images, or blocks of no known kind, sends a text in their place", async () => {
  const header = { type: "session", version: 3, id: "11111111-1111-4111-8111-111111111111", timestamp: "2026-01-01T00:00:00.000Z" };
  const content = [
    { type: "text", text: "See" },
    none,
    { type: "video" },
    { ...none, data: "iVBORw0KGgo=", mimeType: "image/gif" },
  ];
  const entry = { type: "message", id: "00000001", parentId: null, timestamp: header.timestamp };
  const lines = [
    { ...header, cwd: workspace.cwd },
    { ...entry, message: { role: "user", content, timestamp: 1 } },
  ];
  const path = await workspace.write("agent/old.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const server = await serveModels(workspace);
  server.respond(anthropic.text("Fine."));
  const model = { id: "claude", name: "Claude", api: "anthropic-messages", provider: "local-anthropic", baseUrl: server.url };
  const limits = { reasoning: false, contextWindow: 0, maxTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  const { session } = await openSession(workspace, {
    model: { ...model, ...limits, input: ["text", "image"] },
    session: { path },
    apiKey: "sk-test",
    tools: [],
  });
  await session.prompt("Go on");
  expect(session.lastAssistantText()).toBe("Fine.");
  expect((await server.nextRequest()).body).toMatchObject({
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "text", text: note },
          { type: "image", source: { media_type: "image/png", data: "iVBORw0KGgo=" } },
          { type: "text", text: "Go on" },
        ],
      },
    ],
  });
});
