import { rm } from "node:fs/promises";
import { join } from "node:path";
import { anthropic, cut } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { serveModels } from "../../helpers/endpoints.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const texts = (...all: string[]) => all.map((text) => ({ text }));

test("SE-021 a session file that cannot be written is one error event a cause; the run goes on, and what is missing is written later", async () => {
  // A file stands where the folder of the sessions would be.
  const folder = await workspace.write("sessions", "in the way");
  const rpc = startRpc(workspace, ["--session-dir", folder, "--model", await workspace.script(...texts("A", "B", "C"))]);
  await rpc.promptAndWait("one");
  await rpc.promptAndWait("two");
  const errors = rpc.records.filter(({ type }) => type === "error");
  expect(errors).toEqual([{ type: "error", error: expect.stringContaining(folder) }]);
  expect(await rpc.state()).toMatchObject({ messageCount: 4 });
  expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "B" });
  await rm(folder);
  await rpc.promptAndWait("three");
  const { sessionFile } = await rpc.state();
  await rpc.end();
  const again = startRpc(workspace, ["--session", String(sessionFile)]);
  expect(await again.state()).toMatchObject({ messageCount: 6 });
});

describe("RP-006 what fails after a prompt was accepted is an answer that ended in error", () => {
  test.each([
    ["a key that is refused", anthropic.error(401, "invalid x-api-key", { type: "authentication_error" }), /key/i],
    ["a request that is refused", anthropic.error(400, "no such thing"), /no such thing/],
    ["a connection that breaks", anthropic.answer([{ text: "Half" }], { ending: [cut] }), /./],
  ])("%s", async (_name, response, reason) => {
    const server = await serveModels(workspace);
    server.respond(response);
    const rpc = startRpc(workspace, ["--model", "local-anthropic/claude"]);
    await rpc.ask({ type: "set_auto_retry", enabled: false });
    const records = await rpc.promptAndWait("Hi");
    expect(records[0]).toMatchObject({ type: "response", success: true });
    const end = records.find(({ type }) => type === "agent_end");
    expect(end).toMatchObject({ messages: [{}, { stopReason: "error", errorMessage: expect.stringMatching(reason) }] });
    expect(rpc.lines.join()).not.toContain("5ecret");
    expect(await rpc.state()).toMatchObject({ isStreaming: false, messageCount: 2 });
  });
});

describe("one write with everything", () => {
  test("each command is answered once, those of the lane in their order, and the end of input loses none", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script(...texts("A", "B", "C", "D"))]);
    const lines = [
      { id: 1, type: "set_session_name", name: "x" },
      { id: 2, type: "prompt", message: "one" },
      { id: 3, type: "steer", message: "s" },
      { id: 4, type: "bash", command: "sleep 60" },
      { id: 5, type: "abort_and_prompt", message: "two" },
      { id: 6, type: "clone" },
      { id: 7, type: "compact" },
      { id: 8, type: "follow_up", message: "f" },
      { id: 9, type: "new_session" },
      { id: 10, type: "prompt", message: "three" },
      { id: 11, type: "get_tree" },
      { id: 12, type: "switch_session", sessionPath: join(workspace.root, "none.jsonl") },
      { id: 13, type: "get_state" },
    ];
    rpc.send(...lines);
    expect(await rpc.end()).toBe(0);
    const ids = rpc.records.flatMap(({ type, id }) => (type === "response" ? [id] : []));
    expect([...ids].sort((a, b) => Number(a) - Number(b))).toEqual(lines.map(({ id }) => id));
    const lane = lines.map(({ id }) => id).filter((id) => id !== 4 && id !== 7);
    expect(ids.filter((id) => lane.includes(Number(id)))).toEqual(lane);
    expect(rpc.records.filter(({ type }) => type === "agent_start").length).toBe(
      rpc.records.filter(({ type }) => type === "agent_settled").length,
    );
    expect(rpc.stderr).toBe("");
  });

  test("a host tool's result and a dialog's answer act at once, also behind commands that wait", async () => {
    const tool = { name: "t", description: "T", parameters: { type: "object" } };
    const script = await workspace.script({ toolCalls: [{ name: "t" }] }, ...texts("A", "B"));
    const rpc = startRpc(workspace, ["--approval", "always", "--model", script]);
    await rpc.ask({ type: "set_host_tools", tools: [tool] });
    await rpc.request({ type: "prompt", message: "Go" });
    const { id } = await rpc.waitFor({ type: "extension_ui_request" });
    // The shell command is going on, and the answer does not wait for it.
    rpc.send(
      { id: "b", type: "bash", command: "until [ -e go ]; do sleep 0.02; done" },
      { type: "extension_ui_response", id, confirmed: true },
    );
    const call = await rpc.waitFor({ type: "host_tool_call" });
    rpc.send({ type: "host_tool_result", id: call.id, result: { content: [] } });
    await rpc.waitFor({ type: "agent_settled" });
    await workspace.write("work/go", "");
    expect(await rpc.waitFor({ id: "b" })).toMatchObject({ success: true });
  });
});
