import { expect, test } from "vitest";
import { cutDeep, isTooDeep, maxNesting } from "../src/index.ts";

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

test("a value may have so many levels, and no more", () => {
  expect(isTooDeep(1)).toBe(false);
  expect(isTooDeep(null)).toBe(false);
  expect(isTooDeep(nested(maxNesting))).toBe(false);
  expect(isTooDeep(nested(maxNesting + 1))).toBe(true);
  expect(isTooDeep([1, { a: nested(100_000) }])).toBe(true);
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  expect(isTooDeep(cycle)).toBe(true);
});

test("what is deeper is left out, and the rest stays", () => {
  const leftOut = "[left out: it is nested more than 100 levels deep]";
  expect(cutDeep({ a: { b: [1], c: 2 }, d: [] }, 2)).toEqual({ a: { b: leftOut, c: 2 }, d: [] });
  const kept = { a: [1] };
  expect(cutDeep(kept)).toBe(kept);
  expect(isTooDeep(cutDeep(nested(100_000)))).toBe(false);
  const odd = JSON.parse('{"__proto__":{"a":{"b":1}}}') as object;
  expect(JSON.stringify(cutDeep(odd, 2))).toBe(`{"__proto__":{"a":"${leftOut}"}}`);
});
