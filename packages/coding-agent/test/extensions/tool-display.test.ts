import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import type { ExtensionFactory } from "../../src/extensions/api.ts";
import type { ExtensionTool } from "../../src/extensions/api-tools.ts";
import { createTheme } from "../../src/modes/terminal/theme/create-theme.ts";
import { ConversationView } from "../../src/modes/terminal/view/conversation-view.ts";
import { runTextMode } from "../../src/modes/text.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { BlockList } from "../modes/terminal/view/block-list.ts";

const workspace = useWorkspace();

const tool = (fields: Partial<ExtensionTool<Record<string, unknown>, unknown>>): ExtensionFactory => {
  return (pi) =>
    pi.registerTool({
      name: "deploy",
      description: "Deploys.",
      parameters: { type: "object", properties: { target: { type: "string" } } },
      riskTier: "read",
      execute: async () => ({ content: [{ type: "text", text: "for the model" }], details: { seconds: 7 } }),
      ...fields,
    });
};

/** Calls the tool once, in a session that is shown on a terminal of 60 columns. */
async function deploy(extensions: ExtensionFactory[], options: CreateAgentSessionOptions = {}) {
  const model = createScriptedModel({
    script: [{ toolCalls: [{ name: "deploy", arguments: { target: "live" } }] }, { text: "Done." }],
  });
  const list = new BlockList(60);
  const view = new ConversationView({ theme: createTheme({ colors: 0, isLight: false }), cwd: workspace.cwd, now: () => 0 });
  const opened = await openSession(workspace, { model, extensions, session: "memory", ...options });
  opened.session.subscribe((event) => list.add(...view.show(event)));
  await opened.session.prompt("Go");
  return { ...opened, shown: list.draw() };
}

const errorsIn = (events: readonly AgentSessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === "extension_error" ? [`${event.event}: ${event.error}`] : []));

const rendering = tool({
  renderCall: ({ target }) => `to ${target}`,
  renderResult: ({ details }, _options, _theme, { args: { target } }) =>
    `${target} is up\nafter ${(details as { seconds: number }).seconds} s\n`,
});

test("the text of a tool about its call and its result is in the events, in the session and on the terminal; the model does not get it", async () => {
  const { session, events, shown } = await deploy([rendering], { session: "new" });
  const display = { call: "to live", result: ["live is up", "after 7 s"] };
  expect(events.find(({ type }) => type === "tool_execution_start")).toMatchObject({ display: { call: "to live" } });
  expect(events.find(({ type }) => type === "tool_execution_end")).toMatchObject({
    result: { content: [{ type: "text", text: "for the model" }], details: { seconds: 7 }, display },
  });
  expect(session.messages.find(({ role }) => role === "toolResult")).toMatchObject({ display });
  expect(shown).toContain("✓ deploy  to live\n  live is up\n  after 7 s\n");
  expect(shown).not.toContain("for the model");

  await session.dispose();
  // Without the extension: the text is stored.
  const again = await openSession(workspace, { model: createScriptedModel({ script: [] }), session: "continue" });
  const list = new BlockList(60);
  const view = new ConversationView({ theme: createTheme({ colors: 0, isLight: false }), cwd: workspace.cwd, now: () => 0 });
  list.add(...view.showHistory(again.session.messages));
  expect(list.draw()).toContain("✓ deploy  to live\n  live is up\n  after 7 s\n");
});

test("text mode shows the text of a tool too", async () => {
  const model = createScriptedModel({
    script: [{ toolCalls: [{ name: "deploy", arguments: { target: "live" } }] }, { text: "Done." }],
  });
  const { session } = await openSession(workspace, { model, extensions: [rendering], session: "memory" });
  let stderr = "";
  const write = (text: string) => {
    stderr += text;
  };
  await runTextMode(session, Promise.resolve([{ text: "Go" }]), { stdout: { write() {} }, stderr: { write } });
  expect(stderr).toBe("▸ deploy to live\n  ✓ live is up\n    after 7 s\n");
});

test.each<[string, Partial<ExtensionTool<Record<string, unknown>, unknown>>, string]>([
  [
    "throws",
    {
      renderCall() {
        throw new Error("no luck");
      },
    },
    "deploy.renderCall: no luck",
  ],
  [
    "is asynchronous",
    { renderResult: (async () => "late") as never },
    "deploy.renderResult: It must return a text, a list of texts or a component, but returned a promise.",
  ],
  [
    "is asynchronous and fails",
    { renderResult: (async () => Promise.reject(new Error("late"))) as never },
    "deploy.renderResult: It must return a text, a list of texts or a component, but returned a promise.",
  ],
  [
    "returns something else",
    { renderResult: (() => [1]) as never },
    "deploy.renderResult: It must return a text, a list of texts or a component, but returned object.",
  ],
])("a function that %s is reported, and the call is shown in the default form", async (_what, fields, problem) => {
  const { events, shown } = await deploy([tool(fields)]);
  expect(errorsIn(events)).toEqual([problem]);
  expect(shown).toContain("✓ deploy  live\n  for the model\n");
});

test("a field that is not a function is an error of the registration", async () => {
  const { session, events } = await openSession(workspace, {
    ...{ model: createScriptedModel({ script: [{ text: "Done." }] }), session: "memory", onProblem: () => undefined },
    extensions: [tool({ renderCall: "to live" as never })],
  });
  await session.prompt("Go");
  expect(errorsIn(events)).toEqual(['load: The field "renderCall" of the tool "deploy" must be a function.']);
});

test("no result is shown for an empty list; undefined means the default form", async () => {
  expect((await deploy([tool({ renderResult: () => [], renderCall: () => undefined })])).shown).toContain("✓ deploy  live\n\n");
});

test("the text is limited, and cannot control the terminal", async () => {
  const long = Array.from({ length: 1000 }, (_, index) => `${index} ${"x".repeat(5000)}`);
  const { events } = await deploy([tool({ renderCall: () => "y".repeat(5000), renderResult: () => long })]);
  const end = events.find((event) => event.type === "tool_execution_end");
  const { call = "", result = [] } = end?.type === "tool_execution_end" ? (end.result.display ?? {}) : {};
  expect([call.length, result.length, result.at(-1), Math.max(...result.map(({ length }) => length))]).toEqual([
    2000,
    200,
    "…",
    2000,
  ]);

  const { shown } = await deploy([
    tool({ renderCall: () => ["\x1b[2Ja\nb", "\u202ec"], renderResult: () => "\x1b]0;title\x07d\r\te\u2067" }),
  ]);
  expect(shown).toContain("✓ deploy  a b c\n  d    e\n");
});

test("an error is shown as it is, with the text about the call", async () => {
  const failing = async () => Promise.reject(new Error("The host is down."));
  const { shown } = await deploy([tool({ execute: failing, renderCall: () => "to live", renderResult: () => "up" })]);
  expect(shown).toContain("✗ deploy  to live\n  The host is down.\n");
});

test("a tool gives the text with its result or its updates, and a handler of tool_result for any tool", async () => {
  const own = { call: "the live host", result: ["own text"] };
  const execute = async () => ({ content: [{ type: "text" as const, text: "for the model" }], details: null, display: own });
  const given = await deploy([tool({ execute, renderResult: () => "not used" })]);
  expect(given.shown).toContain("✓ deploy  the live host\n  own text\n");

  const handled = await deploy([
    tool({}),
    (pi) => void pi.on("tool_result", ({ toolName }) => ({ display: { result: [`${toolName} is over`] } })),
  ]);
  expect(handled.shown).toContain("✓ deploy  live\n  deploy is over\n");
});

test("a handler that replaces the content removes the text that was made of it", async () => {
  const execute = async () => ({ content: [], details: null, display: { result: ["secret"] } });
  const content = [{ type: "text" as const, text: "(removed)" }];
  const { shown } = await deploy([tool({ execute }), (pi) => void pi.on("tool_result", () => ({ content }))]);
  expect(shown).toContain("✓ deploy  live\n  (removed)\n");
});

test("approvals show the call itself, not the text of the tool", async () => {
  const questions: string[] = [];
  const { absentUser } = await import("../../src/user-interface.ts");
  const user = {
    ...absentUser,
    async confirm({ message }: { message: string }) {
      questions.push(message);
      return true;
    },
  };
  await deploy([tool({ riskTier: "execute", renderCall: () => "nothing special" })], { approval: "always", user });
  expect(questions).toEqual([expect.stringContaining("live")]);
  expect(questions[0]).not.toContain("nothing special");
});
