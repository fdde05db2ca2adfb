import { expect, test } from "vitest";
import { OutputLines } from "../../../src/modes/agent-chat/output-lines.ts";

function linesOf(...chunks: string[]): string[] {
  const told: string[] = [];
  const lines = new OutputLines((line) => told.push(line));
  for (const chunk of chunks) lines.add(chunk);
  lines.end();
  lines.end();
  return told;
}

test.each([
  ["lines without their ends, blank ones too", ["a\nb\r\n\n", "c\n"], ["a", "b", "", "c"]],
  ["a line that comes in pieces", ["on", "e\r", "\ntw", "o"], ["one", "two"]],
  ["an end without a line feed", ["progress 1\rprogress 2"], ["progress 1\rprogress 2"]],
  ["nothing", [""], []],
])("%s", (_title, chunks, expected) => {
  expect(linesOf(...chunks)).toEqual(expected);
});

test("what never ends a line is told in pieces and not held", () => {
  const told = linesOf(...Array.from({ length: 20 }, () => "x".repeat(10_000)));
  expect(told.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 3392]);
});
