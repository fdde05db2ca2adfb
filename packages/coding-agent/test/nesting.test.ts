import { readFile } from "node:fs/promises";
import { createScriptedModel, isTooDeep } from "@pikit/ai";
import { anthropic } from "@pikit/test-kit";
import * as Type from "@sinclair/typebox";
import { expect, test } from "vitest";
import { serveModels } from "./helpers/endpoints.ts";
import { createScriptedSession, openSession } from "./helpers/sessions.ts";
import { readLines, useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

/** JSON text, since it may be deeper than the built-in function can write. */
const deepText = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const deep = (levels: number) => JSON.parse(deepText(levels)) as Record<string, unknown>;
const leftOut = "nested more than 100 levels deep";

test("AI-039 arguments nested 4,000 deep are an error result, and every later prompt works, also when the session is opened again", async () => {
  const server = await serveModels(workspace);
  server.respond(
    anthropic.answer([{ toolCall: "read", deltas: [deepText(4000)] }]),
    ...[1, 2, 3].map(() => anthropic.text("Fine.")),
  );
  const { session, events } = await openSession(workspace, { model: "local-anthropic/claude" });
  await session.prompt("Go");
  const end = events.find(({ type }) => type === "tool_execution_end");
  expect(end).toMatchObject({ isError: true, result: { content: [{ text: expect.stringContaining(leftOut) }] } });
  await session.prompt("Again");
  expect(session.lastAssistantText()).toBe("Fine.");
  const path = session.sessionFile as string;
  await session.dispose();
  const { session: opened } = await openSession(workspace, { model: "local-anthropic/claude", session: { path } });
  await opened.prompt("And again");
  expect(opened.lastAssistantText()).toBe("Fine.");
});

/** A session file as an earlier version, or another program, may have left it. */
async function writeDeepSession(levels: number): Promise<string> {
  const nest = `"<deep>"`;
  const base = { api: "script", provider: "script", model: "m", usage: {}, stopReason: "toolUse", timestamp: 1 };
  const call = { type: "toolCall", id: "c1", name: "read", arguments: { path: "a", more: "<deep>" } };
  const messages: object[] = [
    { type: "message", message: { role: "user", content: "Begin", timestamp: 1 } },
    { type: "message", message: { role: "assistant", content: [call], ...base } },
    {
      type: "message",
      message: {
        ...{ role: "toolResult", toolCallId: "c1", toolName: "read", content: [{ type: "text", text: "b" }] },
        ...{ details: { x: "<deep>" }, isError: false, timestamp: 1 },
      },
    },
    { type: "custom", customType: "mine", data: "<deep>" },
    { type: "custom_message", customType: "mine", content: "Note", display: true, details: "<deep>" },
    { type: "of_a_newer_program", anything: "<deep>" },
  ];
  const header = { type: "session", version: 3, id: "11111111-1111-4111-8111-111111111111", timestamp: "2026-01-01T00:00:00.000Z" };
  const entries = messages.map((entry, n) => {
    const line = { ...entry, id: `0000000${n}`, parentId: n === 0 ? null : `0000000${n - 1}`, timestamp: header.timestamp };
    return JSON.stringify(line).replaceAll(nest, deepText(levels));
  });
  const lines = [JSON.stringify({ ...header, cwd: workspace.cwd }), ...entries];
  return workspace.write("agent/deep.jsonl", lines.map((line) => `${line}\n`).join(""));
}

test("SE-010 a session that holds such things opens, goes on, forks, is compacted and exported; its file keeps them", async () => {
  const path = await writeDeepSession(50_000);
  const before = await readFile(path, "utf8");
  const script = ({ systemPrompt = "" }) => ({ text: systemPrompt.startsWith("You write the memory") ? "Summary" : "Fine." });
  const compaction = { keepRecentTokens: 1 };
  const { session } = await openSession(workspace, { model: createScriptedModel({ script }), session: { path }, compaction });
  expect(isTooDeep(session.messages, 110)).toBe(false);
  await session.prompt("Go on");
  expect(session.lastAssistantText()).toBe("Fine.");
  const html = await readFile(await session.history.exportHtml(), "utf8");
  expect(html).toContain(leftOut);
  expect(await session.compact()).toMatchObject({ summary: expect.stringContaining("Summary") });
  await session.prompt("Go on");
  expect((await readFile(path, "utf8")).startsWith(before)).toBe(true);
  await session.history.clone();
  await session.prompt("In the copy");
  const lines = await readLines(session.sessionFile as string);
  expect(lines.length).toBeGreaterThan(5);
});

test("what tools of the program itself give is cut as well", async () => {
  const tool = {
    ...{ name: "give", label: "Give", description: "Gives", parameters: Type.Object({}) },
    async execute(_id: string, _params: unknown, _signal: AbortSignal, onUpdate: (partial: never) => void) {
      onUpdate({ content: [], details: deep(4000) } as never);
      return { content: [{ type: "text" as const, text: "given" }], details: deep(4000) };
    },
  };
  const script = [{ toolCalls: [{ name: "give", arguments: {} }] }, { text: "Done." }];
  const { session, events } = await createScriptedSession(workspace, script, { customTools: [tool] });
  await session.prompt("Go");
  expect(events.filter((event) => isTooDeep(event, 110))).toEqual([]);
  expect(events.filter(({ type }) => type === "tool_execution_end")).toMatchObject([{ isError: false }]);
});

test("a tool whose schema is too deep, or holds itself, is left out and told of once", async () => {
  const circle: Record<string, unknown> = { type: "object" };
  circle.properties = { a: circle };
  const problems: string[] = [];
  const make = (name: string, parameters: object) => ({
    ...{ name, label: name, description: name, parameters: parameters as never },
    execute: async () => ({ content: [], details: null }),
  });
  const customTools = [make("deep", deep(4000)), make("round", circle), make("good", { type: "object" })];
  const onProblem = (problem: string) => void problems.push(problem);
  const { session } = await createScriptedSession(workspace, [{ text: "a" }], { customTools, onProblem, tools: [] });
  expect(session.tools.names).toEqual(["good"]);
  await session.prompt("Go");
  await session.history.startNew();
  expect(problems).toEqual([
    "The tool deep cannot be used: its schema is nested more than 100 levels deep.",
    "The tool round cannot be used: its schema is nested more than 100 levels deep.",
  ]);
});
