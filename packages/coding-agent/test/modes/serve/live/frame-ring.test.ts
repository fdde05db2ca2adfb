import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameRing } from "../../../../src/modes/serve/live/frame-ring.ts";

test("a frame gets its epoch and number as its last fields", () => {
  const ring = new FrameRing("e1", 1000);
  expect(ring.append('{"type":"a","seq":"mine"}')).toBe(1);
  expect(ring.at(1)).toBe('{"type":"a","seq":"mine","epoch":"e1","seq":1}');
  expect(JSON.parse(ring.at(1))).toEqual({ type: "a", epoch: "e1", seq: 1 });
});

test("the ring holds the latest frames within its length, always the last one, and tells which", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { minLength: 1, maxLength: 700 }), fc.integer({ min: 1, max: 5000 }), (sizes, maxLength) => {
      const ring = new FrameRing("e", maxLength);
      const all: string[] = [];
      for (const [index, size] of sizes.entries()) {
        ring.append(`{"t":"${"x".repeat(size)}"}`);
        ring.trim();
        all.push(`{"t":"${"x".repeat(size)}","epoch":"e","seq":${index + 1}}`);
      }
      expect(ring.last).toBe(sizes.length);
      const held = ring.between(ring.first - 1, ring.last, Number.POSITIVE_INFINITY);
      expect(held).toEqual(all.slice(ring.first - 1));
      expect(held.length).toBeGreaterThan(0);
      const length = held.join("").length;
      expect(length <= maxLength || held.length === 1).toBe(true);
      // No frame is dropped that still had room.
      const before = all[ring.first - 2];
      if (before !== undefined) expect(length + before.length).toBeGreaterThan(maxLength);
      expect(ring.holdsAfter(ring.first - 1)).toBe(true);
      expect(ring.holdsAfter(ring.first - 2)).toBe(ring.first === 0);
      expect(ring.holdsAfter(ring.last)).toBe(true);
      expect(ring.holdsAfter(ring.last + 1)).toBe(false);
    }),
  );
});

test("frames are read in portions, at least one at a time", () => {
  const ring = new FrameRing("e", 10_000);
  for (let index = 0; index < 10; index += 1) ring.append('{"a":1}');
  expect(ring.between(2, 9, 1)).toEqual([ring.at(3)]);
  expect(ring.between(2, 9, ring.at(3).length + 1)).toEqual([ring.at(3), ring.at(4)]);
  expect(ring.between(2, 4, 10_000)).toEqual([ring.at(3), ring.at(4)]);
  expect(ring.between(10, 10, 10_000)).toEqual([]);
});
