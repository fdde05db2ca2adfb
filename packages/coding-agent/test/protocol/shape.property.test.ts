import type { TObject } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SettingsSchema } from "../../src/config/settings.ts";
import { settingsShape } from "../../src/config/settings-shapes.ts";
import { ModelSchema, OverrideSchema, ProviderSchema } from "../../src/models/custom-provider-schemas.ts";
import { customProviderShapes } from "../../src/models/custom-provider-shapes.ts";
import { commands } from "../../src/protocol/commands.ts";
import { incomingFrames } from "../../src/protocol/frames.ts";
import { hostToolFrameShapes, paramShapes } from "../../src/protocol/param-shapes.ts";
import { readShape, type Shape, toShape } from "../../src/protocol/shape.ts";
import { readFields } from "../../src/protocol/validate.ts";

const { host_tool_update, host_tool_result } = incomingFrames;
const pairs: readonly (readonly [string, TObject, Shape])[] = [
  ["settings", SettingsSchema, settingsShape],
  ["provider", ProviderSchema, customProviderShapes.provider],
  ["model", ModelSchema, customProviderShapes.model],
  ["override", OverrideSchema, customProviderShapes.override],
  ["host_tool_update", host_tool_update, hostToolFrameShapes.host_tool_update],
  ["host_tool_result", host_tool_result, hostToolFrameShapes.host_tool_result],
  ...Object.entries(commands).map(([name, { params }]) => [name, params, paramShapes[name as keyof typeof paramShapes]] as const),
];

const odd = fc.constantFrom<unknown>(
  ...[undefined, null, true, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "", "text", [], [null], {}, { text: 1 }],
  ...[new Date(0), new Uint8Array(1), () => 1, new (class Other {})()],
);

/** Values that mostly fit a shape, and sometimes do not. */
function valuesOf(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: fitting(shape) }, { weight: 1, arbitrary: odd });
}

function fitting({ type, const: only, anyOf, properties, patternProperties, items, required = [] }: Shape): fc.Arbitrary<unknown> {
  if (anyOf) return fc.oneof(...anyOf.map(valuesOf));
  if (only !== undefined) return fc.constant(only);
  if (type === "array") return fc.array(items ? valuesOf(items) : odd, { maxLength: 2 });
  if (properties) {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valuesOf(property)]));
    return fc.record(fields, { requiredKeys: required });
  }
  const [all] = Object.values(patternProperties ?? {});
  if (all) return fc.dictionary(fc.string({ minLength: 1, maxLength: 3, unit: "grapheme-ascii" }), valuesOf(all), { maxKeys: 2 });
  if (type === "object") return fc.constant({});
  if (type === "string") return fc.constantFrom("", "text");
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  return type === undefined ? odd : fc.constantFrom<unknown>(0, 1, -1, 2.5);
}

test.each(pairs)(
  "the shape of %s accepts exactly what its schema accepts, and reads the same fields",
  async (_name, schema, shape) => {
    const record = fc.record({ known: fitting(shape), more: fc.dictionary(fc.constantFrom("other", "type", "id"), odd) });
    const property = fc.asyncProperty(record, async ({ known, more }) => {
      const fields = { ...more, ...(known as object) };
      const read = await readFields(schema, fields).catch(() => undefined);
      expect(readShape(shape, fields)).toEqual(read);
    });
    await fc.assert(property, { numRuns: 150, seed: 24 });
  },
);

test("a schema with rules that a shape cannot express is refused", () => {
  for (const schema of [
    Type.String({ minLength: 1 }),
    Type.Object({}, { additionalProperties: false }),
    Type.Tuple([Type.String()]),
  ]) {
    expect(() => toShape(Type.Object({ field: schema }))).toThrow("A shape cannot express");
  }
});
