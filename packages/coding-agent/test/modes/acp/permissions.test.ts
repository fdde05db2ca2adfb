import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { type EditorOptions, startEditor } from "./editor.ts";

const workspace = useWorkspace();

const write = (path: string, content = "new\n") => ({ toolCalls: [{ name: "write", arguments: { path, content } }] });
const mkdir = (name: string) => ({ toolCalls: [{ name: "bash", arguments: { command: `mkdir -p ${name}` } }] });
const touch = (name: string) => ({ toolCalls: [{ name: "bash", arguments: { command: `touch ${name}` } }] });

async function begin(answers: Parameters<typeof workspace.script>, options: EditorOptions = {}) {
  const editor = await startEditor(workspace, ["--model", await workspace.script(...answers, { text: "Done." })], options);
  const sessionId = await editor.begin(workspace.cwd);
  await editor.agent.request("session/set_mode", { sessionId, modeId: "ask" });
  return { editor, sessionId };
}

describe("in the mode ask", () => {
  test("a change is shown as a diff before it is asked about, and made after the answer", async () => {
    await workspace.write("work/a.txt", "old\n");
    let contentWhenAsked = "";
    const { editor, sessionId } = await begin([write("a.txt")], {
      onPermission: ({ options }) => {
        contentWhenAsked = JSON.stringify(editor.updates("tool_call_update").at(-1)?.content);
        return options[0]?.optionId ?? "";
      },
    });
    expect(await editor.prompt(sessionId, "Write")).toBe("end_turn");
    expect(JSON.parse(contentWhenAsked)).toEqual([
      { type: "diff", path: join(workspace.cwd, "a.txt"), oldText: "old\n", newText: "new\n" },
    ]);
    expect(editor.permissions).toMatchObject([
      {
        sessionId,
        options: [
          { kind: "allow_once", name: "Allow" },
          { kind: "reject_once", name: "Reject" },
          { kind: "allow_always", name: "Allow for this session: write(**)" },
          { kind: "reject_always", name: "Reject for this session: write(**)" },
          { kind: "allow_always", name: expect.stringMatching(/^Always allow: write\(\*\*\) \(rule in .*settings\.json\)$/) },
          { kind: "reject_always", name: expect.stringMatching(/^Always reject: write\(\*\*\) \(rule in .*settings\.json\)$/) },
        ],
      },
    ]);
    expect(await readFile(join(workspace.cwd, "a.txt"), "utf8")).toBe("new\n");
    // The diff stays in the editor.
    expect(editor.updates("tool_call_update").at(-1)).not.toHaveProperty("content");
  });

  test("a rejected call is not run, and the run goes on", async () => {
    const { editor, sessionId } = await begin([touch("x")], { onPermission: () => "reject" });
    expect(await editor.prompt(sessionId, "Touch")).toBe("end_turn");
    expect(existsSync(join(workspace.cwd, "x"))).toBe(false);
    expect(editor.updates("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(editor.answer).toBe("Done.");
  });

  test("always holds for the session, for yes and for no", async () => {
    const { editor, sessionId } = await begin([touch("x"), touch("x"), mkdir("y"), mkdir("y")], {
      onPermission: ({ options, toolCall }) => {
        const kind = toolCall.title?.includes("touch x") ? "reject_always" : "allow_always";
        return options.find((option) => option.kind === kind)?.optionId ?? "none";
      },
    });
    await editor.prompt(sessionId, "Touch");
    expect(editor.permissions.map(({ toolCall }) => toolCall.title)).toEqual(["Allow bash? touch x", "Allow bash? mkdir -p y"]);
    expect(["x", "y"].map((name) => existsSync(join(workspace.cwd, name)))).toEqual([false, true]);
  });

  test("lasting answers are rules in the settings, for yes and for no", async () => {
    const { editor, sessionId } = await begin([touch("x"), touch("x"), mkdir("y"), mkdir("y")], {
      onPermission: ({ toolCall }) => (toolCall.title?.includes("touch x") ? "reject-lasting" : "allow-lasting"),
    });
    await editor.prompt(sessionId, "Touch");
    expect(editor.permissions).toHaveLength(2);
    expect(["x", "y"].map((name) => existsSync(join(workspace.cwd, name)))).toEqual([false, true]);
    expect(JSON.parse(await readFile(join(workspace.agentDir, "settings.json"), "utf8"))).toMatchObject({
      approvalRules: { allow: ["bash(mkdir -p y)"], deny: ["bash(touch x)"] },
    });
  });

  test("a cancel while the editor is asked ends the prompt, though the editor never answers", async () => {
    const { editor, sessionId } = await begin([touch("x")], { onPermission: () => "never" });
    const prompt = editor.prompt(sessionId, "Touch");
    await editor.waitFor(({ method }) => method === "session/request_permission");
    await editor.agent.notify("session/cancel", { sessionId });
    expect(await prompt).toBe("cancelled");
    expect(existsSync(join(workspace.cwd, "x"))).toBe(false);
  });

  test("an editor that vanishes while it is asked leaves no process behind", async () => {
    const { editor, sessionId } = await begin([touch("x")], { onPermission: () => "never" });
    editor.prompt(sessionId, "Touch").catch(() => {});
    await editor.waitFor(({ method }) => method === "session/request_permission");
    const exited = new Promise((resolve) => editor.child.once("exit", resolve));
    editor.child.stdin.destroy();
    expect(await exited).toBe(0);
    expect(existsSync(join(workspace.cwd, "x"))).toBe(false);
  });
});

test("in the mode read-only nothing is changed and nobody is asked; the modes can be changed while the session is open", async () => {
  const { editor, sessionId } = await begin([touch("x"), { text: "No." }, touch("y")]);
  await editor.agent.request("session/set_config_option", { sessionId, configId: "mode", value: "read-only" });
  expect(editor.updates("current_mode_update").at(-1)).toMatchObject({ currentModeId: "read-only" });
  await editor.prompt(sessionId, "Touch");
  expect(existsSync(join(workspace.cwd, "x"))).toBe(false);
  await editor.agent.request("session/set_mode", { sessionId, modeId: "code" });
  await editor.prompt(sessionId, "Touch");
  expect(existsSync(join(workspace.cwd, "y"))).toBe(true);
  expect(editor.permissions).toEqual([]);
});
