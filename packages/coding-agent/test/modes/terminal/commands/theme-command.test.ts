import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
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

test("a theme is chosen from a list, used at once, and stored; the automatic one is no setting", async () => {
  await workspace.write("agent/settings.json", { approval: "always" });
  const stage = await open();
  let ended = runTyped(stage, "/theme");
  await stage.shows("── Theme");
  expect(stage.text).toMatch(/❯ automatic +light or dark, .*\n +dark *\n +own +\/themes\/own\.json/);
  stage.press(keys.down, keys.down, keys.enter);
  await ended;
  expect(await stored()).toEqual({ approval: "always", theme: "own" });
  ended = runTyped(stage, "/theme");
  await stage.shows("── Theme");
  stage.press(keys.enter);
  await ended;
  expect(await stored()).toEqual({ approval: "always" });
  expect(stage.chosenThemes).toEqual(["own", "light/dark"]);
  expect(stage.notes).toEqual([
    "The theme is own, also from the next start on.",
    "The colours are those for the background of the terminal, also from the next start on.",
  ]);
});

test("a name that does not exist changes nothing; colours of the settings are kept", async () => {
  await workspace.write("agent/settings.json", { theme: { accent: "red" } });
  const stage = await open();
  await runTyped(stage, "/theme missing");
  await runTyped(stage, "/theme dark");
  expect(await stored()).toEqual({ theme: { accent: "red" } });
  expect(stage.notes).toEqual([
    'error: There is no theme "missing".',
    expect.stringMatching(/^warning: The theme is dark, until pi ends: "theme" in \S+ has colours of its own\.$/),
  ]);
});
