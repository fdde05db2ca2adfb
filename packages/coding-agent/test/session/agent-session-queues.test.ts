import { readFileSync } from "node:fs";
import type { Attachment } from "@pikit/agent";
import type { ScriptedAnswer } from "@pikit/ai";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { createGate, throughGate } from "../helpers/gate.ts";
import { createScriptedSession, nextEvent } from "../helpers/sessions.ts";
import { abortedTurn, describeMessage, story } from "../helpers/story.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
const notes: Attachment = {
  id: "1",
  type: "document",
  fileName: "notes.txt",
  mimeType: "text/plain",
  size: 5,
  content: Buffer.from("hello").toString("base64"),
};

/** A session whose model answers in order, with what it was shown in each call. */
async function openObserved(answers: ScriptedAnswer[], options: CreateAgentSessionOptions = {}) {
  const shown: string[][] = [];
  const opened = await createScriptedSession(
    workspace,
    (context, call) => {
      shown.push(context.messages.map(describeMessage));
      return answers[call] ?? { text: `answer ${call}` };
    },
    options,
  );
  return { ...opened, shown };
}

/** A session that waits in the tool call of its first turn. */
async function openAtGate(answers: ScriptedAnswer[] = [throughGate], options: CreateAgentSessionOptions = {}) {
  const gate = createGate();
  const opened = await openObserved(answers, { customTools: [gate.tool], ...options });
  const { settled } = await opened.session.submit("Go");
  await gate.reached;
  return { ...opened, gate, settled };
}

const isText = (event: AgentSessionEvent) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta";
const counts = (session: AgentSession) => {
  const { queuedMessageCount, pendingMessageCount } = session.state();
  return [queuedMessageCount, pendingMessageCount];
};

describe("a prompt during a run", () => {
  test("AG-013 AG-014 steers before the next model call, follows when the run would end, inside one pair", async () => {
    const { session, events, gate, settled } = await openAtGate();
    const steered = session.prompt("left", { streamingBehavior: "steer" });
    const followed = session.prompt("then", { streamingBehavior: "followUp" });
    gate.open();
    await Promise.all([settled, steered, followed]);
    expect(session.isStreaming).toBe(false);
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Go", "assistant: (toolCall)", "queue: left | ", "queue: left | then"],
      ...["toolResult: open", "turn_end", "queue:  | then"],
      ...["turn_start", "user: left", "assistant: answer 1", "turn_end", "queue:  | "],
      ...["turn_start", "user: then", "assistant: answer 2", "turn_end"],
      ...["agent_end", "agent_settled"],
    ]);
  });

  test("AG-014 that steers during the final answer starts another turn of the same run", async () => {
    const { session, events } = await openObserved([{ text: "almost there", delayMs: 60_000 }]);
    const clock = holdClock();
    const streaming = nextEvent(session, isText);
    const { settled } = await session.submit("Go");
    await clock.passUntil(streaming);
    const queued = await session.submit("wait", { streamingBehavior: "steer" });
    await clock.passUntil(Promise.all([settled, queued.settled]));
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Go", "queue: wait | ", "assistant: almost there", "turn_end", "queue:  | "],
      ...["turn_start", "user: wait", "assistant: answer 1", "turn_end"],
      ...["agent_end", "agent_settled"],
    ]);
  });

  test("is in the messages of agent_end and in the file where it went in, once", async () => {
    const { session, events, gate, settled } = await openAtGate();
    await session.queue("steer", { text: "left" });
    gate.open();
    await settled;
    const expected = ["user: Go", "assistant: (toolCall)", "toolResult: open", "user: left", "assistant: answer 1"];
    const end = events.find((event) => event.type === "agent_end");
    expect(end?.messages.map((message) => describeMessage(message as never))).toEqual(expected);
    const stored = (await workspace.sessionLines()).flatMap(({ message }) => (message ? [describeMessage(message)] : []));
    expect(stored).toEqual(expected);
  });

  test("with streamingBehavior but while idle is a prompt like any other", async () => {
    const { session, events } = await openObserved([]);
    await session.prompt("one", { streamingBehavior: "steer" });
    await session.prompt("two", { streamingBehavior: "followUp" });
    const run = (text: string, answer: string) => [
      ...["agent_start", "turn_start", `user: ${text}`, `assistant: ${answer}`, "turn_end", "agent_end", "agent_settled"],
    ];
    expect(story(events)).toEqual([...run("one", "answer 0"), ...run("two", "answer 1")]);
  });
});

describe("messages queued while idle", () => {
  test("wait and start nothing; what steers goes in front of the next prompt, follow-ups after it, one at a time", async () => {
    const { session, events, shown } = await openObserved([]);
    await session.queue("followUp", { text: "f1" });
    await session.queue("followUp", { text: "f2" });
    await session.queue("steer", { text: "s1" });
    await session.queue("steer", { text: "s2" });
    expect(session.isStreaming).toBe(false);
    expect(counts(session)).toEqual([4, 4]);
    expect(session.queues.texts).toEqual({ steering: ["s1", "s2"], followUp: ["f1", "f2"] });
    expect(story(events)).toEqual(["queue:  | f1", "queue:  | f1, f2", "queue: s1 | f1, f2", "queue: s1, s2 | f1, f2"]);
    events.length = 0;
    expect(await workspace.sessionFiles()).toHaveLength(1);
    await session.prompt("Go");
    // No model call of their own, although one goes in at a time.
    expect(shown).toHaveLength(3);
    expect(shown[0]).toEqual(["user: s1", "user: s2", "user: Go"]);
    expect(counts(session)).toEqual([0, 0]);
    const said = ["user: s1", "user: s2", "user: Go", "assistant: answer 0"];
    const expected = [...said, "user: f1", "assistant: answer 1", "user: f2", "assistant: answer 2"];
    expect(story(events)).toEqual([
      ...["queue:  | f1, f2", "agent_start", "turn_start", ...said, "turn_end", "queue:  | f2"],
      ...["turn_start", "user: f1", "assistant: answer 1", "turn_end", "queue:  | "],
      ...["turn_start", "user: f2", "assistant: answer 2", "turn_end", "agent_end", "agent_settled"],
    ]);
    expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ messages: session.messages });
    const stored = (await workspace.sessionLines()).flatMap(({ message }) => (message ? [describeMessage(message)] : []));
    expect(stored).toEqual(expected);
    const file = session.sessionFile as string;
    await session.dispose();
    const { session: again } = await openObserved([], { session: { path: file } });
    expect(again.messages.map((message) => describeMessage(message as never))).toEqual(expected);
    expect(counts(again)).toEqual([0, 0]);
  });

  test("stay where they are when the prompt is refused", async () => {
    const { session } = await openObserved([]);
    await session.queue("steer", { text: "s1" });
    await expect(session.prompt(" ")).rejects.toMatchObject({ code: "invalid_input" });
    expect(session.queues.texts).toEqual({ steering: ["s1"], followUp: [] });
  });

  test("steering that comes when the prompt has been accepted goes in after its first turn", async () => {
    const { session, shown } = await openObserved([]);
    await session.queue("steer", { text: "before" });
    const { settled } = await session.submit("Go");
    await session.queue("steer", { text: "after" });
    await settled;
    expect(shown).toEqual([
      ["user: before", "user: Go"],
      ["user: before", "user: Go", "assistant: answer 0", "user: after"],
    ]);
  });

  test("AG-015 go in all at once where the mode says so", async () => {
    const { session, shown } = await openObserved([]);
    session.queues.setMode("steer", "all");
    session.queues.setMode("followUp", "all");
    for (const text of ["1", "2"]) {
      await session.queue("steer", { text: `s${text}` });
      await session.queue("followUp", { text: `f${text}` });
    }
    await session.prompt("Go");
    expect(shown).toEqual([
      ["user: s1", "user: s2", "user: Go"],
      ["user: s1", "user: s2", "user: Go", "assistant: answer 0", "user: f1", "user: f2"],
    ]);
    expect(session.state()).toMatchObject({ queueMode: "all", steeringMode: "all", followUpMode: "all", interruptMode: "wait" });
  });

  test("are removed by clearQueue, which tells what they were", async () => {
    const { session, events, shown } = await openObserved([]);
    await session.queue("steer", { text: "s" });
    await session.queue("followUp", { text: "f" });
    events.length = 0;
    expect(await session.queues.clear()).toEqual({ steering: ["s"], followUp: ["f"] });
    expect(story(events).at(-1)).toBe("queue:  | ");
    events.length = 0;
    expect(await session.queues.clear()).toEqual({ steering: [], followUp: [] });
    expect(events).toEqual([]);
    await session.prompt("Go");
    expect(shown).toEqual([["user: Go"]]);
  });

  test("are taken with their images, one or all", async () => {
    const { session, events, shown } = await openObserved([]);
    await session.queue("followUp", { text: "later", images: [image] });
    await session.queue("steer", { text: "first" });
    await session.queue("steer", { text: "second", images: [image, image] });
    expect(await session.queues.take("steer", 1, "second")).toEqual({ text: "second", images: [image, image] });
    expect(await session.queues.takeAll()).toEqual([
      { text: "first", images: [] },
      { text: "later", images: [image] },
    ]);
    expect(story(events).at(-1)).toBe("queue:  | ");
    await session.prompt("Go");
    expect(shown).toEqual([["user: Go"]]);
  });

  test("are removed by a new session", async () => {
    const { session, shown } = await openObserved([]);
    await session.queue("steer", { text: "s" });
    await session.queue("followUp", { text: "f" });
    await session.history.startNew();
    expect(session.queues.texts).toEqual({ steering: [], followUp: [] });
    await session.prompt("Go");
    expect(shown).toEqual([["user: Go"]]);
  });
});

describe("what a queued message carries", () => {
  test("AG-024 images and documents reach the model; the queue shows the text as it was typed", async () => {
    const { session, events, gate, settled } = await openAtGate();
    await session.queue("steer", { text: "see", images: [image], attachments: [notes] });
    await session.submit("", { streamingBehavior: "followUp", attachments: [notes] });
    expect(session.queues.texts).toEqual({ steering: ["see"], followUp: [""] });
    gate.open();
    await settled;
    expect(story(events).filter((line) => line.startsWith("user"))).toEqual([
      "user: Go",
      "user: see notes.txt\nhello (image)",
      "user: notes.txt\nhello",
    ]);
    const users = session.messages.filter(({ role }) => role === "user");
    expect(users[1]).toMatchObject({ attachments: [notes] });
  });

  test.each([
    ["an empty message", { text: " " }],
    ["an attachment that is neither image nor text", { text: "x", attachments: [{ ...notes, content: "AP8=" }] }],
  ])("%s is refused, during a run and while idle, and nothing is queued", async (_name, input) => {
    const { session, events, gate, settled } = await openAtGate();
    const before = events.length;
    await expect(session.queue("steer", input)).rejects.toMatchObject({ code: "invalid_input" });
    const { text, ...rest } = input;
    await expect(session.submit(text, { ...rest, streamingBehavior: "steer" })).rejects.toMatchObject({ code: "invalid_input" });
    expect(events).toHaveLength(before);
    gate.open();
    await settled;
    await expect(session.queue("followUp", input)).rejects.toMatchObject({ code: "invalid_input" });
    expect(counts(session)).toEqual([0, 0]);
  });
});

describe("interruptMode", () => {
  const twoCalls = { toolCalls: [...throughGate.toolCalls, { name: "bash", arguments: { command: "touch second" } }] };

  test("AG-013 immediate, from settings: the second call is skipped with an error result", async () => {
    await workspace.write("agent/settings.json", { interruptMode: "immediate" });
    const { session, shown, gate, settled } = await openAtGate([twoCalls]);
    await session.queue("steer", { text: "stop that" });
    gate.open();
    await settled;
    expect(shown[1]).toEqual([
      ...["user: Go", "assistant: (toolCall) (toolCall)", "toolResult: open"],
      ...[expect.stringMatching(/^toolResult: Skipped: the user sent a message/), "user: stop that"],
    ]);
  });

  test("immediate: a follow-up skips nothing", async () => {
    await workspace.write("agent/settings.json", { interruptMode: "immediate" });
    const { session, shown, gate, settled } = await openAtGate([twoCalls]);
    await session.queue("followUp", { text: "later" });
    gate.open();
    await settled;
    expect(shown[1]).toEqual(["user: Go", "assistant: (toolCall) (toolCall)", "toolResult: open", "toolResult: (no output)"]);
  });
});

describe("a run that does not end well", () => {
  test("AG-016 an abort leaves what is queued for the next prompt", async () => {
    const { session, events, shown } = await openAtGate();
    await session.queue("steer", { text: "s" });
    await session.queue("followUp", { text: "f" });
    await session.abort();
    const result = expect.stringMatching(/^toolResult: /);
    expect(story(events).slice(-7)).toEqual([result, "turn_end", ...abortedTurn, "agent_end", "agent_settled"]);
    expect(session.queues.texts).toEqual({ steering: ["s"], followUp: ["f"] });
    await session.prompt("Again");
    expect(shown.slice(1).map((messages) => messages.slice(-2))).toEqual([
      ["user: s", "user: Again"],
      ["assistant: answer 1", "user: f"],
    ]);
  });

  test("a run that fails leaves what is queued, and its prompt's caller hears of the end", async () => {
    const failing = { text: "one two", delayMs: 60_000, error: { status: 400, message: "bad" } };
    const { session, events, shown } = await openObserved([failing]);
    const clock = holdClock();
    const streaming = nextEvent(session, isText);
    const { settled } = await session.submit("Go");
    await clock.passUntil(streaming);
    const queued = await session.submit("more", { streamingBehavior: "followUp" });
    await clock.passUntil(Promise.all([settled, queued.settled]));
    expect(story(events).slice(-4)).toEqual(["assistant: one two [error]", "turn_end", "agent_end", "agent_settled"]);
    expect(session.queues.texts).toEqual({ steering: [], followUp: ["more"] });
    await session.prompt("Again");
    expect(shown.at(-1)?.at(-1)).toBe("user: more");
  });
});

describe("abort and submit", () => {
  test("is accepted when the old run has settled and the new message is written, before the new run's first event", async () => {
    const { session, events, settled } = await openAtGate();
    const run = await session.abortAndSubmit("Instead", { images: [image] });
    expect(story(events).slice(-2)).toEqual(["agent_end", "agent_settled"]);
    const before = events.length;
    const [lastLine = ""] = readFileSync(session.sessionFile ?? "", "utf8")
      .trimEnd()
      .split("\n")
      .slice(-1);
    expect(JSON.parse(lastLine)).toMatchObject({ message: { role: "user", content: [{ text: "Instead" }, image] } });
    await Promise.all([settled, run.settled]);
    expect(story(events.slice(before))).toEqual([
      ...["agent_start", "turn_start", "user: Instead (image)", "assistant: answer 1", "turn_end", "agent_end", "agent_settled"],
    ]);
  });

  test("while idle is a prompt", async () => {
    const { session } = await openObserved([]);
    const { settled } = await session.abortAndSubmit("Go");
    await settled;
    expect(session.lastAssistantText()).toBe("answer 0");
  });

  test("with a message that is refused aborts nothing", async () => {
    const { session, gate, settled } = await openAtGate();
    await expect(session.abortAndSubmit(" ")).rejects.toMatchObject({ code: "invalid_input" });
    expect(session.isStreaming).toBe(true);
    gate.open();
    await settled;
    expect(session.lastAssistantText()).toBe("answer 1");
  });
});
