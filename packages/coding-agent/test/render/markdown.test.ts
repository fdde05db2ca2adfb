import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCost, formatCount, formatTime, toIsoTime } from "../../src/render/format.ts";
import { finishedLength, renderMarkdown } from "../../src/render/markdown.ts";

/** The HTML of a text as the page shows it while it grows: finished pieces, and the rest. */
function renderInPieces(pieces: readonly string[]): string[] {
  const shown: string[] = [];
  let text = "";
  let finished = 0;
  for (const piece of pieces) {
    text += piece;
    const end = finished + finishedLength(text.slice(finished));
    if (end > finished) shown.push(renderMarkdown(text.slice(finished, end)));
    finished = end;
  }
  return [...shown, renderMarkdown(text.slice(finished))];
}

/** The HTML without the elements around it. */
const inner = (html: string) => html.replace(/<\/?div[^>]*>/g, "").replace(/\s+/g, " ");

const document = [
  "# Title\n\nA *paragraph*\nof two lines.\n\n",
  "- one\n- two\n\n  more of two\n\n1. a\n2. b\n\n",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n",
  "> quote\n> more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\nThe end.",
].join("");

test("a text that grows looks like the complete one, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (lengths) => {
      const pieces: string[] = [];
      let at = 0;
      for (const length of lengths) {
        pieces.push(document.slice(at, at + length));
        at += length;
      }
      pieces.push(document.slice(at));
      expect(inner(renderInPieces(pieces).join(""))).toBe(inner(renderMarkdown(document)));
    }),
  );
});

test("finished blocks are not rendered again: of a long text, only the last block is", () => {
  const paragraphs = Array.from({ length: 50 }, (_, index) => `Paragraph ${index}.\n\n`);
  expect(renderInPieces(paragraphs)).toHaveLength(50);
  expect(finishedLength("One.\n\nTwo.")).toBe(6);
  expect(finishedLength("```\na\n\nb")).toBe(0);
  expect(finishedLength("One.\r\n\r\nTwo.")).toBe(0);
});

test("formats of numbers and times", () => {
  expect([formatCost(0), formatCost(0.01234), formatCost(12.345)]).toEqual(["$0.0000", "$0.0123", "$12.35"]);
  expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,567"]);
  expect(formatTime(new Date("0999-12-31T23:59:59.999Z"))).toBe("31 December 999, 23:59:59 UTC");
  expect([toIsoTime("x"), toIsoTime(null), toIsoTime(8.64e15 + 1), toIsoTime(0)]).toEqual([
    ...[undefined, undefined, undefined, "1970-01-01T00:00:00.000Z"],
  ]);
});
