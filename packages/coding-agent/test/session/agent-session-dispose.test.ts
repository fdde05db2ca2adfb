import { dirname } from "node:path";
import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import type { SessionStore } from "../../src/conversation/session-store.ts";
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
  "history.goTo": (session) => session.history.goTo("x"),
  "queues.takeAll": (session) => session.queues.takeAll(),
  "queues.take": (session) => session.queues.take("steer", 0, "x"),
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
  // Either may be stored first: the aborted answer or the aborted shell command.
  expect(session.messages.find(({ role }) => role === "bashExecution")).toMatchObject({ cancelled: true });
  const told = events.length;
  await new Promise(setImmediate);
  expect(events).toHaveLength(told);
  expect(session.state()).toMatchObject({ sessionName: "named", queuedMessageCount: 1 });
});

test("a command of an extension that fails after dispose is told to nobody", async () => {
  const begun = Promise.withResolvers<void>();
  const failing = Promise.withResolvers<void>();
  const extension: ExtensionFactory = (pi) => {
    pi.registerCommand("slow", {
      description: "Fails late.",
      handler() {
        begun.resolve();
        return failing.promise;
      },
    });
  };
  const { session, events } = await createScriptedSession(workspace, [], { extensions: [extension] });
  const { settled } = await session.submit("/slow");
  await begun.promise;
  await session.dispose();
  const told = events.length;
  failing.reject(new Error("too late"));
  await settled;
  expect(events).toHaveLength(told);
});

test("a command of an extension is stopped before the run is waited for, which may wait for the command", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const order: string[] = [];
  const asked = Promise.withResolvers<void>();
  const extension: ExtensionFactory = (pi) => {
    pi.registerCommand("hold", {
      description: "Works until it is stopped.",
      async handler(_args, { signal }) {
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        order.push("command ended");
        ended.resolve();
      },
    });
    pi.on("tool_call", () => {
      asked.resolve();
      return ended.promise;
    });
  };
  const tools = { customTools: [createGate().tool] };
  const { session } = await createScriptedSession(workspace, [throughGate], { extensions: [extension], ...tools });
  await session.submit("/hold");
  await begun.promise;
  const { settled } = await session.submit("Go");
  void settled.then(() => order.push("run settled"));
  await asked.promise;
  await session.dispose();
  expect(order).toEqual(["command ended", "run settled"]);
});

test("a command that waits for the session's start is refused when the session is disposed of meanwhile", async () => {
  const atStart = Promise.withResolvers<void>();
  const ran: string[] = [];
  const extension: ExtensionFactory = (pi) => {
    pi.on("session_start", () => atStart.promise);
    pi.registerCommand("late", { description: "Runs.", handler: () => void ran.push("late") });
  };
  const { session } = await createScriptedSession(workspace, [], { extensions: [extension], autoStart: false });
  const command = session.submit("/late");
  const disposed = session.dispose();
  atStart.resolve();
  await expect(command).rejects.toMatchObject({ code: "disposed" });
  await disposed;
  expect(ran).toEqual([]);
});

test("a compaction that waits for the end of a run is refused when the session is disposed of meanwhile", async () => {
  const gate = createGate();
  const { session, events } = await createScriptedSession(workspace, [{ text: "One" }, throughGate], { customTools: [gate.tool] });
  await session.prompt("First");
  const { settled } = await session.submit("Go");
  await gate.reached;
  const compacting = session.compact();
  const disposed = session.dispose();
  await expect(compacting).rejects.toMatchObject({ code: "disposed" });
  await Promise.all([disposed, settled]);
  expect(events.filter(({ type }) => type === "compaction_start")).toEqual([]);
});

test("a change of conversation that has begun is over before dispose resolves, and leaves no session locked", async () => {
  const opening = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { session: other } = await createScriptedSession(workspace, [{ text: "Hello" }], { session: { id: "other" } });
  await other.prompt("Hi");
  await other.dispose();
  const files = new FileSessionStore(dirname(other.sessionFile ?? ""));
  const store: SessionStore = {
    create: (header) => files.create(header),
    async open(...args) {
      asked.resolve();
      await opening.promise;
      return files.open(...args);
    },
    list: (filter) => files.list(filter),
    remove: (ref) => files.remove(ref),
  };
  const { session } = await createScriptedSession(workspace, [], { store });
  const order: string[] = [];
  const moving = session.history.open(other.sessionFile ?? "").then(() => order.push("moved"));
  await asked.promise;
  const disposed = session.dispose().then(() => order.push("disposed"));
  await new Promise(setImmediate);
  opening.resolve();
  await Promise.all([moving, disposed]);
  expect(order).toEqual(["moved", "disposed"]);
  const { session: again } = await createScriptedSession(workspace, [], { session: { path: other.sessionFile ?? "" } });
  expect(again.messages).toHaveLength(2);
});

test("what is queued while idle is told in full before dispose resolves", async () => {
  const { session, events } = await createScriptedSession(workspace, []);
  const texts = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(5000));
  for (const text of texts) await session.queue("followUp", { text });
  await session.dispose();
  expect(events.findLast(({ type }) => type === "queue_update")).toMatchObject({ followUp: texts });
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
