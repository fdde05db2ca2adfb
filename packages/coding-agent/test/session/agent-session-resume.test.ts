import type { ScriptedAnswer } from "@pikit/ai";
import { expect, test } from "vitest";
import type { SessionEntry } from "../../src/conversation/entries.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import { SessionError } from "../../src/errors.ts";
import type { SessionHeader } from "../../src/protocol/frames.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { createGate, throughGate } from "../helpers/gate.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { describeMessage, story } from "../helpers/story.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** A store with the session as it is now, which is all that would be left if its process was killed. */
async function storeAfterKill({ history }: AgentSession): Promise<MemorySessionStore> {
  return storeWith(history.header, await history.entries());
}

async function storeWith(header: SessionHeader, entries: readonly SessionEntry[]): Promise<MemorySessionStore> {
  const store = new MemorySessionStore();
  const log = store.create(header);
  await log.append([header, ...entries], () => undefined);
  await log.close();
  return store;
}

/** The session of the store in another process, with what its model was shown in each call. */
async function reopen(store: MemorySessionStore, id: string, answers: ScriptedAnswer[]) {
  const shown: string[][] = [];
  const opened = await createScriptedSession(
    workspace,
    (context, call) => {
      shown.push(context.messages.map(describeMessage));
      return answers[call] ?? { text: "no further answer" };
    },
    { store, session: { id } },
  );
  return { ...opened, shown };
}

test("a run that was killed in a tool call goes on: the result is unknown, and the call is not repeated", async () => {
  const gate = createGate();
  const answers = [{ text: "First.", toolCalls: [...throughGate.toolCalls, { name: "gate", arguments: {} }] }];
  const { session } = await createScriptedSession(workspace, answers, { customTools: [gate.tool] });
  await session.submit("Go", { promptId: "job 1" });
  await gate.reached;
  const store = await storeAfterKill(session);

  const { session: second, events, shown } = await reopen(store, session.sessionId, [{ text: "I looked: it is done." }]);
  expect(second.history.hasPrompt("job 1")).toBe(true);
  expect(second.history.hasPrompt("job 2")).toBe(false);
  const run = await second.resume();
  await run?.settled;
  const unknown = expect.stringMatching(/^toolResult: The result is unknown: the process .* ended .* not repeated/);
  expect(shown).toEqual([["user: Go", "assistant: First. (toolCall) (toolCall)", unknown, unknown]]);
  expect(story(events)).toEqual([
    ...["agent_start", "turn_start", unknown, unknown, "assistant: I looked: it is done.", "turn_end"],
    ...["agent_end", "agent_settled"],
  ]);
  expect(await second.resume()).toBeUndefined();
});

test("only the calls without a result get the unknown one", async () => {
  const { session } = await createScriptedSession(workspace, [
    {
      toolCalls: [
        { id: "a", name: "none", arguments: {} },
        { id: "b", name: "none", arguments: {} },
      ],
    },
    { text: "Done." },
  ]);
  await session.prompt("Go");
  const entries = await session.history.entries();
  const firstResult = entries.findIndex((entry) => entry.type === "message" && entry.message.role === "toolResult");
  const store = await storeWith(session.history.header, entries.slice(0, firstResult + 1));
  const { session: second, shown } = await reopen(store, session.sessionId, []);
  await (await second.resume())?.settled;
  expect(shown[0]?.slice(2)).toEqual([
    expect.stringContaining('toolResult: There is no tool named "none"'),
    expect.stringContaining("toolResult: The result is unknown"),
  ]);
});

test("a prompt that no model has seen is sent, and one that failed is sent again", async () => {
  const { session } = await createScriptedSession(workspace, [{ error: { message: "overloaded" } }], { retry: { enabled: false } });
  await session.prompt("Go");
  const entries = await session.history.entries();
  for (const cut of [entries.length - 1, entries.length]) {
    const store = await storeWith(session.history.header, entries.slice(0, cut));
    const { session: second, shown } = await reopen(store, session.sessionId, []);
    await (await second.resume())?.settled;
    expect(shown.map(([prompt]) => prompt)).toEqual(["user: Go"]);
    expect(second.lastAssistantText()).toBe("no further answer");
  }
});

test("messages that wait to steer the run come after the unknown results", async () => {
  const gate = createGate();
  const { session } = await createScriptedSession(workspace, [throughGate], { customTools: [gate.tool] });
  await session.submit("Go");
  await gate.reached;
  await session.queue("steer", { text: "left" });
  const store = await storeAfterKill(session);
  const { session: second, shown } = await reopen(store, session.sessionId, []);
  await (await second.resume())?.settled;
  expect(shown).toEqual([["user: Go", "assistant: (toolCall)", expect.stringContaining("unknown"), "user: left"]]);
});

test("nothing is resumed in an empty session, during a run, or after the end", async () => {
  const gate = createGate();
  const { session } = await createScriptedSession(workspace, [throughGate], { customTools: [gate.tool] });
  expect(await session.resume()).toBeUndefined();
  const { settled } = await session.submit("Go");
  await gate.reached;
  await expect(session.resume()).rejects.toMatchObject({ code: "busy" });
  gate.open();
  await settled;
  await session.dispose();
  await expect(session.resume()).rejects.toThrow(SessionError);
});
