import { expect, test } from "vitest";
import { truncateHead, truncateLine, truncateTail } from "../../../../src/extensions/family/modules/truncate.ts";

test("a text within the limits stays as it is", () => {
  const kept = {
    content: "a\nb\n",
    truncated: false,
    truncatedBy: null,
    totalLines: 2,
    totalBytes: 4,
    outputLines: 2,
    outputBytes: 4,
  };
  expect(truncateHead("a\nb\n")).toMatchObject(kept);
  expect(truncateTail("a\nb\n")).toMatchObject(kept);
});

test.each([
  ["head", truncateHead, { maxLines: 2 }, { content: "aa\nbb", truncatedBy: "lines", outputLines: 2, outputBytes: 5 }],
  ["tail", truncateTail, { maxLines: 2 }, { content: "cc\ndd", truncatedBy: "lines", outputLines: 2, outputBytes: 5 }],
  ["head", truncateHead, { maxBytes: 6 }, { content: "aa\nbb", truncatedBy: "bytes", outputLines: 2, outputBytes: 5 }],
  ["tail", truncateTail, { maxBytes: 6 }, { content: "cc\ndd", truncatedBy: "bytes", outputLines: 2, outputBytes: 5 }],
] as const)("%s keeps whole lines within %o", (_name, truncate, limits, expected) => {
  expect(truncate("aa\nbb\ncc\ndd\n", limits)).toMatchObject({ ...expected, truncated: true, totalLines: 4, totalBytes: 12 });
});

test("a first line that is too long leaves an empty head; of a last one the end is kept, without half characters", () => {
  expect(truncateHead("x".repeat(10), { maxBytes: 5 })).toMatchObject({ content: "", outputLines: 0, firstLineExceedsLimit: true });
  expect(truncateTail(`${"x".repeat(8)}é`, { maxBytes: 1 })).toMatchObject({ content: "", lastLinePartial: true });
  expect(truncateTail(`${"x".repeat(8)}é`, { maxBytes: 4 })).toMatchObject({
    content: "xxé",
    outputBytes: 4,
    lastLinePartial: true,
  });
});

test("a line is cut with a note, not inside a character of two units", () => {
  expect(truncateLine("short")).toEqual({ text: "short", wasTruncated: false });
  expect(truncateLine("ab😀cd", 3)).toEqual({ text: "ab... [truncated]", wasTruncated: true });
});
