import { expect, test } from "vitest";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

async function start(...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  const rpc = await serveHere(workspace, { model: await workspace.script(...answers), session: "memory" });
  rpc.keepsResults = true;
  return rpc;
}

const shown = new Set(["response", "agent_start", "agent_end", "agent_settled", "prompt_result", "session_settled"]);

/** The outline of a run: its beginning, its end, and what names a command. */
function outline(records: readonly WireRecord[]): string[] {
  return records.flatMap(({ type, id }) => (shown.has(type) ? [id === undefined ? type : `${type} ${String(id)}`] : []));
}

const completed = { type: "prompt_result", agentInvoked: true, status: "completed", sessionSettled: true };

test("each prompt with an id ends with one prompt_result behind its events, and the session with session_settled", async () => {
  const rpc = await start({ text: "One." }, { text: "Two." });
  for (const id of ["a", 2]) {
    const from = rpc.records.length;
    rpc.send({ id, type: "prompt", message: "Hi" });
    await rpc.waitFor({ type: "session_settled" }, from);
    const run = rpc.records.slice(from);
    expect(outline(run)).toEqual([
      ...[`response ${id}`, "agent_start", "agent_end", "agent_settled", `prompt_result ${id}`, "session_settled"],
    ]);
    expect(run.at(-2)).toEqual({ ...completed, id });
    expect(await rpc.state()).toMatchObject({ isSettled: true });
  }
});

test("a prompt without an id has neither", async () => {
  const rpc = await start({ text: "One." });
  rpc.send({ type: "prompt", message: "Hi" });
  await rpc.waitFor({ type: "agent_settled" });
  await rpc.state();
  expect(outline(rpc.records).slice(0, 4)).toEqual(["response", "agent_start", "agent_end", "agent_settled"]);
  expect(outline(rpc.records).slice(4)).toEqual([expect.stringMatching(/^response request-/)]);
});

test("a prompt that joins a run has its result at the end of that run", async () => {
  const rpc = await start(
    { text: "Looking.", toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
    {
      text: "Done.",
    },
  );
  rpc.send({ id: "first", type: "prompt", message: "Hi" });
  await rpc.waitFor({ type: "tool_execution_start" });
  expect(await rpc.state()).toMatchObject({ isSettled: false });
  rpc.send({ id: "second", type: "prompt", message: "And that", streamingBehavior: "steer" });
  await rpc.waitFor({ type: "response", id: "second" });
  await workspace.write("work/go", "");
  await rpc.waitFor({ type: "session_settled" });
  expect(outline(rpc.records).slice(-4)).toEqual([
    ...["agent_settled", "prompt_result first", "prompt_result second", "session_settled"],
  ]);
  expect(rpc.records.filter(({ type }) => type === "prompt_result")).toEqual([
    { ...completed, id: "first", sessionSettled: false },
    { ...completed, id: "second" },
  ]);
});

test("a failed call, an abort, and a prompt in the place of another have their status", async () => {
  const wait = { toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] };
  const rpc = await start({ error: { status: 400, message: "no such thing" } }, wait, wait, { text: "Instead." });
  rpc.send({ id: "failed", type: "prompt", message: "Hi" });
  expect(await rpc.waitFor({ type: "prompt_result", id: "failed" })).toEqual({
    ...{ type: "prompt_result", id: "failed", agentInvoked: true, status: "error", sessionSettled: true },
    error: {
      message: expect.stringContaining("no such thing"),
      ...{ provider: "script", model: expect.any(String), retryable: false },
    },
  });
  const begin = async (id: string) => {
    const from = rpc.records.length;
    rpc.send({ id, type: "prompt", message: "Wait" });
    await rpc.waitFor({ type: "tool_execution_start" }, from);
  };
  await begin("aborted");
  await rpc.request({ type: "abort" });
  expect(await rpc.waitFor({ type: "prompt_result", id: "aborted" })).toEqual({ ...completed, id: "aborted", status: "aborted" });
  await begin("replaced");
  rpc.send({ id: "instead", type: "abort_and_prompt", message: "This" });
  expect(await rpc.waitFor({ type: "prompt_result", id: "instead" })).toEqual({ ...completed, id: "instead" });
  expect(await rpc.waitFor({ type: "prompt_result", id: "replaced" })).toMatchObject({ status: "aborted" });
});

test("a refused prompt has no result, and a command that calls no model says so", async () => {
  const path = await workspace.write(
    "note.mjs",
    `export default (pi) => pi.registerCommand("note", { async handler(args, { ui }) { ui.notify(args); } });`,
  );
  const rpc = startRpc(workspace, ["--no-session", "--model", await workspace.script({ text: "One." }), "--extension", path]);
  rpc.keepsResults = true;
  rpc.send({ id: "empty", type: "prompt", message: "" });
  rpc.send({ id: "note", type: "prompt", message: "/note it" });
  expect(await rpc.waitFor({ type: "prompt_result" })).toEqual({ ...completed, id: "note", agentInvoked: false });
  await rpc.state();
  expect(rpc.records.filter(({ type }) => type === "session_settled")).toEqual([]);
});

test("get_available_commands is get_commands", async () => {
  const path = await workspace.write("agent/prompts/review.md", "---\ndescription: Reviews\n---\nReview it.\n");
  const rpc = startRpc(workspace, ["--no-session", "--model", "demo/tour"]);
  const sourceInfo = { path, source: "auto", scope: "user", origin: "top-level" };
  const commands = [{ name: "review", description: "Reviews", source: "prompt", location: "user", path, sourceInfo }];
  expect(await rpc.ask({ type: "get_available_commands" })).toEqual({ commands });
  expect(await rpc.ask({ type: "get_commands" })).toEqual({ commands });
});
