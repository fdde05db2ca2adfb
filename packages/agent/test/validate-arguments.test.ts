import { type TSchema, Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { validateArguments } from "../src/validate-arguments.ts";
import { createEchoTool } from "./helpers/scripted-agent.ts";

const validate = (parameters: object, args: Record<string, unknown>) =>
  validateArguments(createEchoTool({ parameters: parameters as TSchema }), args);

const mended = [
  { name: "a number as text", schema: Type.Object({ n: Type.Number() }), args: { n: "5" }, expected: { n: 5 } },
  { name: "an integer as text", schema: Type.Object({ n: Type.Integer() }), args: { n: "5" }, expected: { n: 5 } },
  { name: "a boolean as text", schema: Type.Object({ b: Type.Boolean() }), args: { b: "true" }, expected: { b: true } },
  {
    name: "an array as JSON",
    schema: Type.Object({ a: Type.Array(Type.Number()) }),
    args: { a: '["1",2]' },
    expected: { a: [1, 2] },
  },
  {
    name: "an object as JSON",
    schema: Type.Object({ o: Type.Object({ x: Type.Boolean() }) }),
    args: { o: '{"x":"false"}' },
    expected: { o: { x: false } },
  },
  { name: "null for an optional field", schema: Type.Object({ s: Type.Optional(Type.String()) }), args: { s: null }, expected: {} },
  {
    name: "a value that fits one arm of a union stays",
    schema: Type.Object({ v: Type.Union([Type.Number(), Type.String()]) }),
    args: { v: "5" },
    expected: { v: "5" },
  },
  {
    name: "null stays where it is allowed",
    schema: Type.Object({ s: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
    args: { s: null },
    expected: { s: null },
  },
  {
    name: "a union of which no arm fits as it is",
    schema: Type.Object({ v: Type.Union([Type.Number(), Type.Array(Type.String())]) }),
    args: { v: '["a"]' },
    expected: { v: ["a"] },
  },
];

test.each(mended)("AI-038 $name", async ({ schema, args, expected }) => {
  const before = structuredClone(args);
  expect(await validate(schema, args)).toEqual(expected);
  expect(args).toEqual(before);
});

test("AI-038 a plain JSON Schema is validated and mended alike", async () => {
  const schema = {
    $id: "host",
    type: "object",
    properties: { n: { type: "integer", minimum: 1 } },
    required: ["n"],
    additionalProperties: false,
  };
  expect(await validate(schema, { n: "3" })).toEqual({ n: 3 });
  expect(await validate(structuredClone(schema), { n: 4 })).toEqual({ n: 4 });
  await expect(validate(schema, { n: 0, extra: 1 })).rejects.toMatchObject({
    code: "invalid_arguments",
    message:
      'Invalid arguments for echo. /: must NOT have additional properties; /n: must be >= 1. Received: {"n":0,"extra":1}. Call the tool again with corrected arguments.',
  });
});

test("a schema that cannot be used is a fault of the tool", async () => {
  await expect(validate({ type: "object", properties: { x: { $ref: "#/nowhere" } } }, { x: 1 })).rejects.toMatchObject({
    code: "invalid_schema",
  });
});

test.each([
  ["to the root", { $ref: "#" }],
  ["in a circle", { type: "object", $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
  ["of alternatives", { anyOf: [{ $ref: "#" }, { type: "object" }] }],
])("a schema whose references never come to an end is a fault of the tool: %s", async (_name, schema) => {
  await expect(validate(schema, { x: 1 })).rejects.toMatchObject({
    code: "invalid_schema",
    message: "The tool's parameter schema cannot be used: its references ($ref) never come to an end. This is a fault of the tool.",
  });
});

test("a schema that refers to itself further down is none", async () => {
  const schema = { type: "object", properties: { next: { $ref: "#" }, n: { type: "number" } } };
  expect(await validate(schema, { next: { next: { n: 1 } } })).toEqual({ next: { next: { n: 1 } } });
  await expect(validate(schema, { next: { next: { n: "a" } } })).rejects.toThrow("/next/next/n: must be number");
});

test("a schema that is nested too deep, or holds itself, is a fault of the tool", async () => {
  const circle: Record<string, unknown> = { type: "object" };
  circle.anyOf = [circle];
  const reason = "it is nested more than 100 levels deep";
  await expect(validate(circle, { x: 1 })).rejects.toThrow(`The tool's parameter schema cannot be used: ${reason}.`);
});

test("JSON text in an argument that is nested too deep stays text", async () => {
  const text = "[".repeat(5000) + "]".repeat(5000);
  await expect(validate(Type.Object({ a: Type.Array(Type.Any()) }), { a: text })).rejects.toThrow("/a: Expected array");
});

test("AI-038 errors list path, reason and what was received, cut to a length", async () => {
  const schema = Type.Object({ text: Type.String(), n: Type.Number() });
  await expect(validate(schema, { text: "x".repeat(1000) })).rejects.toThrow(
    /^Invalid arguments for echo\. \/n: Expected required property.*Received: \{"text":"x{400,500}…\. Call/,
  );
});

test("SC-011 arguments named __proto__ pollute nothing", async () => {
  const args = JSON.parse('{"text":"a","__proto__":{"polluted":true}}') as Record<string, unknown>;
  const params = await validate(Type.Object({ text: Type.String() }), args);
  expect((params as { polluted?: boolean }).polluted).toBeUndefined();
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
