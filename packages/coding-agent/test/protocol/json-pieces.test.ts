import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJsonPieces, isLong } from "../../src/protocol/json-pieces.ts";
import { encodeJson } from "../../src/protocol/jsonl.ts";

const pieceLength = 64 * 1024;

/** Texts, some of them longer than a piece, with characters of two code units and of one half where a piece may end. */
const texts = fc
  .tuple(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom(0, 1, pieceLength - 1, pieceLength, 2 * pieceLength))
  .map(([text, length]) => `${"x".repeat(length)}${text}🙂\ud83d\u2028"`);

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(undefined, null, true, 1.5, Number.NaN, new Date(0), 12n, new Map([[1, 2]]), () => 1, Symbol("s")),
    texts,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 5 }),
  ),
})).value;

test("the pieces of any record are the text that encodeJson gives", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), (record) => {
      expect([...encodeJsonPieces(record)].join("")).toBe(encodeJson(record));
    }),
  );
});

test("so are those of values that hold themselves, and of trees that are deeper than a call stack", () => {
  const long = "long ".repeat(pieceLength);
  const circle: Record<string, unknown> = { long, list: [1, { text: "in a list" }] };
  circle.list = [circle, { again: circle, list: circle.list }];
  let tree: object = { entry: "leaf" };
  for (let depth = 0; depth < 20_000; depth += 1) tree = { entry: `entry ${depth}`, children: [tree, undefined] };
  for (const record of [circle, tree, { list: Array(70_000) }]) {
    expect([...encodeJsonPieces(record)].join("")).toBe(encodeJson(record));
  }
});

test("no piece is much longer than a part of a long text", () => {
  const record = { messages: Array.from({ length: 200 }, (_, index) => ({ index, text: "é".repeat(1000 * index) })) };
  const lengths = [...encodeJsonPieces(record)].map(({ length }) => length);
  expect(Math.max(...lengths)).toBeLessThan(2 * pieceLength);
});

test("the time for the pieces of a tree grows with its length", async () => {
  await assertLinear(5000, (size) => {
    let tree: object = { entry: "leaf" };
    for (let depth = 0; depth < size; depth += 1) tree = { entry: `entry ${depth}`, children: [tree] };
    return () => {
      for (const piece of encodeJsonPieces({ tree: [tree] })) void piece;
    };
  });
});

test("what is short is told from what is long without a walk through all of it", () => {
  expect(isLong({ text: "x".repeat(1000), list: [1, 2, 3] })).toBe(false);
  expect(isLong({ list: [{ text: "x".repeat(pieceLength) }] })).toBe(true);
  let visits = 0;
  const counted = Array.from({ length: 100_000 }, () => ({
    get text() {
      visits += 1;
      return "x".repeat(1000);
    },
  }));
  expect(isLong(counted)).toBe(true);
  expect(visits).toBeLessThan(100);
});
