import { describe, expect, test } from "vitest";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc } from "../../helpers/rpc-process.ts";
import { story } from "../../helpers/story.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

/** Works until the test writes the file `go`. */
const gated = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
const openGate = () => workspace.write("work/go", "");
const text = (...texts: string[]) => texts.map((each) => ({ text: each }));
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

async function start(...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  return serveHere(workspace, { model: await workspace.script(...answers) });
}

/** A session whose run waits in a tool. */
async function startAtGate(...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  return runToGate(await start(gated, ...answers));
}

async function runToGate(rpc: RpcConnection): Promise<RpcConnection> {
  await rpc.request({ type: "prompt", message: "Go" });
  await rpc.waitFor({ type: "tool_execution_start" });
  return rpc;
}

const succeeds = (command: string) => ({ id: expect.anything(), type: "response", command, success: true });
const counts = async (rpc: RpcConnection) => {
  const { data } = await rpc.request({ type: "get_state" });
  return [data?.queuedMessageCount, data?.pendingMessageCount];
};

describe("while a run is going", () => {
  test("RP-007 steer, queue_message and follow_up are answered at once, wait, and go in where they belong", async () => {
    const script = await workspace.script(gated, ...text("A", "B", "C"));
    const rpc = await runToGate(startRpc(workspace, ["--model", script]));
    const from = rpc.records.length;
    expect(await rpc.request({ type: "follow_up", message: "then" })).toEqual(succeeds("follow_up"));
    expect(await rpc.request({ type: "steer", message: "left" })).toEqual(succeeds("steer"));
    expect(await rpc.request({ type: "queue_message", message: "right" })).toEqual(succeeds("queue_message"));
    expect(await counts(rpc)).toEqual([3, 3]);
    await openGate();
    await rpc.waitFor({ type: "agent_settled" });
    expect(story(rpc.records.slice(from))).toEqual([
      ...["queue:  | then", "queue: left | then", "queue: left, right | then"],
      ...["toolResult: (no output)", "turn_end", "queue: right | then"],
      ...["turn_start", "user: left", "assistant: A", "turn_end", "queue:  | then"],
      ...["turn_start", "user: right", "assistant: B", "turn_end", "queue:  | "],
      ...["turn_start", "user: then", "assistant: C", "turn_end", "agent_end", "agent_settled"],
    ]);
    expect(rpc.records.find(({ type }) => type === "queue_update")).toEqual({
      type: "queue_update",
      steering: [],
      followUp: ["then"],
    });
    expect(await counts(rpc)).toEqual([0, 0]);
  });

  test.each([
    ["steer", "queue: more | "],
    ["followUp", "queue:  | more"],
  ])(
    "RP-007 a prompt with streamingBehavior %s is queued and answered at once; the run keeps one pair",
    async (streamingBehavior, queued) => {
      const rpc = await startAtGate(...text("A", "B"));
      const response = await rpc.request({ type: "prompt", message: "more", streamingBehavior });
      expect(response).toEqual(succeeds("prompt"));
      await openGate();
      await rpc.waitFor({ type: "agent_settled" });
      const told = story(rpc.records);
      expect(told).toContain(queued);
      expect(told.filter((line) => line.startsWith("agent_"))).toEqual(["agent_start", "agent_end", "agent_settled"]);
      expect(told.filter((line) => line.startsWith("user"))).toEqual(["user: Go", "user: more"]);
      expect(rolesIn(await workspace.sessionLines()).filter((role) => role === "user")).toHaveLength(2);
    },
  );

  test("clear_queue removes what waits, tells what it was, and the run ends without it", async () => {
    const rpc = await startAtGate(...text("A"));
    rpc.send({ type: "steer", message: "s1" }, { type: "steer", message: "s2" }, { type: "follow_up", message: "f" });
    const { data } = await rpc.request({ type: "clear_queue" });
    expect(data).toEqual({ steering: ["s1", "s2"], followUp: ["f"] });
    expect((await rpc.request({ type: "clear_queue" })).data).toEqual({ steering: [], followUp: [] });
    expect(story(rpc.records).at(-1)).toBe("queue:  | ");
    await openGate();
    await rpc.waitFor({ type: "agent_settled" });
    expect(story(rpc.records).filter((line) => line.startsWith("user"))).toEqual(["user: Go"]);
  });

  test("AG-024 images and attachments of queued messages are stored with them and reach the model", async () => {
    const rpc = await startAtGate(...text("A", "B"));
    const attachment = { id: "1", type: "document", fileName: "n.txt", mimeType: "text/plain", size: 2, content: "aGk=" };
    await rpc.request({ type: "steer", message: "see", images: [image], attachments: [attachment] });
    await rpc.request({ type: "follow_up", message: "", images: [image] });
    expect(story(rpc.records).slice(-2)).toEqual(["queue: see | ", "queue: see | "]);
    await openGate();
    await rpc.waitFor({ type: "agent_settled" });
    const { data } = await rpc.request({ type: "get_messages" });
    const users = ((data?.messages ?? []) as { role: string }[]).filter(({ role }) => role === "user");
    expect(users.slice(1)).toMatchObject([
      { content: [{ text: "see" }, { text: "n.txt\nhi" }, image], attachments: [attachment] },
      { content: [image] },
    ]);
  });

  test("RP-008 abort leaves what is queued for the next prompt", async () => {
    const rpc = await startAtGate(...text("A", "B", "C"));
    rpc.send({ type: "steer", message: "s" }, { type: "follow_up", message: "f" });
    await rpc.request({ type: "abort" });
    expect(await counts(rpc)).toEqual([2, 2]);
    const records = await rpc.promptAndWait("Again");
    expect(story(records).filter((line) => line.startsWith("user"))).toEqual(["user: s", "user: Again", "user: f"]);
  });

  test("a prompt that is queued behind an abort in the same write starts a run of its own", async () => {
    const rpc = await startAtGate(...text("A"));
    rpc.send({ id: 1, type: "abort" }, { id: 2, type: "prompt", message: "Next", streamingBehavior: "steer" });
    expect(await rpc.waitFor({ id: 2 })).toMatchObject({ success: true });
    await rpc.waitFor(
      { type: "agent_settled" },
      rpc.records.findIndex(({ id }) => id === 2),
    );
    expect(story(rpc.records).filter((line) => line.startsWith("queue"))).toEqual([]);
    expect(story(rpc.records).slice(-7)).toEqual([
      ...["agent_start", "turn_start", "user: Next", "assistant: A", "turn_end", "agent_end", "agent_settled"],
    ]);
  });

  test("abort_and_prompt answers when the old run has settled and the new message is written", async () => {
    const rpc = await startAtGate(...text("A"));
    expect(await rpc.request({ type: "abort_and_prompt", message: "Instead", images: [image] })).toEqual(
      succeeds("abort_and_prompt"),
    );
    const at = rpc.records.findIndex(({ command }) => command === "abort_and_prompt");
    expect(rpc.records[at - 1]).toEqual({ type: "agent_settled" });
    await rpc.waitFor({ type: "agent_settled" }, at);
    expect(story(rpc.records.slice(at))).toEqual([
      ...["agent_start", "turn_start", "user: Instead (image)", "assistant: A", "turn_end", "agent_end", "agent_settled"],
    ]);
    expect(rolesIn(await workspace.sessionLines())).toEqual([
      ...["user", "assistant", "toolResult", "assistant", "user", "assistant"],
    ]);
  });

  test("abort_and_prompt that is refused aborts nothing; an abort behind it stops the new run", async () => {
    const rpc = await startAtGate(...text("A"));
    expect(await rpc.request({ type: "abort_and_prompt", message: "" })).toMatchObject({ success: false });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ isStreaming: true });
    rpc.send({ id: 1, type: "abort_and_prompt", message: "Instead" }, { id: 2, type: "abort" });
    expect(await rpc.waitFor({ id: 1 })).toMatchObject({ success: true });
    await rpc.waitFor({ id: 2 });
    expect(story(rpc.records).slice(-6)).toEqual([
      ...["turn_start", "user: Instead", "assistant:  [aborted]", "turn_end", "agent_end", "agent_settled"],
    ]);
  });

  test.each(["new_session", "reset"])("%s settles the run and empties the queues", async (type) => {
    const rpc = await startAtGate(...text("A"));
    rpc.send({ type: "steer", message: "s" }, { type: "follow_up", message: "f" });
    await rpc.request({ type });
    expect(await counts(rpc)).toEqual([0, 0]);
    const told = story(rpc.records);
    expect(told.slice(told.indexOf("agent_settled")).at(-1)).toBe("queue:  | ");
    const records = await rpc.promptAndWait("New");
    expect(story(records).filter((line) => line.startsWith("user"))).toEqual(["user: New"]);
  });

  test("the end of stdin ends a run with messages queued, exit code 0", async () => {
    const rpc = await startAtGate(...text("A"));
    rpc.send({ id: 1, type: "steer", message: "s" });
    await rpc.waitFor({ id: 1 });
    expect(await rpc.end()).toBe(0);
    expect(story(rpc.records).slice(-2)).toEqual(["agent_end", "agent_settled"]);
  });
});

test("abort is answered at once while thousands of queued messages are worked off, and their updates do not grow with their square", async () => {
  const rpc = await start({ text: "slow", delayMs: 60_000 });
  await rpc.request({ type: "prompt", message: "Go" });
  await rpc.waitFor({ type: "turn_start" });
  const from = rpc.lines.length;
  const count = 5000;
  const messages = Array.from({ length: count }, (_, n) => ({ id: n, type: "queue_message", message: `message ${n}` }));
  rpc.send(...messages, { id: "abort", type: "abort" }, { id: "state", type: "get_state" });
  expect(await rpc.waitFor({ id: "state" })).toMatchObject({ data: { queuedMessageCount: count, isStreaming: false } });
  const ids = rpc.records.filter(({ type }) => type === "response").map(({ id }) => id);
  expect(ids.indexOf("abort")).toBeLessThan(count / 2);
  expect(ids.slice(-2)).toEqual([count - 1, "state"]);
  const bytes = rpc.lines.slice(from).reduce((sum, line) => sum + line.length, 0);
  expect(bytes).toBeLessThan(count * 2000);
  await rpc.waitFor(({ type, steering }) => type === "queue_update" && (steering as string[]).length === count, from);
});

describe("while idle", () => {
  test("steer, queue_message and follow_up wait and start nothing; what steers is context of the next prompt's first call", async () => {
    const rpc = await start(...text("A", "B"));
    for (const type of ["follow_up", "steer", "queue_message"]) await rpc.request({ type, message: type });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({
      isStreaming: false,
      queuedMessageCount: 3,
      pendingMessageCount: 3,
    });
    expect(story(rpc.records).at(-1)).toBe("queue: steer, queue_message | follow_up");
    const records = await rpc.promptAndWait("Go");
    expect(story(records)).toEqual([
      ...["queue:  | follow_up", "agent_start", "turn_start", "user: steer", "user: queue_message", "user: Go", "assistant: A"],
      ...["turn_end", "queue:  | ", "turn_start", "user: follow_up", "assistant: B", "turn_end", "agent_end", "agent_settled"],
    ]);
    expect(records[0]?.type).toBe("queue_update");
    expect(records[1]).toMatchObject({ type: "response", command: "prompt" });
  });

  test.each(["steer", "followUp"])("streamingBehavior %s of a prompt is ignored", async (streamingBehavior) => {
    const rpc = await start(...text("A"));
    expect(await rpc.request({ type: "prompt", message: "Go", streamingBehavior })).toMatchObject({ success: true });
    await rpc.waitFor({ type: "agent_settled" });
    expect(story(rpc.records)).toEqual([
      ...["agent_start", "turn_start", "user: Go", "assistant: A", "turn_end", "agent_end", "agent_settled"],
    ]);
  });

  test("AG-015 the modes are set and told, and all goes in at once", async () => {
    const rpc = await start(...text("A", "B"));
    for (const type of ["set_queue_mode", "set_follow_up_mode"]) {
      expect(await rpc.request({ type, mode: "all" })).toEqual(succeeds(type));
    }
    await rpc.request({ type: "set_interrupt_mode", mode: "immediate" });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({
      queueMode: "all",
      steeringMode: "all",
      followUpMode: "all",
      interruptMode: "immediate",
    });
    rpc.send(...["s1", "s2"].map((message) => ({ type: "steer", message })));
    rpc.send(...["f1", "f2"].map((message) => ({ type: "follow_up", message })));
    const records = await rpc.promptAndWait("Go");
    expect(story(records).filter((line) => /^(user|turn_start)/.test(line))).toEqual([
      ...["turn_start", "user: s1", "user: s2", "user: Go", "turn_start", "user: f1", "user: f2"],
    ]);
    await rpc.request({ type: "set_steering_mode", mode: "one-at-a-time" });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ queueMode: "one-at-a-time", followUpMode: "all" });
  });

  test.each([
    [{ type: "steer" }, /"message"/],
    [{ type: "follow_up", message: 5 }, /"message" must be a string/],
    [{ type: "queue_message", message: " " }, /empty/],
    [{ type: "prompt", message: "x", streamingBehavior: "now" }, /"streamingBehavior" must be "steer" or "followUp"/],
    [{ type: "set_steering_mode", mode: "some" }, /"mode" must be "all" or "one-at-a-time"/],
    [{ type: "set_interrupt_mode", mode: true }, /"mode" must be "immediate" or "wait"/],
    [{ type: "set_auto_retry", enabled: "no" }, /"enabled" must be a boolean/],
  ])("%j is refused, under the name that was sent, and changes nothing", async (command, error) => {
    const rpc = await start();
    const before = (await rpc.request({ type: "get_state" })).data;
    expect(await rpc.request(command)).toMatchObject({
      command: command.type,
      success: false,
      error: expect.stringMatching(error),
    });
    expect((await rpc.request({ type: "get_state" })).data).toEqual(before);
    expect(story(rpc.records)).toEqual([]);
  });
});

test("AG-013 interruptMode immediate: the calls that have not started are skipped, and the model is told", async () => {
  const second = { name: "bash", arguments: { command: "touch second" } };
  const rpc = await start({ toolCalls: [...gated.toolCalls, second] }, ...text("A"));
  await rpc.request({ type: "set_interrupt_mode", mode: "immediate" });
  await rpc.request({ type: "prompt", message: "Go" });
  await rpc.waitFor({ type: "tool_execution_start" });
  await rpc.request({ type: "steer", message: "stop that" });
  await openGate();
  await rpc.waitFor({ type: "agent_settled" });
  expect(story(rpc.records).slice(3)).toEqual([
    ...["assistant: (toolCall) (toolCall)", "queue: stop that | ", "toolResult: (no output)"],
    ...[expect.stringMatching(/^toolResult: Skipped: /), "turn_end", "queue:  | "],
    ...["turn_start", "user: stop that", "assistant: A", "turn_end", "agent_end", "agent_settled"],
  ]);
  expect((await rpc.request({ type: "bash", command: "ls" })).data).toMatchObject({
    output: expect.not.stringContaining("second"),
  });
});
