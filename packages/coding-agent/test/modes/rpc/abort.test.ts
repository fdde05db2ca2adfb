import { expect, test } from "vitest";
import { expectProcessGone, readPid } from "../../helpers/processes.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const hello = { text: "Hello there." };
const slow = { text: "one two three four", delayMs: 60_000 };
const working = { toolCalls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] };

function lastAnswer(rpc: RpcConnection): unknown {
  const end = rpc.records.findLast(({ type }) => type === "agent_end");
  return (end?.messages as unknown[] | undefined)?.findLast((message) => (message as { role: string }).role === "assistant");
}

test("RP-008 abort in the middle of an answer answers when the run has settled", async () => {
  const rpc = startRpc(workspace, ["--model", await workspace.script(slow, hello)]);
  await rpc.request({ type: "prompt", message: "Count" });
  await rpc.waitFor({ type: "message_update" });
  const response = await rpc.request({ type: "abort" });
  expect(rpc.records.at(-2)).toEqual({ type: "agent_settled" });
  expect(response).toEqual({ id: expect.anything(), type: "response", command: "abort", success: true });
  expect(lastAnswer(rpc)).toMatchObject({ stopReason: "aborted" });
  await rpc.promptAndWait("Again");
  expect(lastAnswer(rpc)).toMatchObject({ stopReason: "stop" });
});

test("RP-008 abort in the middle of a tool kills its process before it answers", async () => {
  const rpc = await serveHere(workspace, { model: await workspace.script(working, hello) });
  await rpc.request({ type: "prompt", message: "Work" });
  await rpc.waitFor({ type: "tool_execution_start" });
  const pid = await readPid(`${workspace.cwd}/pid`);
  await rpc.request({ type: "abort" });
  await expectProcessGone(pid);
  expect(rpc.records.find(({ type }) => type === "tool_execution_end")).toMatchObject({ isError: true });
});

test.each(["prompt", "abort_and_prompt"])(
  "abort right behind a %s in the same write: the prompt succeeds, its run ends aborted",
  async (type) => {
    const rpc = await serveHere(workspace, { model: await workspace.script(slow, hello) });
    rpc.send({ id: 1, type, message: "Count" }, { id: 2, type: "abort" });
    expect(await rpc.waitFor({ id: 1 })).toMatchObject({ success: true });
    await rpc.waitFor({ id: 2 });
    expect(rpc.records.filter(({ type }) => type !== "message_update").map(({ type, id }) => id ?? type)).toEqual([
      1,
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      2,
    ]);
    expect(lastAnswer(rpc)).toMatchObject({ stopReason: "aborted", content: [] });
  },
);

test("abort when idle succeeds, and stops no prompt that comes behind it in the same write", async () => {
  const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
  rpc.send({ id: 1, type: "abort" }, { id: 2, type: "prompt", message: "Hi" });
  await rpc.waitFor({ type: "agent_settled" });
  expect(rpc.records.find(({ id }) => id === 1)).toMatchObject({ success: true });
  expect(lastAnswer(rpc)).toMatchObject({ stopReason: "stop" });
});

test("abort behind a prompt that is refused stops no later prompt", async () => {
  const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
  rpc.send({ id: 1, type: "prompt", message: "" }, { id: 2, type: "abort" }, { id: 3, type: "prompt", message: "Hi" });
  await rpc.waitFor({ type: "agent_settled" });
  expect(lastAnswer(rpc)).toMatchObject({ stopReason: "stop" });
});

test("what stands behind an abort in the same write finds the run settled, and a prompt is accepted", async () => {
  // The run that was aborted before it began asks no model, so the script has one answer.
  const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
  rpc.send(
    { id: 1, type: "prompt", message: "Count" },
    { id: 2, type: "abort" },
    { id: 3, type: "get_state" },
    { id: 4, type: "prompt", message: "Again" },
  );
  expect(await rpc.waitFor({ id: 3 })).toMatchObject({ data: { isStreaming: false, messageCount: 2 } });
  expect(await rpc.waitFor({ id: 4 })).toMatchObject({ success: true });
  await rpc.waitFor(
    { type: "agent_settled" },
    rpc.records.findIndex(({ id }) => id === 4),
  );
  expect(lastAnswer(rpc)).toMatchObject({ stopReason: "stop", content: [{ text: "Hello there." }] });
});

test("abort leaves a shell command of the user's alone, abort_bash a run", async () => {
  const rpc = await serveHere(workspace, { model: await workspace.script(slow) });
  rpc.send({ id: "bash", type: "bash", command: "until [ -e go ]; do sleep 0.02; done; echo went" });
  await rpc.request({ type: "prompt", message: "Count" });
  await rpc.request({ type: "abort_bash" });
  expect(await rpc.waitFor({ id: "bash" })).toMatchObject({ data: { cancelled: true } });
  expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ isStreaming: true });
  rpc.send({ id: "second", type: "bash", command: "until [ -e go ]; do sleep 0.02; done; echo went" });
  await rpc.request({ type: "abort" });
  await workspace.write("work/go", "");
  expect(await rpc.waitFor({ id: "second" })).toMatchObject({ data: { cancelled: false, output: "went\n" } });
});

test("abort_bash behind a bash in the same write stops it, also one that has not started", async () => {
  const rpc = await serveHere(workspace, { model: "demo/tour", session: "memory" });
  rpc.send({ id: 1, type: "bash", command: "sleep 60" }, { id: 2, type: "abort_bash" });
  expect(await rpc.waitFor({ id: 1 })).toMatchObject({ success: true, data: { cancelled: true, exitCode: null } });
  rpc.send(
    { id: 3, type: "set_model", provider: "demo", modelId: "tour" },
    { id: 4, type: "bash", command: "sleep 60" },
    { id: 5, type: "abort_bash" },
    { id: 6, type: "bash", command: "echo later" },
  );
  expect(await rpc.waitFor({ id: 4 })).toMatchObject({ success: true, data: { cancelled: true, exitCode: null } });
  expect(await rpc.waitFor({ id: 6 })).toMatchObject({ data: { output: "later\n" } });
});
