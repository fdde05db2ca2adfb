import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEditDiff } from "../../../src/tools/edit/edit-diff.ts";
import { locateEdits } from "../../../src/tools/edit/locate-edits.ts";
import { Pacer } from "../../../src/tools/edit/pacer.ts";
import { applyReplacements, type Replacement } from "../../../src/tools/edit/replacement.ts";

const pacer = new Pacer(new AbortController().signal);

async function diffOf(original: string, ...edits: [oldText: string, newText: string][]) {
  const bytes = Buffer.from(original);
  const named = edits.map(([oldText, newText]) => ({ oldText, newText }));
  const { replacements } = await locateEdits(bytes, named, "a.txt", pacer);
  return createEditDiff("a.txt", bytes, replacements, pacer);
}

const tenLines = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

describe("TL-032 the diff of an edit", () => {
  test("has line numbers, three lines around the change, and the first changed line", async () => {
    expect(await diffOf(tenLines, ["line 5\n", "five\nfive and a half\n"])).toEqual({
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

  test("distant changes are hunks of their own, without what is between them; near ones share one", async () => {
    const original = Array.from({ length: 100 }, (_, i) => `l${i + 1}\n`).join("");
    const { diff, firstChangedLine } = await diffOf(original, ["l90\n", "x\n"], ["l10\n", "y\nz\n"], ["l16\n", ""]);
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

  test("lines that an edit names but keeps are context", async () => {
    expect((await diffOf("a\nb\nc\n", ["a\nb\nc\n", "a\nx\nc\n"])).diff.split("\n").slice(3)).toEqual([" a", "-b", "+x", " c", ""]);
  });

  test("two edits in one line are one change", async () => {
    expect((await diffOf("one two three\n", ["one", "1"], ["three", "3"])).diff.split("\n").slice(2)).toEqual([
      "@@ -1,1 +1,1 @@",
      "-one two three",
      "+1 two 3",
      "",
    ]);
  });

  test("a missing final line feed is marked", async () => {
    expect((await diffOf("a\nb", ["b", "c"])).diff.split("\n").slice(3)).toEqual([
      " a",
      "-b",
      "\\ No newline at end of file",
      "+c",
      "\\ No newline at end of file",
      "",
    ]);
  });

  test("deleting everything leaves an empty side", async () => {
    expect((await diffOf("a\n", ["a\n", ""])).diff.split("\n").slice(2)).toEqual(["@@ -1,1 +0,0 @@", "-a", ""]);
  });

  test("a diff of more than 256 KB is left out, and the first changed line is still told", async () => {
    const long = "x".repeat(300_000);
    expect(await diffOf(`a\n${long}1\n`, ["a\n", "b\n"])).toEqual({ diff: "", firstChangedLine: 1 });
    expect(await diffOf(`a\nb\nc\nd\ne\n${long}1\n`, ["x1\n", "x2\n"])).toEqual({ diff: "", firstChangedLine: 6 });
    expect(await diffOf(`a\n${long}\nb\n`, [`a\n${long}\nb`, `a\n${long}\nB`])).toEqual({ diff: "", firstChangedLine: 3 });
  });

  test("applied to the old text it gives the new one, whatever is replaced", async () => {
    const lines = fc.array(fc.constantFrom("a", "b", "\n", "\n", "\r\n", "cc\n", "é", "--- x\n", "+\n", "\\ \n"), {
      maxLength: 40,
    });
    const cuts = fc.array(
      fc.tuple(
        fc.nat(8),
        fc.nat(6),
        lines.map((parts) => parts.slice(0, 4).join("")),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(lines, cuts, async (parts, gaps) => {
        const original = parts.join("");
        const replacements = toReplacements(original, gaps);
        const bytes = Buffer.from(original);
        const changed = applyReplacements(bytes, replacements).toString();
        fc.pre(changed !== original);
        const { diff, firstChangedLine } = await createEditDiff("a", bytes, replacements, pacer);
        expect(applyPatch(original, diff, { autoConvertLineEndings: false })).toBe(changed);
        // Earlier when a line goes and one like it follows: what is reported is the place of the edit.
        expect(firstChangedLine).toBeLessThanOrEqual(firstDifferentLine(original, changed));
      }),
      { numRuns: 3000, seed: 7 },
    );
  });
});

/** Replacements one after another: so many characters on from the last, so many replaced by that text. */
function toReplacements(original: string, gaps: readonly [gap: number, length: number, text: string][]): Replacement[] {
  const characters = [...original];
  const replacements: Replacement[] = [];
  let at = 0;
  for (const [gap, length, text] of gaps) {
    const start = at + gap;
    if (start + length > characters.length) break;
    const toByte = (index: number) => Buffer.byteLength(characters.slice(0, index).join(""));
    replacements.push({ start: toByte(start), end: toByte(start + length), text: Buffer.from(text) });
    at = start + length;
  }
  return replacements;
}

function firstDifferentLine(a: string, b: string): number {
  const left = a.split(/(?<=\n)/);
  const right = b.split(/(?<=\n)/);
  let line = 0;
  while (left[line] === right[line]) line++;
  return line + 1;
}
