import { wrapTextWithAnsi as wrapByLibrary } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { wrapTextWithAnsi } from "../../../src/modes/terminal/library.ts";
import { count } from "../../../src/modes/terminal/lines.ts";

test("printable ASCII is wrapped as the library wraps it", () => {
  const character = fc.constantFrom(" ", " ", "\n", "a", "-", "W", "~");
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 60 }), fc.integer({ min: 1, max: 14 }), (text, width) => {
      expect(wrapTextWithAnsi(text, width)).toEqual(wrapByLibrary(text, width));
    }),
    { numRuns: 2000 },
  );
});

test("other texts are wrapped by their cells", () => {
  expect(wrapTextWithAnsi("日本語 text", 4)).toEqual(["日本", "語", "text"]);
  expect(wrapTextWithAnsi("\u001b[1mone two\u001b[22m", 4)).toEqual(["\u001b[1mone", "\u001b[1mtwo\u001b[22m"]);
});

test.each([
  [0, "0 lines"],
  [1, "1 line"],
  [999, "999 lines"],
  [1000, "1,000 lines"],
  [1234567, "1,234,567 lines"],
])("%i is counted as %s", (number, text) => expect(count(number, "line")).toBe(text));
