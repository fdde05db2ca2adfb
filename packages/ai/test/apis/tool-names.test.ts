import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { createNameReader, resolveToolChoice, toWireName } from "../../src/apis/tool-names.ts";

const tools = ["read", "files.read", "files/read"].map((name) => ({ name, description: "", parameters: Type.Object({}) }));

describe("AN-018 tool names", () => {
  test("that the vendors take stay as they are", () => {
    for (const name of ["read", "mcp__files-read_2", "x".repeat(64)]) expect(toWireName(name)).toBe(name);
  });

  test("that they do not take are rewritten, each to another one, and read back", () => {
    const names = ["files.read", "files/read", "x".repeat(65), `${"x".repeat(64)}y`, "größe", ""];
    const wireNames = names.map(toWireName);
    for (const name of wireNames) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(wireNames).size).toBe(names.length);
    const readName = createNameReader(tools);
    expect(tools.map(({ name }) => readName(toWireName(name)))).toEqual(["read", "files.read", "files/read"]);
    expect(readName("unknown")).toBe("unknown");
    expect(createNameReader(undefined)("read")).toBe("read");
  });
});

test.each([
  { choice: undefined, offered: tools, expected: undefined },
  { choice: "auto" as const, offered: tools, expected: undefined },
  { choice: "none" as const, offered: tools, expected: "none" },
  { choice: "required" as const, offered: tools, expected: "required" },
  { choice: { tool: "read" }, offered: tools, expected: { tool: "read" } },
  { choice: { tool: "write" }, offered: tools, expected: undefined },
  { choice: "required" as const, offered: [], expected: undefined },
  { choice: { tool: "read" }, offered: undefined, expected: undefined },
])("AI-037 the tool choice $choice with $offered.length tools is sent as $expected", ({ choice, offered, expected }) => {
  expect(resolveToolChoice(choice, offered)).toEqual(expected);
});
