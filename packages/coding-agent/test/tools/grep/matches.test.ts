import { expect, test } from "vitest";
import { MatchCollector, mergeMatches, toFoundLine } from "../../../src/tools/grep/matches.ts";
import { compareNames, comparePaths } from "../../../src/tools/search/name-order.ts";

const limits = { limit: 3, context: 1 };
const line = (number: number, isMatch = true) => toFoundLine(number, `line ${number}`, isMatch);

function collect(lines: [path: string, number: number, isMatch?: boolean][]) {
  const collector = new MatchCollector(limits);
  for (const [path, number, isMatch] of lines) if (!collector.add(path, line(number, isMatch))) break;
  return collector.end(0);
}

test("TL-036 the limit counts the matches of all files, and the last one keeps its context", () => {
  const found = collect([
    ["a", 1],
    ["a", 2],
    ["b", 4, false],
    ["b", 5],
    ["b", 6, false],
    ["b", 8, false],
    ["b", 9],
  ]);
  expect(found).toEqual({
    files: [
      { path: "a", lines: [line(1), line(2)] },
      { path: "b", lines: [line(4, false), line(5), line(6, false)] },
    ],
    truncatedBy: "matches",
    unreadable: 0,
  });
});

test("context of a match that is not shown is not shown either", () => {
  const found = collect([
    ["a", 1],
    ["a", 2],
    ["a", 3],
    ["b", 1, false],
    ["b", 2],
  ]);
  expect(found.files.map(({ path }) => path)).toEqual(["a"]);
});

test("exactly as many as the limit is no truncation", () => {
  expect(
    collect([
      ["a", 1],
      ["a", 2],
      ["a", 3],
    ]).truncatedBy,
  ).toBeNull();
});

test("a binary file is taken back and leaves room for others", () => {
  const collector = new MatchCollector(limits);
  for (const number of [1, 2, 3]) collector.add("a.bin", line(number));
  collector.drop("a.bin");
  for (const number of [1, 2, 3]) expect(collector.add("b", line(number))).toBe(true);
  expect(collector.end(0)).toMatchObject({ files: [{ path: "b" }], truncatedBy: null });
});

test("parts of a tree become one result in order, within the limit", () => {
  const parts = [
    collect([
      ["a/z", 1],
      ["c", 1],
    ]),
    {
      ...collect([
        ["a-b/x", 1],
        ["b", 1],
      ]),
      unreadable: 2,
    },
  ];
  const merged = mergeMatches(parts, limits);
  expect(merged.files.map(({ path }) => path)).toEqual(["a/z", "a-b/x", "b"]);
  expect(merged).toMatchObject({ truncatedBy: "matches", unreadable: 2 });
});

test("long lines are cut, but never through a character", () => {
  expect(toFoundLine(1, "x".repeat(501), true)).toEqual({ number: 1, text: "x".repeat(500), isCut: true, isMatch: true });
  expect(toFoundLine(1, `${"x".repeat(499)}😀`, true).text).toBe("x".repeat(499));
  expect(toFoundLine(1, `${"x".repeat(498)}😀\r`, true)).toMatchObject({ text: `${"x".repeat(498)}😀`, isCut: false });
});

test("TL-042 names are in the order of their bytes, and a folder's content is behind it", () => {
  expect(["b", "é", "B", "a", "\uff5e", "😀"].sort(compareNames)).toEqual(["B", "a", "b", "é", "\uff5e", "😀"]);
  expect(["a-b/x", "a/b", "a", "a/a/z", "a.ts"].sort(comparePaths)).toEqual(["a", "a/a/z", "a/b", "a-b/x", "a.ts"]);
});
