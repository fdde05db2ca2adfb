import { describe, expect, test } from "vitest";
import { applyReplacements, locateEdits } from "../../src/tools/apply-edits.ts";
import { createEditDiff } from "../../src/tools/edit-diff.ts";

function diffOf(original: string, ...edits: [oldText: string, newText: string][]) {
  const replacements = locateEdits(
    original,
    edits.map(([oldText, newText]) => ({ oldText, newText })),
    "a.txt",
  );
  return createEditDiff("a.txt", original, replacements);
}

/** Applies a unified diff strictly: context and removed lines must be where the hunk says. */
function applyDiff(original: string, diff: string): string {
  const lines = splitLines(original);
  const output: string[] = [];
  let position = 0;
  const records = diff
    .replace(/\n\\ No newline at end of file/g, "\0")
    .split("\n")
    .slice(2, -1);
  for (const record of records) {
    const header = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(record);
    if (header) {
      const [oldStart, oldCount, newStart, newCount] = header.slice(1).map(Number) as [number, number, number, number];
      const start = oldCount === 0 ? oldStart : oldStart - 1;
      output.push(...lines.slice(position, start));
      position = start;
      expect(output.length).toBe(newCount === 0 ? newStart : newStart - 1);
      continue;
    }
    const line = record.endsWith("\0") ? record.slice(1, -1) : `${record.slice(1)}\n`;
    if (record[0] !== "+") expect(lines[position++]).toBe(line);
    if (record[0] !== "-") output.push(line);
  }
  return [...output, ...lines.slice(position)].join("");
}

const tenLines = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

describe("TL-032 the diff of an edit", () => {
  test("has line numbers, three lines around the change, and the first changed line", () => {
    expect(diffOf(tenLines, ["line 5\n", "five\nfive and a half\n"])).toEqual({
      diff: [
        "--- a.txt",
        "+++ a.txt",
        "@@ -2,7 +2,8 @@",
        " line 2",
        " line 3",
        " line 4",
        "-line 5",
        "+five",
        "+five and a half",
        " line 6",
        " line 7",
        " line 8",
        "",
      ].join("\n"),
      firstChangedLine: 5,
    });
  });

  test("distant changes are hunks of their own, without what is between them; near ones share one", () => {
    const original = Array.from({ length: 100 }, (_, i) => `l${i + 1}\n`).join("");
    const { diff, firstChangedLine } = diffOf(original, ["l90\n", "x\n"], ["l10\n", "y\nz\n"], ["l16\n", ""]);
    expect(diff.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
      "--- a.txt",
      "+++ a.txt",
      "@@ -7,13 +7,13 @@",
      "-l10",
      "+y",
      "+z",
      "-l16",
      "@@ -87,7 +87,7 @@",
      "-l90",
      "+x",
      "",
    ]);
    expect(firstChangedLine).toBe(10);
  });

  test("lines that an edit names but keeps are context", () => {
    expect(diffOf("a\nb\nc\n", ["a\nb\nc\n", "a\nx\nc\n"]).diff.split("\n").slice(3)).toEqual([" a", "-b", "+x", " c", ""]);
  });

  test("two edits in one line are one change", () => {
    expect(diffOf("one two three\n", ["one", "1"], ["three", "3"]).diff.split("\n").slice(2)).toEqual([
      "@@ -1,1 +1,1 @@",
      "-one two three",
      "+1 two 3",
      "",
    ]);
  });

  test("a missing final line feed is marked", () => {
    expect(diffOf("a\nb", ["b", "c"]).diff.split("\n").slice(3)).toEqual([
      " a",
      "-b",
      "\\ No newline at end of file",
      "+c",
      "\\ No newline at end of file",
      "",
    ]);
  });

  test("deleting everything leaves an empty side", () => {
    expect(diffOf("a\n", ["a\n", ""]).diff.split("\n").slice(2)).toEqual(["@@ -1,1 +0,0 @@", "-a", ""]);
  });

  test("applied to the old text it gives the new one, for thousands of random edits", () => {
    const random = createRandom(7);
    for (let round = 0; round < 5000; round++) {
      const original = randomText(random, 1 + random(40));
      const replacements = [];
      for (let at = 0; at < original.length; ) {
        const start = at + random(random(3) === 0 ? 60 : 8);
        const end = start + 1 + random(6);
        if (end > original.length) break;
        replacements.push({ start, end, text: randomText(random, random(4)) });
        at = end;
      }
      const changed = applyReplacements(original, replacements);
      if (changed === original) continue;
      const { diff, firstChangedLine } = createEditDiff("a", original, replacements);
      expect(applyDiff(original, diff), JSON.stringify({ original, replacements })).toBe(changed);
      // Earlier when a line goes and one like it follows: what is reported is the place of the edit.
      expect(firstChangedLine).toBeLessThanOrEqual(firstDifferentLine(original, changed));
    }
  });
});

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function firstDifferentLine(a: string, b: string): number {
  const left = splitLines(a);
  const right = splitLines(b);
  let line = 0;
  while (left[line] === right[line]) line++;
  return line + 1;
}

function randomText(random: (below: number) => number, pieces: number): string {
  return Array.from({ length: pieces }, () => ["a", "b", "\n", "\n", "\r\n", "cc\n"][random(6)]).join("");
}

/** A generator of pseudo-random integers that gives the same in every run (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
