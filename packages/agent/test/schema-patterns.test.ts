import { type TSchema, Type } from "@sinclair/typebox";
import { describe, expect, test, vi } from "vitest";
import type { CompilePattern } from "../src/types.ts";
import { validateArguments } from "../src/validate-arguments.ts";
import { createEchoTool } from "./helpers/scripted-agent.ts";

/** With V8 this would take longer than the universe has. */
const evil = "^(a+)+$";
const trap = `${"a".repeat(100)}!`;

/** An engine for these tests: a pattern is a word that must be in the text; others it cannot make. */
const words: CompilePattern = (source) =>
  /^\w+$/.test(source) ? { test: (text) => text.includes(source), stepsPerCharacter: 1 } : undefined;

const validate = (parameters: object, args: Record<string, unknown>, compile?: CompilePattern) =>
  validateArguments(createEchoTool({ parameters: parameters as TSchema }), args, compile && (() => compile));

const isRefused = async (...args: Parameters<typeof validate>) =>
  validate(...args).then(
    () => false,
    (error: { code: string }) => error.code === "invalid_arguments",
  );

describe("B2 no regular expression of a schema is run by the language's own engine", () => {
  const schemas = {
    "JSON Schema, pattern": { type: "object", properties: { a: { type: "string", pattern: evil } } },
    "JSON Schema, patternProperties": { type: "object", patternProperties: { [evil]: { type: "number" } } },
    "JSON Schema, propertyNames": { type: "object", propertyNames: { pattern: evil } },
    "TypeBox, pattern": Type.Object({ a: Type.String({ pattern: evil }) }),
    "TypeBox, record": Type.Record(Type.String({ pattern: evil }), Type.Number()),
  };
  test.each(Object.entries(schemas))("%s", async (_name, schema) => {
    const args = { a: trap, [trap]: 1 };
    await validate(schema, args);
    const compile = vi.fn<CompilePattern>(() => ({ test: () => true, stepsPerCharacter: 1 }));
    await isRefused(schema, args, compile);
    expect(compile.mock.calls).toEqual([[evil]]);
  });

  test("a type of TypeBox's own that holds one is a fault of the tool", async () => {
    const schema = Type.Object({ a: Type.RegExp(/^(a+)+$/) });
    await expect(validate(schema, { a: trap })).rejects.toMatchObject({ code: "invalid_schema" });
  });
});

describe("what the engine can make is checked", () => {
  test("pattern", async () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "yes" } } };
    expect(await isRefused(schema, { a: "oh yes" }, words)).toBe(false);
    await expect(validate(schema, { a: "no" }, words)).rejects.toThrow('/a: must match pattern "yes"');
    expect(await isRefused(schema, { a: "no" })).toBe(false);
  });

  test("patternProperties and what depends on it", async () => {
    const schema = { type: "object", patternProperties: { num: { type: "number" } }, additionalProperties: false };
    expect(await isRefused(schema, { num1: 1 }, words)).toBe(false);
    expect(await isRefused(schema, { num1: {} }, words)).toBe(true);
    expect(await isRefused(schema, { other: 1 }, words)).toBe(true);
  });

  test("for so many steps, and no more", async () => {
    const test = vi.fn(() => false);
    const slow: CompilePattern = () => ({ test, stepsPerCharacter: 1_000_000 });
    const schema = { type: "object", properties: { a: { type: "array", items: { type: "string", pattern: "yes" } } } };
    await expect(validate(schema, { a: Array(100).fill("no") }, slow)).rejects.toThrow("/a/0: must match");
    expect(test).toHaveBeenCalledTimes(6);
  });
});

describe("what it cannot make is left out, and nothing is refused for it", () => {
  const look = { pattern: "(?=a)" };
  test.each([
    ["pattern", look, "b"],
    ["not", { not: look }, "a"],
    ["not, further down", { not: { properties: { a: { anyOf: [look, { const: 1 }] } } } }, { a: "a" }],
    ["oneOf", { oneOf: [look, { type: "string" }] }, "a"],
    ["if", JSON.parse('{"if": {"pattern": "(?=a)"}, "then": {"const": 1}}') as object, "a"],
    ["else", { if: { const: 1 }, else: look }, "b"],
    ["contains", { contains: look, minContains: 1 }, ["b"]],
    ["patternProperties", { patternProperties: { "(?=a)": { const: 1 } }, additionalProperties: false }, { a: 2, b: 2 }],
  ])("%s", async (_name, schema, a) => {
    const parameters = { type: "object", properties: { a: schema, b: { type: "string", pattern: "yes" } }, required: ["b"] };
    expect(await isRefused(parameters, { a, b: "yes" }, words)).toBe(false);
    expect(await isRefused(parameters, { a, b: "no" }, words)).toBe(true);
  });

  test("data and names that look like patterns stay", async () => {
    const schema = {
      type: "object",
      properties: { pattern: { type: "string" }, a: { enum: [{ pattern: "(?=a)" }] }, patternProperties: { type: "number" } },
      required: ["pattern"],
    };
    expect(await isRefused(schema, { pattern: "x", a: { pattern: "(?=a)" }, patternProperties: 1 }, words)).toBe(false);
    expect(await isRefused(schema, { pattern: "x", a: { pattern: "other" } }, words)).toBe(true);
    expect(await isRefused(schema, { pattern: "x", patternProperties: "x" }, words)).toBe(true);
    expect(await isRefused(schema, {}, words)).toBe(true);
  });
});
