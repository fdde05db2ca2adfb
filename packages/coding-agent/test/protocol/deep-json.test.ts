import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../ai/test/helpers/characters.ts";
import { stringifyDeep } from "../../src/protocol/deep-json.ts";
import { encodeLine } from "../../src/protocol/jsonl.ts";

const numRuns = process.env.PIKIT_LONG === "1" ? 50_000 : 1000;

/** What the built-in one leaves out or replaces, among everything else. */
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "large", withCrossShrink: true },
    fc.jsonValue({ stringUnit: anyCharacter }),
    fc.constantFrom(undefined, Number.NaN, -0, Number.POSITIVE_INFINITY, 1e21, "\ud800", '\u2028\u0000"\\', () => 1, Symbol("s")),
    fc.date(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "toJSON ", "1", "")), tie("value"), { maxKeys: 4 }),
  ),
})).value;

test("any data is written as the built-in function writes it", () => {
  const write = (value: unknown) => [stringifyDeep([value]), stringifyDeep({ value })];
  const expected = (value: unknown) => [JSON.stringify([value]), JSON.stringify({ value })];
  fc.assert(
    fc.property(values, (value) => {
      expect(write(value)).toEqual(expected(value));
    }),
    { numRuns },
  );
  const sparse = [1, new Array(3), { toJSON: (key: string) => `at ${key}` }];
  expect(write(sparse)).toEqual(expected(sparse));
  const shared = { a: 1 };
  expect(write([shared, shared, { shared }])).toEqual(expected([shared, shared, { shared }]));
});

/** An object within an object, and so on. */
function nested(depth: number): { text: string; value: unknown } {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) value = { children: [value] };
  return { value, text: `${'{"children":['.repeat(depth)}1${"]}".repeat(depth)}` };
}

test("SE-010 data that is nested 100,000 deep, where the built-in function fails", () => {
  const { value, text } = nested(100_000);
  expect(() => JSON.stringify(value)).toThrow(RangeError);
  expect(stringifyDeep(value) === text).toBe(true);
  expect(encodeLine(value) === `${text}\n`).toBe(true);
});

test("what cannot be written is replaced by a note, however deep it is", () => {
  const { value } = nested(50_000);
  expect(encodeLine({ value, count: 5n }).endsWith(',"count":"5"}\n')).toBe(true);
});

test("a cycle ends, also one that begins deeper than the built-in function goes", () => {
  const first: { next?: object; name: string } = { name: "first" };
  let last = first;
  for (let n = 0; n < 100_000; n += 1) {
    const next = { name: "next" };
    last.next = next;
    last = next;
  }
  last.next = first;
  const line = encodeLine(first);
  expect(line.startsWith('{"name":"first","next":{"name":"next","next":{')).toBe(true);
  expect(line.includes('"next":"[circular]"}}}')).toBe(true);
});
