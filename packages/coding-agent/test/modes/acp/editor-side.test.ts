import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { startEditor } from "./editor.ts";

const workspace = useWorkspace();
const fs = { readTextFile: true, writeTextFile: true };

describe("the editor's files", () => {
  test("unsaved text is read and edited, and changes are made by the editor", async () => {
    const path = await workspace.write("work/a.txt", "saved\n");
    const outside = await workspace.write("outside.txt", "not in the project\n");
    const buffers = new Map([[path, "unsaved text, longer than what is saved\n"]]);
    const model = await workspace.script(
      { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] },
      { toolCalls: [{ name: "edit", arguments: { path: "a.txt", oldText: "unsaved", newText: "edited" } }] },
      { toolCalls: [{ name: "write", arguments: { path: "b.txt", content: "new\n" } }] },
      { toolCalls: [{ name: "read", arguments: { path: outside } }] },
      { text: "Done." },
    );
    const editor = await startEditor(workspace, ["--model", model], {
      capabilities: { fs },
      answers: {
        "fs/read_text_file": ({ path: asked }) => ({ content: buffers.get(String(asked)) ?? "" }),
        "fs/write_text_file": ({ path: asked, content }) => {
          buffers.set(String(asked), String(content));
          return {};
        },
      },
    });
    await editor.prompt(await editor.begin(workspace.cwd), "Go");
    const results = editor.updates("tool_call_update").filter(({ status }) => status === "completed");
    expect(JSON.stringify(results[0]?.content)).toContain("unsaved text");
    expect(Object.fromEntries(buffers)).toEqual({
      [path]: "edited text, longer than what is saved\n",
      [join(workspace.cwd, "b.txt")]: "new\n",
    });
    expect(await readFile(path, "utf8")).toBe("saved\n");
    expect(JSON.stringify(results[3]?.content)).toContain("not in the project");
    expect(
      editor.received.some(({ method, params }) => method === "fs/read_text_file" && JSON.stringify(params).includes("outside")),
    ).toBe(false);
  });

  test("a file that the editor does not give is read from disk; a change that it refuses is an error of the call", async () => {
    await workspace.write("work/a.txt", "saved\n");
    const model = await workspace.script(
      { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] },
      { toolCalls: [{ name: "write", arguments: { path: "a.txt", content: "new\n" } }] },
      { text: "Done." },
    );
    const refuse = () => {
      throw new Error("it is locked");
    };
    const editor = await startEditor(workspace, ["--model", model], {
      capabilities: { fs },
      answers: { "fs/read_text_file": refuse, "fs/write_text_file": refuse },
    });
    await editor.prompt(await editor.begin(workspace.cwd), "Go");
    const [read, written] = editor
      .updates("tool_call_update")
      .filter(({ status }) => status === "completed" || status === "failed");
    expect(JSON.stringify(read?.content)).toContain("saved");
    expect(written).toMatchObject({ status: "failed" });
    expect(await readFile(join(workspace.cwd, "a.txt"), "utf8")).toBe("saved\n");
  });
});

describe("the editor's terminals", () => {
  test("a command runs in one, which the call shows, and its output goes to the model", async () => {
    const model = await workspace.script({ toolCalls: [{ name: "bash", arguments: { command: "echo hi" } }] }, { text: "Done." });
    const editor = await startEditor(workspace, ["--model", model], {
      capabilities: { terminal: true },
      answers: {
        "terminal/create": () => ({ terminalId: "t1" }),
        "terminal/wait_for_exit": () => ({ exitCode: 7 }),
        "terminal/output": () => ({ output: "hi from the editor\n", truncated: false, exitStatus: { exitCode: 7 } }),
        "terminal/release": () => ({}),
      },
    });
    await editor.prompt(await editor.begin(workspace.cwd), "Go");
    const asked = editor.received.filter(({ method }) => method?.startsWith("terminal/"));
    expect(asked.map(({ method }) => method)).toEqual([
      "terminal/create",
      "terminal/wait_for_exit",
      "terminal/output",
      "terminal/release",
    ]);
    expect(asked[0]?.params).toMatchObject({ command: "bash", args: ["-c", "echo hi"], cwd: workspace.cwd });
    expect(editor.updates("tool_call_update")).toContainEqual(
      expect.objectContaining({ content: [{ type: "terminal", terminalId: "t1" }] }),
    );
    const lines = await workspace.sessionLines();
    const result = lines.find(({ message }) => message?.role === "toolResult");
    expect(JSON.stringify(result?.message?.content)).toContain("hi from the editor");
    expect(JSON.stringify(result?.message?.content)).toContain("exited with code 7");
  });

  test("a cancel kills the command", async () => {
    const model = await workspace.script(
      { toolCalls: [{ name: "bash", arguments: { command: "sleep 1000" } }] },
      { text: "Done." },
    );
    const killed = Promise.withResolvers<object>();
    const editor = await startEditor(workspace, ["--model", model], {
      capabilities: { terminal: true },
      answers: {
        "terminal/create": () => ({ terminalId: "t1" }),
        "terminal/wait_for_exit": () => killed.promise,
        "terminal/kill": () => {
          killed.resolve({ signal: "SIGKILL" });
          return {};
        },
        "terminal/output": () => ({ output: "", truncated: false, exitStatus: { signal: "SIGKILL" } }),
        "terminal/release": () => ({}),
      },
    });
    const sessionId = await editor.begin(workspace.cwd);
    const prompt = editor.prompt(sessionId, "Go");
    await editor.waitFor(({ method }) => method === "terminal/wait_for_exit");
    await editor.agent.notify("session/cancel", { sessionId });
    expect(await prompt).toBe("cancelled");
    await editor.waitFor(({ method }) => method === "terminal/release");
    expect(editor.received.some(({ method }) => method === "terminal/kill")).toBe(true);
  });
});
