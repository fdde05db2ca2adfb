import { describe, expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { startEditor } from "./editor.ts";

const workspace = useWorkspace();
const mcpServers: [] = [];

async function talk(texts: readonly string[]) {
  const model = await workspace.script(...texts.map((text) => ({ text })));
  const editor = await startEditor(workspace, ["--model", model]);
  const sessionId = await editor.begin(workspace.cwd);
  for (const text of texts) await editor.prompt(sessionId, `Say ${text}`);
  return { editor, sessionId };
}

describe("sessions of pi acp", () => {
  test("a session of a killed process is listed, and loaded with everything that was told", async () => {
    const { editor, sessionId } = await talk(["one", "two"]);
    editor.child.kill("SIGKILL");
    const next = await startEditor(workspace, ["--model", await workspace.script({ text: "three" })]);
    const { sessions } = await next.agent.request("session/list", { cwd: workspace.cwd });
    expect(sessions).toEqual([{ sessionId, cwd: workspace.cwd, title: "Say one", updatedAt: expect.stringMatching(/^\d{4}-/) }]);
    expect((await next.agent.request("session/list", {})).sessions).toEqual(sessions);
    const loaded = await next.agent.request("session/load", { sessionId, cwd: workspace.cwd, mcpServers });
    expect(loaded).toMatchObject({ modes: { currentModeId: "code" } });
    expect([next.textOf("user_message_chunk"), next.answer]).toEqual(["Say oneSay two", "onetwo"]);
    // The whole conversation comes before the answer to the request.
    const last = next.received.findIndex(({ result }) => result === loaded || JSON.stringify(result) === JSON.stringify(loaded));
    expect(next.received.slice(last).filter(({ params }) => JSON.stringify(params ?? {}).includes("message_chunk"))).toEqual([]);
    expect(await next.prompt(sessionId, "Go on")).toBe("end_turn");
    expect(next.answer).toBe("onetwothree");
  });

  test("a replay shows tool calls with their results, diffs and tasks, and what a compaction took from the model", async () => {
    const model = await workspace.script(
      { thinking: "Hm.", toolCalls: [{ name: "write", arguments: { path: "a.txt", content: "x" } }] },
      { toolCalls: [{ name: "bash", arguments: { command: "echo hello; exit 3" } }] },
      { text: "Done." },
      { text: "Summary." },
    );
    const editor = await startEditor(workspace, ["--model", model]);
    const sessionId = await editor.begin(workspace.cwd);
    await editor.prompt(sessionId, "Go");
    await editor.prompt(sessionId, "/compact");
    await editor.agent.request("session/close", { sessionId });
    const told = editor.received.length;
    await editor.agent.request("session/load", { sessionId, cwd: workspace.cwd, mcpServers });
    const updates = editor.received
      .slice(told)
      .flatMap(({ params }) => (params as { update?: { sessionUpdate: string } })?.update ?? []);
    expect(updates.filter(({ sessionUpdate }) => /chunk|tool_call/.test(sessionUpdate))).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "Go" } },
      { sessionUpdate: "agent_thought_chunk", content: { text: "Hm." } },
      { sessionUpdate: "tool_call", title: "Write a.txt", kind: "edit", content: [{ type: "diff", newText: "x" }] },
      { sessionUpdate: "tool_call_update", status: "completed" },
      { sessionUpdate: "tool_call", title: "echo hello; exit 3", kind: "execute" },
      { sessionUpdate: "tool_call_update", status: "failed", content: [{ content: { text: expect.stringContaining("hello") } }] },
      { sessionUpdate: "agent_message_chunk", content: { text: "Done." } },
    ]);
  });

  test("resume continues without a replay; fork copies; close lets go; delete removes", async () => {
    const { editor, sessionId } = await talk(["one"]);
    const place = { cwd: workspace.cwd, mcpServers };
    const { sessionId: copy } = await editor.agent.request<{ sessionId: string }>("session/fork", { sessionId, ...place });
    expect(copy).not.toBe(sessionId);
    await editor.agent.request("session/close", { sessionId });
    await expect(editor.prompt(sessionId, "x")).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining("session/load"),
    });
    const before = editor.answer;
    await editor.agent.request("session/resume", { sessionId, ...place });
    expect(editor.answer).toBe(before);
    await editor.agent.request("session/delete", { sessionId });
    await editor.agent.request("session/delete", { sessionId });
    expect((await editor.agent.request("session/list", {})).sessions.map((session) => session.sessionId)).not.toContain(sessionId);
    await expect(editor.agent.request("session/load", { sessionId, ...place })).rejects.toMatchObject({ code: -32002 });
  });

  test("a list comes in pages", async () => {
    const model = await workspace.script(...Array.from({ length: 53 }, () => ({ text: "ok" })));
    const editor = await startEditor(workspace, ["--model", model]);
    const ids: string[] = [];
    for (let n = 0; n < 53; n += 1) {
      const id = await editor.begin(workspace.cwd);
      await editor.prompt(id, `Prompt ${n}`);
      await editor.agent.request("session/close", { sessionId: id });
      ids.unshift(id);
    }
    const first = await editor.agent.request("session/list", {});
    const second = await editor.agent.request("session/list", { cursor: first.nextCursor ?? null });
    expect([first.sessions.length, second.sessions.length, second.nextCursor]).toEqual([50, 3, undefined]);
    expect(new Set([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId))).toEqual(new Set(ids));
  });

  test("model and thinking level are options, with their values", async () => {
    await workspace.write("agent/models.json", {
      providers: {
        local: { baseUrl: "http://127.0.0.1:9", api: "openai-completions", models: [{ id: "a" }, { id: "b", reasoning: true }] },
      },
    });
    const editor = await startEditor(workspace, []);
    const { sessionId, configOptions } = await editor.agent.request("session/new", { cwd: workspace.cwd, mcpServers });
    expect(configOptions?.map(({ id, category }) => [id, category])).toEqual([
      ["mode", "mode"],
      ["model", "model"],
      ["thinking", "thought_level"],
    ]);
    const set = (configId: string, value: string) =>
      editor.agent.request("session/set_config_option", { sessionId, configId, value });
    expect((await set("model", "local/b")).configOptions[1]).toMatchObject({ currentValue: "local/b" });
    expect((await set("thinking", "high")).configOptions[2]).toMatchObject({ currentValue: "high" });
    await expect(set("thinking", "deep")).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("medium") });
    await expect(set("model", "nowhere/z")).rejects.toMatchObject({ code: -32602 });
    await expect(set("colour", "red")).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("thinking") });
  });
});
