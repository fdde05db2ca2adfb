import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustFolder } from "../../../../src/config/project-trust.ts";
import { listSettings, valueAt, withValue } from "../../../../src/modes/terminal/commands/setting-list.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";
import { createScriptedSession } from "../../../helpers/sessions.ts";
import { runTyped, useAgentFolder } from "../../../helpers/terminal-commands.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
useAgentFolder(workspace);

async function open(): Promise<FakeStage> {
  const { session } = await createScriptedSession(workspace, [], { session: "memory" });
  return new FakeStage(session);
}

async function stored(): Promise<unknown> {
  return JSON.parse(await readFile(join(workspace.agentDir, "settings.json"), "utf8"));
}

test("a boolean is changed in the user's file, applies at once if it can, and the list comes again", async () => {
  await workspace.write("agent/settings.json", { defaultModel: "script/x", unknown: { kept: 1 }, retry: { maxRetries: 5 } });
  const { session } = await createScriptedSession(workspace, [], { session: "memory" });
  const stage = new FakeStage(session);
  const ended = runTyped(stage, "/settings");
  await stage.shows("── Settings");
  stage.type("compaction.enabled");
  expect(stage.lines()[2]).toMatch(/^❯ compaction\.enabled {2}not set · Whether compaction is automatic\./);
  stage.press(keys.enter);
  await stage.shows("── compaction.enabled");
  expect(stage.text).toContain("❯ not set (the default) ✓");
  stage.type("false");
  stage.press(keys.enter);
  await stage.shows("false (your file)");
  expect(await stored()).toEqual({
    defaultModel: "script/x",
    unknown: { kept: 1 },
    retry: { maxRetries: 5 },
    compaction: { enabled: false },
  });
  expect(session.compaction.enabled).toBe(false);
  expect(stage.notes).toEqual([expect.stringMatching(/^compaction\.enabled is false in .*settings\.json\. This applies now\.$/)]);
  stage.press(keys.enter);
  await stage.shows("── compaction.enabled");
  stage.type("not set");
  stage.press(keys.enter);
  await stage.shows("── Settings");
  expect(await stored()).toEqual({ defaultModel: "script/x", unknown: { kept: 1 }, retry: { maxRetries: 5 } });
  stage.press(keys.esc);
  await ended;
});

test("a choice, a number and a text; a number that is none is refused", async () => {
  const stage = await open();
  const change = async (name: string, ...pressed: string[]) => {
    const ended = runTyped(stage, "/settings");
    await stage.shows("── Settings");
    stage.type(name);
    stage.press(keys.enter);
    await stage.shows(`── ${name}`);
    stage.press(...pressed, keys.enter);
    return ended;
  };
  const changeAndClose = async (name: string, ...pressed: string[]) => {
    const ended = change(name, ...pressed);
    await stage.hasNoted(`${name} is`);
    await stage.shows("── Settings");
    stage.press(keys.esc);
    await ended;
  };
  await changeAndClose("approval", ..."risk");
  await changeAndClose("limits.maxTurns", ..."12");
  await changeAndClose("shell.path", ..."/bin/sh");
  expect(await stored()).toEqual({ approval: "on-risk", limits: { maxTurns: 12 }, shell: { path: "/bin/sh" } });
  stage.notes.length = 0;
  await change("limits.maxTurns", keys.backspace, keys.backspace, "0");
  expect(stage.notes).toEqual(['error: limits.maxTurns must be a number of at least 1, but is "0".']);
});

test("the value of a trusted project is shown as such; records are changed in the file, and not shown", async () => {
  await workspace.write("work/.pi/settings.json", { approval: "always" });
  await workspace.write("agent/settings.json", { approval: "on-risk", mcpServers: { files: { command: "secret" } } });
  const stage = await open();
  const look = async (name: string) => {
    const ended = runTyped(stage, "/settings");
    await stage.shows("── Settings");
    stage.type(name);
    const [, , line] = stage.lines();
    stage.press(keys.esc);
    await ended;
    return line;
  };
  expect(await look("approval")).toContain("on-risk (your file)");
  await trustFolder(workspace.agentDir, workspace.cwd);
  expect(await look("approval")).toContain("always (this folder)");
  expect(await look("mcpServers")).toContain("1 entry (your file)");
  const ended = runTyped(stage, "/settings");
  await stage.shows("── Settings");
  stage.type("mcpServers");
  stage.press(keys.enter);
  await stage.hasNoted(`mcpServers is changed in ${join(workspace.agentDir, "settings.json")}.`);
  await stage.shows("── Settings");
  stage.press(keys.esc);
  await ended;
});

test("every setting of the schema is listed, and values are read and set by their path", () => {
  const names = listSettings().map(({ path, kind }) => `${path.join(".")}: ${kind}`);
  expect(names).toEqual(
    expect.arrayContaining([
      "approval: choice",
      "retry.enabled: choice",
      "limits.maxCostUsd: number",
      "shell.path: text",
      "keys: file",
      "terminal.plain: choice",
    ]),
  );
  expect(valueAt({ a: { b: false } }, ["a", "b"])).toBe(false);
  expect(valueAt({ a: [] }, ["a", "b"])).toBeUndefined();
  expect(valueAt({}, ["constructor"])).toBeUndefined();
  expect(withValue({ a: { b: 1, c: 2 }, d: 3 }, ["a", "b"], 4)).toEqual({ a: { b: 4, c: 2 }, d: 3 });
  expect(withValue({ a: { b: 1 }, d: 3 }, ["a", "b"], undefined)).toEqual({ d: 3 });
  expect(withValue({}, ["a", "b"], true)).toEqual({ a: { b: true } });
});
