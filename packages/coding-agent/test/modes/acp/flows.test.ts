import type { McpServerStdio } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { fixtureServer } from "../../mcp/helpers.ts";
import { makePng } from "../../tools/images/make-images.ts";
import { startEditor } from "./editor.ts";

const workspace = useWorkspace();

describe("pi acp, driven by the client of the official SDK", () => {
  test("tells what it can do, and speaks version 1 to a client of any version", async () => {
    const editor = await startEditor(workspace, ["--model", "demo/tour"]);
    const answer = await editor.agent.request("initialize", { protocolVersion: 9 });
    expect(answer).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      agentInfo: { name: "pi" },
      authMethods: [{ id: "pi-login" }],
    });
  });

  test("a prompt is answered in chunks, with its tool calls, the commands, and the use of the context", async () => {
    await workspace.write("work/notes.md", "one\ntwo\n");
    const model = await workspace.script(
      { thinking: "Look first.", toolCalls: [{ name: "read", arguments: { path: "notes.md" } }] },
      { text: "It has two lines." },
    );
    const editor = await startEditor(workspace, ["--model", model]);
    const sessionId = await editor.begin(workspace.cwd);
    expect(await editor.prompt(sessionId, "What is in notes.md?")).toBe("end_turn");
    expect(editor.answer).toBe("It has two lines.");
    expect(editor.textOf("agent_thought_chunk")).toBe("Look first.");
    const calls = editor.updates().filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
    expect(calls).toMatchObject([
      { sessionUpdate: "tool_call", title: "read", kind: "read", status: "pending" },
      { title: "Read notes.md", kind: "read", locations: [{ path: `${workspace.cwd}/notes.md` }], rawInput: { path: "notes.md" } },
      { status: "in_progress" },
      { status: "completed", content: [{ type: "content", content: { type: "text", text: expect.stringContaining("one\ntwo") } }] },
    ]);
    expect(editor.updates("available_commands_update")[0]?.availableCommands.map(({ name }) => name)).toContain("compact");
    expect(editor.updates("usage_update").length).toBeGreaterThan(0);
    // The editor shows the prompt itself.
    expect(editor.updates("user_message_chunk")).toEqual([]);
  });

  test("text, embedded files, links and images of a prompt reach the model", async () => {
    const model = await workspace.script({ text: "Seen." });
    const editor = await startEditor(workspace, ["--model", model]);
    const sessionId = await editor.begin(workspace.cwd);
    const data = makePng(2, 2).toString("base64");
    await editor.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Compare " },
        { type: "resource", resource: { uri: "file:///work/a%20b.md", text: "A fence: ```" } },
        { type: "text", text: " with " },
        { type: "resource_link", name: "c", uri: "file:///work/c.md" },
        { type: "image", data, mimeType: "image/png" },
      ],
    });
    const text = "Compare @/work/a b.md with @/work/c.md\n\n/work/a b.md\n````\nA fence: ```\n````";
    expect((await workspace.sessionLines()).find(({ message }) => message?.role === "user")?.message?.content).toEqual([
      { type: "text", text },
      { type: "image", data, mimeType: "image/png" },
    ]);
    await expect(
      editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }] }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("audio") });
  });

  test("an error of the provider is the error of the prompt, and the next prompt works", async () => {
    const model = await workspace.script({ error: { status: 400, message: "The model is on fire." } }, { text: "Better." });
    const editor = await startEditor(workspace, ["--model", model]);
    const sessionId = await editor.begin(workspace.cwd);
    await expect(editor.prompt(sessionId, "Go")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("on fire"),
    });
    expect(await editor.prompt(sessionId, "Again")).toBe("end_turn");
  });

  test("without a model, the prompt and authenticate say what to do", async () => {
    const editor = await startEditor(workspace, []);
    const sessionId = await editor.begin(workspace.cwd);
    const missing = { code: -32000, message: expect.stringContaining("ANTHROPIC_API_KEY") };
    await expect(editor.prompt(sessionId, "Go")).rejects.toMatchObject(missing);
    await expect(editor.agent.request("authenticate", { methodId: "pi-login" })).rejects.toMatchObject(missing);
    await workspace.write("agent/auth.json", { anthropic: { type: "api_key", key: "sk-test" } });
    expect(await editor.agent.request("authenticate", { methodId: "pi-login" })).toEqual({});
  });

  test("the tasks of the agent are a plan", async () => {
    // The open task is asked about again.
    const reminded = Array.from({ length: 4 }, () => ({ text: "Planned." }));
    const phases = [
      {
        name: "Work",
        tasks: [
          { content: "Read", status: "completed" },
          { content: "Write", status: "in_progress" },
        ],
      },
    ];
    const model = await workspace.script({ toolCalls: [{ name: "todo", arguments: { phases } }] }, ...reminded);
    const editor = await startEditor(workspace, ["--model", model, "--tools", "read,todo"]);
    await editor.prompt(await editor.begin(workspace.cwd), "Plan");
    expect(editor.updates("plan").at(-1)).toMatchObject({
      entries: [
        { content: "Read", status: "completed", priority: "medium" },
        { content: "Write", status: "in_progress", priority: "medium" },
      ],
    });
  });

  test("a template of the user is a command, and /compact summarises the conversation", async () => {
    await workspace.write("agent/prompts/review.md", "---\ndescription: Reviews a file\n---\nReview $1 closely.");
    const model = await workspace.script({ text: "Reviewed." }, { text: "A review was made." });
    const editor = await startEditor(workspace, ["--model", model], { capabilities: { session: { compaction: {} } } });
    const sessionId = await editor.begin(workspace.cwd);
    expect(await editor.prompt(sessionId, "/review notes.md")).toBe("end_turn");
    expect(editor.updates("available_commands_update")[0]?.availableCommands).toContainEqual(
      expect.objectContaining({ name: "review", description: "Reviews a file" }),
    );
    const prompt = (await workspace.sessionLines()).find(({ message }) => message?.role === "user");
    expect(prompt?.message?.content).toBe("Review notes.md closely.");
    expect(await editor.prompt(sessionId, "/compact keep the names")).toBe("end_turn");
    const [started, ended] = editor.updates("compaction_update");
    expect([started?.status, ended?.status]).toEqual(["in_progress", "completed"]);
    expect(ended?.compactionId).toBe(started?.compactionId);
  });

  test("an MCP server of the editor brings its tools; a dollar sign in its values is literal", async () => {
    const model = await workspace.script(
      { toolCalls: [{ name: "mcp__notes__environment", arguments: { value: "NOTES_KEY" } }] },
      { text: "Done." },
    );
    const editor = await startEditor(workspace, ["--model", model]);
    const { command = "", args = [] } = fixtureServer();
    const server: McpServerStdio = { name: "notes", command, args, env: [{ name: "NOTES_KEY", value: "a$HOME$$b" }] };
    const { sessionId } = await editor.agent.request("session/new", { cwd: workspace.cwd, mcpServers: [server] });
    expect(await editor.prompt(sessionId, "Go")).toBe("end_turn");
    const results = editor.updates("tool_call_update").filter(({ status }) => status === "completed");
    expect(JSON.stringify(results[0]?.content)).toContain("a$HOME$$b");
  });
});
