import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import type { ExtensionFactory } from "../../src/extensions/api.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { createGate, throughGate } from "../helpers/gate.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

type Change = (session: AgentSession) => unknown;

/** Everything that changes a session, by its name. */
const changes: Readonly<Record<string, Change>> = {
  prompt: (session) => session.prompt("x"),
  "prompt with streamingBehavior": (session) => session.prompt("x", { streamingBehavior: "steer" }),
  submit: (session) => session.submit("x"),
  send: (session) => session.send({ role: "custom", customType: "t", content: "x", display: true, timestamp: 1 }),
  queue: (session) => session.queue("followUp", { text: "x" }),
  clearQueue: (session) => session.queues.clear(),
  abortAndSubmit: (session) => session.abortAndSubmit("x"),
  setSteeringMode: (session) => session.queues.setMode("steer", "all"),
  setFollowUpMode: (session) => session.queues.setMode("followUp", "all"),
  setInterruptMode: (session) => session.queues.setInterruptMode("immediate"),
  setAutoRetry: (session) => session.retries.setEnabled(false),
  compact: (session) => session.compact(),
  setAutoCompaction: (session) => session.compaction.setEnabled(false),
  setTodos: (session) => session.todos.set([]),
  setModel: (session) => session.models.set(createScriptedModel({ script: [] })),
  setThinkingLevel: (session) => session.models.setLevel("off"),
  newSession: (session) => session.history.startNew(),
  switchSession: (session) => session.history.open("x"),
  bash: (session) => session.shell.run("touch made"),
  "models.set": (session) => session.models.set(createScriptedModel({ script: [] })),
  "models.setLevel": (session) => session.models.setLevel("off"),
  "models.cycle": (session) => session.models.cycle(),
  "models.cycleLevel": (session) => session.models.cycleLevel(),
  "tools.add": (session) => session.tools.add(createGate().tool),
  "tools.replace": (session) => session.tools.replace("host", []),
  "tools.workIn": (session) => session.tools.workIn("/"),
  "history.setName": (session) => session.history.setName("x"),
  "history.setLabel": (session) => session.history.setLabel("x", "y"),
  "history.startNew": (session) => session.history.startNew({ cwd: "/" }),
  "history.open": (session) => session.history.open("x"),
  "history.fork": (session) => session.history.fork("x"),
  "history.clone": (session) => session.history.clone(),
  "history.branch": (session) => session.history.branch(0),
};

test("after dispose every change is refused, nothing is told, and what can be read stays readable", async () => {
  const { session, events } = await createScriptedSession(workspace, [{ text: "Hello" }]);
  await session.prompt("Hi");
  const before = [session.state(), session.messages.length, session.stats(), await workspace.sessionLines()];
  await session.dispose();
  const told = events.length;
  for (const [name, change] of Object.entries(changes)) {
    const outcome = await Promise.resolve()
      .then(() => change(session))
      .catch((error: unknown) => error);
    expect({ name, outcome }).toMatchObject({ name, outcome: { name: "SessionError", code: "disposed" } });
  }
  for (const harmless of [session.abort(), session.waitForIdle(), session.start(), session.dispose()]) await harmless;
  session.shell.abort();
  session.retries.cancel();
  expect(events).toHaveLength(told);
  expect([session.state(), session.messages.length, session.stats(), await workspace.sessionLines()]).toEqual(before);
  expect((await session.history.entries()).length).toBeGreaterThan(0);
  expect(session.lastAssistantText()).toBe("Hello");
});

test("what has begun when dispose is called settles first, and its events come before dispose resolves", async () => {
  const gate = createGate();
  const { session, events } = await createScriptedSession(workspace, [throughGate], { customTools: [gate.tool] });
  const { settled } = await session.submit("Go");
  await gate.reached;
  const begun = [session.queue("steer", { text: "s" }), session.history.setName("named"), session.shell.run("sleep 60")];
  const order: string[] = [];
  const disposed = session.dispose().then(() => order.push("disposed"));
  for (const work of begun) void work.then(() => order.push("settled"));
  await expect(session.prompt("More")).rejects.toMatchObject({ code: "disposed" });
  await Promise.all([disposed, settled, ...begun]);
  expect(order).toEqual(["settled", "settled", "settled", "disposed"]);
  expect(events.at(-1)).toEqual({ type: "agent_settled" });
  expect(session.messages.findLast(({ role }) => role === "assistant")).toMatchObject({ stopReason: "aborted" });
  expect(session.messages.at(-1)).toMatchObject({ role: "bashExecution", cancelled: true });
  const told = events.length;
  await new Promise(setImmediate);
  expect(events).toHaveLength(told);
  expect(session.state()).toMatchObject({ sessionName: "named", queuedMessageCount: 1 });
});

test.each([
  ["a blank name", { name: " \n" }, /Session name cannot be empty/],
  ["a model that does not exist", { model: "nowhere/none" }, /nowhere/],
])(
  "a session that cannot be made, for %s, ends the extensions that it has begun, and its file can be opened",
  async (_what, options, message) => {
    const told: string[] = [];
    const extension: ExtensionFactory = (pi) => {
      told.push("begun");
      pi.on("shutdown", () => void told.push("ended"));
    };
    const { session } = await createScriptedSession(workspace, [{ text: "Hello" }], { session: { id: "mine" } });
    await session.prompt("Hi");
    await session.dispose();
    const model = createScriptedModel({ script: [] });
    await expect(openSession(workspace, { model, session: { id: "mine" }, extensions: [extension], ...options })).rejects.toThrow(
      message,
    );
    expect(told).toEqual(["begun", "ended"]);
    const { session: again } = await openSession(workspace, { model, session: { id: "mine" } });
    expect(again.messages).toHaveLength(2);
  },
);
