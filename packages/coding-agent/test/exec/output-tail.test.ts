import { describe, expect, test } from "vitest";
import { OutputTail } from "../../src/exec/output-tail.ts";

function tailOf(text: string, limits: { maxLines: number; maxBytes: number }, pieceLength = text.length) {
  const tail = new OutputTail(limits);
  // By characters: a decoder never hands out half of one.
  const characters = [...text];
  for (let at = 0; at < characters.length; at += pieceLength) tail.append(characters.slice(at, at + pieceLength).join(""));
  return tail.snapshot();
}

describe("TL-006 the end of an output within limits", () => {
  test("everything when it fits, and a final line feed begins no line", () => {
    expect(tailOf("a\nb\n", { maxLines: 2, maxBytes: 4 })).toEqual({
      text: "a\nb\n",
      truncated: false,
      truncatedBy: null,
      startsMidLine: false,
      totalLines: 2,
      totalBytes: 4,
      outputLines: 2,
      outputBytes: 4,
    });
  });

  test("the last lines", () => {
    expect(tailOf("a\nb\nc\n", { maxLines: 2, maxBytes: 100 })).toEqual({
      text: "b\nc\n",
      truncated: true,
      truncatedBy: "lines",
      startsMidLine: false,
      totalLines: 3,
      totalBytes: 6,
      outputLines: 2,
      outputBytes: 4,
    });
  });

  test("whole lines when bytes decide", () => {
    expect(tailOf("first\nsecond\nthird", { maxLines: 9, maxBytes: 13 })).toEqual({
      text: "second\nthird",
      truncated: true,
      truncatedBy: "bytes",
      startsMidLine: false,
      totalLines: 3,
      totalBytes: 18,
      outputLines: 2,
      outputBytes: 12,
    });
  });

  test("TL-009 part of the last line when it alone is too long, cut between characters", () => {
    expect(tailOf(`x\n${"€".repeat(5)}\n`, { maxLines: 9, maxBytes: 9 })).toEqual({
      text: "€€\n",
      truncated: true,
      truncatedBy: "bytes",
      startsMidLine: true,
      totalLines: 2,
      totalBytes: 18,
      outputLines: 1,
      outputBytes: 7,
    });
  });

  test("nothing", () => {
    expect(new OutputTail().snapshot()).toMatchObject({ text: "", truncated: false, totalLines: 0, outputLines: 0 });
  });

  test("the same however it is cut into pieces", () => {
    const text = Array.from({ length: 400 }, (_, line) => `${line} ${"é€😀".repeat(line % 7)}`).join("\n");
    for (const limits of [
      { maxLines: 10, maxBytes: 1000 },
      { maxLines: 300, maxBytes: 333 },
      { maxLines: 1, maxBytes: 4 },
    ]) {
      const whole = tailOf(text, limits);
      expect(text.endsWith(whole.text)).toBe(true);
      for (let pieceLength = 1; pieceLength < 60; pieceLength++) expect(tailOf(text, limits, pieceLength)).toEqual(whole);
    }
  });
});
