import { type TSchema, Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { toObjectSchema } from "../../src/apis/tool-schema.ts";

function schemaOf(parameters: unknown) {
  return JSON.parse(JSON.stringify(toObjectSchema({ name: "t", description: "", parameters: parameters as TSchema })));
}

describe("AN-018 the root of a tool's parameters is an object with properties and without alternatives", () => {
  test("what is one already stays as it is", () => {
    const parameters = Type.Object({ path: Type.String(), depth: Type.Optional(Type.Number()) }, { additionalProperties: false });
    expect(schemaOf(parameters)).toEqual(JSON.parse(JSON.stringify(parameters)));
  });

  test.each([{}, { type: "object" }, true, null, { type: "string" }])("%j becomes an object without properties", (parameters) => {
    expect(schemaOf(parameters)).toEqual({ type: "object", properties: {} });
  });

  test.each(["anyOf", "oneOf"])("%s: the properties of all branches, and what each of them requires", (keyword) => {
    const branches = [
      { type: "object", properties: { kind: { const: "a" }, a: { type: "string" } }, required: ["kind", "a"] },
      { type: "object", properties: { b: { type: "number" }, kind: { const: "b" } }, required: ["b", "kind"] },
    ];
    expect(schemaOf({ [keyword]: branches, description: "x", $defs: {} })).toEqual({
      type: "object",
      description: "x",
      $defs: {},
      properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, a: { type: "string" }, b: { type: "number" } },
      required: ["kind"],
    });
  });

  test("allOf: the properties and requirements of all parts, also of parts within parts", () => {
    const nested = { allOf: [{ properties: { b: {} }, required: ["b"] }] };
    expect(
      schemaOf({ properties: { own: {} }, required: ["own"], allOf: [{ properties: { a: {} }, required: ["a"] }, nested] }),
    ).toEqual({
      type: "object",
      properties: { a: {}, b: {}, own: {} },
      required: ["own", "a", "b"],
    });
  });

  test("alternatives deeper inside stay", () => {
    const parameters = Type.Object({ value: Type.Union([Type.String(), Type.Number()]) });
    expect(schemaOf(parameters).properties.value).toEqual({ anyOf: [{ type: "string" }, { type: "number" }] });
  });

  test("AI-015 half surrogate pairs in descriptions are removed", () => {
    expect(schemaOf({ type: "object", properties: { a: { description: "x\ud83dy" } } }).properties.a.description).toBe("xy");
  });
});
