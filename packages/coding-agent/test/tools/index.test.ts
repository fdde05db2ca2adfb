import { expect, test } from "vitest";
import { builtInToolNames, createTools, isBuiltInToolName } from "../../src/tools/index.ts";

test("the built-in tools, as models see them", () => {
  const tools = createTools("/somewhere");
  expect(tools.map(({ name }) => name)).toEqual(["read", "bash", "edit", "write"]);
  expect(tools.map(({ name, executionMode }) => `${name}: ${executionMode ?? "sequential"}`)).toEqual([
    "read: parallel",
    "bash: sequential",
    "edit: sequential",
    "write: sequential",
  ]);
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

test("chosen tools come in the order asked for", () => {
  expect(createTools("/somewhere", ["write", "read"]).map(({ name }) => name)).toEqual(["write", "read"]);
  expect(builtInToolNames.every(isBuiltInToolName)).toBe(true);
  expect(isBuiltInToolName("toString")).toBe(false);
});
