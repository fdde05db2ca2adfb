import type { AgentTool } from "@pikit/agent";
import { expect, test } from "vitest";
import { builtInToolNames, isBuiltInTool, isBuiltInToolName } from "../../src/tools/index.ts";
import { createTools } from "./create-tools.ts";

test("a session that was not asked for other tools has read, bash, edit and write", async () => {
  expect((await createTools("/somewhere")).map(({ name }) => name)).toEqual(["read", "bash", "edit", "write"]);
});

test("the built-in tools, as models see them", async () => {
  const tools = await createTools("/somewhere", builtInToolNames);
  expect(tools.map(({ name, executionMode }) => `${name}: ${executionMode ?? "sequential"}`)).toEqual([
    "read: parallel",
    "bash: sequential",
    "edit: sequential",
    "write: sequential",
    "grep: parallel",
    "find: parallel",
    "ls: parallel",
    "todo: sequential",
    "preview: sequential",
    "delegate: parallel",
  ]);
  expect(tools.every(isBuiltInTool)).toBe(true);
  expect(isBuiltInTool({ ...(tools[0] as AgentTool) })).toBe(false);
  for (const { label, description, parameters } of tools) {
    expect(label).not.toBe("");
    expect(description.length).toBeGreaterThan(50);
    for (const property of Object.values(parameters.properties as Record<string, object>)) {
      const text = JSON.stringify(property);
      expect(text).toContain("description");
    }
    expect(parameters).toMatchObject({ type: "object" });
  }
});

test("chosen tools come in the order asked for", async () => {
  expect((await createTools("/somewhere", ["write", "read"])).map(({ name }) => name)).toEqual(["write", "read"]);
  expect(builtInToolNames.every(isBuiltInToolName)).toBe(true);
  expect(isBuiltInToolName("toString")).toBe(false);
});
