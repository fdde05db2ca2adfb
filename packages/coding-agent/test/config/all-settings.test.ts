import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAllSettings } from "../../src/config/all-settings.ts";
import { SettingsSchema } from "../../src/config/settings.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

describe("settings of the user and of a project", () => {
  test("the project's win; objects are merged key by key, lists are joined", async () => {
    await workspace.write("agent/settings.json", {
      defaultModel: "demo/tour",
      steeringMode: "all",
      retry: { maxRetries: 1, baseDelayMs: 5 },
      skills: ["mine"],
      mcpServers: { a: { command: "a" }, b: { command: "b" } },
    });
    await workspace.write("work/.pi/settings.json", {
      steeringMode: "one-at-a-time",
      retry: { maxRetries: 2 },
      skills: ["ours"],
      mcpServers: { b: { command: "other" } },
    });
    const { settings } = await readAllSettings(workspace.agentDir, workspace.cwd);
    expect(settings).toEqual({
      defaultModel: "demo/tour",
      steeringMode: "one-at-a-time",
      retry: { maxRetries: 2, baseDelayMs: 5 },
      skills: [join(workspace.agentDir, "mine"), join(workspace.cwd, ".pi/ours")],
      mcpServers: { a: { command: "a" }, b: { command: "other" } },
    });
    expect((await readAllSettings(workspace.agentDir)).settings.steeringMode).toBe("all");
  });

  test("paths count from the file that names them; ~ is the home folder; a package is found where it is installed", async () => {
    await workspace.write("agent/node_modules/@us/guard/index.js", "");
    await workspace.write("agent/settings.json", { extensions: ["./a.ts", "~/b.ts", "/c.ts", "@us/guard", "missing"] });
    await workspace.write("work/.pi/settings.json", { extensions: ["a.ts"], prompts: ["~"] });
    const { settings, extensions } = await readAllSettings(workspace.agentDir, workspace.cwd);
    expect(settings.prompts).toEqual([homedir()]);
    expect(extensions).toEqual([
      { path: join(workspace.agentDir, "a.ts"), location: "user" },
      { path: join(homedir(), "b.ts"), location: "user" },
      { path: "/c.ts", location: "user" },
      { path: join(workspace.agentDir, "node_modules/@us/guard"), location: "user" },
      { path: join(workspace.agentDir, "missing"), location: "user" },
      { path: join(workspace.cwd, ".pi/a.ts"), location: "project" },
    ]);
  });

  test("a fault names the file that has it, and the field", async () => {
    await workspace.write("agent/settings.json", {});
    const path = await workspace.write("work/.pi/settings.json", { mcpServers: { a: { command: 5 } } });
    const reading = readAllSettings(workspace.agentDir, workspace.cwd);
    await expect(reading).rejects.toThrow(`${path}: Field "mcpServers.a.command" must be a string, but is 5.`);
    const malformed = await workspace.write("work/.pi/settings.json", '{\n  "retry": {,}\n}');
    await expect(readAllSettings(workspace.agentDir, workspace.cwd)).rejects.toThrow(
      `${malformed} is not valid JSON: it breaks in line 2, column 13. Correct or remove it.`,
    );
  });
});

test("docs/settings.schema.json describes the settings that are read (update it with vitest -u)", async () => {
  const head = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://unpkg.com/@pikit/coding-agent/dist/settings.schema.json",
    title: "Settings of pi",
  };
  const schema = { ...head, ...SettingsSchema };
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot("../../../../docs/settings.schema.json");
});
