import { readFile } from "node:fs/promises";
import { anthropic } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { serveModels } from "../../helpers/endpoints.ts";
import { expectProcessGone, readPid } from "../../helpers/processes.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

test("RP-017 the model reads commands and outputs with the next prompt, several of them, but not those that are excluded", async () => {
  const server = await serveModels(workspace);
  server.respond(anthropic.text("Fine."));
  const rpc = startRpc(workspace, ["--model", "local-anthropic/claude"]);
  await rpc.ask({ type: "bash", command: "echo first" });
  await rpc.ask({ type: "bash", command: "echo secret", excludeFromContext: true });
  await rpc.ask({ type: "bash", command: "echo second; exit 3", excludeFromContext: null });
  await rpc.promptAndWait("What happened?");
  const body = server.requests[0]?.body as { messages: unknown };
  const text = JSON.stringify(body.messages);
  expect(text).toContain("Ran `echo first`");
  expect(text).toContain("second");
  expect(text).not.toContain("secret");
  expect(rolesIn(await workspace.sessionLines())).toEqual([
    ...["bashExecution", "bashExecution", "bashExecution", "user", "assistant"],
  ]);
});

test("the stored message has every field, null when there is none", async () => {
  const rpc = await serveHere(workspace, { model: "demo/tour" });
  const { data } = await rpc.request({ type: "bash", command: "printf 'a\\nb'" });
  expect(data).toEqual({
    ...{ output: "a\nb", exitCode: 0, cancelled: false, truncated: false },
    ...{ totalLines: 2, totalBytes: 3, outputLines: 2, outputBytes: 3 },
  });
  const { messages } = await rpc.ask({ type: "get_messages" });
  expect(messages).toMatchObject([
    { role: "bashExecution", command: "printf 'a\\nb'", output: "a\nb", exitCode: 0, cancelled: false, fullOutputPath: null },
  ]);
});

test("RP-005 in deltas mode its output is told as it comes, under its id; in snapshots mode nothing is", async () => {
  const rpc = startRpc(workspace, ["--model", "demo/tour", "--stream", "deltas"]);
  const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two";
  rpc.send({ id: { n: 1 }, type: "bash", command });
  const first = await rpc.waitFor({ type: "bash_execution_update" });
  expect(first).toEqual({ type: "bash_execution_update", id: { n: 1 }, delta: "one\n" });
  await workspace.write("work/go", "");
  const response = await rpc.waitFor({ type: "response" });
  expect(response).toMatchObject({ id: { n: 1 }, data: { output: "one\ntwo\n" } });
  const deltas = rpc.records.filter(({ type }) => type === "bash_execution_update").map(({ delta }) => delta);
  expect(deltas.join("")).toBe("one\ntwo\n");
  const from = rpc.records.length;
  rpc.send({ type: "bash", command: "echo three" });
  await rpc.waitFor({ type: "response" }, from);
  expect(rpc.records[from]).toEqual({ type: "bash_execution_update", delta: "three\n" });
  await rpc.ask({ type: "set_stream_mode", mode: "snapshots" });
  const later = rpc.records.length;
  await rpc.ask({ type: "bash", command: "echo four" });
  expect(rpc.records.slice(later)).toHaveLength(1);
});

test("several at a time; abort_bash stops them all, with the processes that they have started", async () => {
  const rpc = await serveHere(workspace, { model: "demo/tour" });
  for (const id of ["a", "b"]) rpc.send({ id, type: "bash", command: `sleep 60 & echo $! > ${id}.pid; echo ${id}; wait` });
  const pids = [await readPid(`${workspace.cwd}/a.pid`), await readPid(`${workspace.cwd}/b.pid`)];
  expect(await rpc.request({ type: "abort_bash" })).toEqual({
    id: expect.any(String),
    type: "response",
    command: "abort_bash",
    success: true,
  });
  for (const id of ["a", "b"]) {
    expect(await rpc.waitFor({ id })).toMatchObject({
      success: true,
      data: { output: `${id}\n`, exitCode: null, cancelled: true },
    });
  }
  for (const pid of pids) await expectProcessGone(pid);
  const { messages } = await rpc.ask({ type: "get_messages" });
  expect(messages).toMatchObject([{ cancelled: true, exitCode: null }, { cancelled: true }]);
});

test("RP-007 is answered while a tool call of a run is going on; what it gave comes behind the call's result", async () => {
  const gated = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
  const rpc = await serveHere(workspace, { model: await workspace.script(gated, { text: "Done." }) });
  await rpc.request({ type: "prompt", message: "Work" });
  await rpc.waitFor({ type: "tool_execution_start" });
  expect(await rpc.ask({ type: "bash", command: "echo quick" })).toMatchObject({ output: "quick\n" });
  expect(await rpc.state()).toMatchObject({ isStreaming: true });
  expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "bashExecution"]);
  await workspace.write("work/go", "");
  await rpc.waitFor({ type: "agent_settled" });
  const { messages } = (await rpc.ask({ type: "get_messages" })) as { messages: { role: string }[] };
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "bashExecution", "assistant"]);
});

test("abort_bash with nothing to stop succeeds", async () => {
  const rpc = await serveHere(workspace, { model: "demo/tour", session: "memory" });
  expect(await rpc.request({ type: "abort_bash" })).toMatchObject({ success: true });
  expect(await rpc.ask({ type: "bash", command: "echo on" })).toMatchObject({ output: "on\n" });
});

test("a command that is going when the session is left is stopped and told in neither", async () => {
  const rpc = await serveHere(workspace, { model: "demo/tour" });
  await rpc.ask({ type: "bash", command: "echo kept" });
  const { sessionFile } = await rpc.state();
  rpc.send({ id: "b", type: "bash", command: "echo $$ > pid; sleep 60" });
  const pid = await readPid(`${workspace.cwd}/pid`);
  await rpc.ask({ type: "new_session" });
  expect(await rpc.waitFor({ id: "b" })).toMatchObject({ data: { cancelled: true } });
  await expectProcessGone(pid);
  expect(await rpc.state()).toMatchObject({ messageCount: 0 });
  expect(await readFile(String(sessionFile), "utf8")).not.toContain("sleep 60");
});

test.each([
  [{}, /"command" must be a string/],
  [{ command: 5 }, /"command" must be a string/],
  [{ command: "true", excludeFromContext: "no" }, /"excludeFromContext" must be a boolean/],
])("%j is refused and nothing runs", async (fields, error) => {
  const rpc = await serveHere(workspace, { model: "demo/tour", session: "memory" });
  expect(await rpc.request({ type: "bash", ...fields })).toMatchObject({
    command: "bash",
    success: false,
    error: expect.stringMatching(error),
  });
  expect(await rpc.ask({ type: "get_messages" })).toEqual({ messages: [] });
});
