import { expect, test } from "vitest";
import { backgroundOf, backgroundQuery, readBackground } from "../../../../src/modes/terminal/theme/background.ts";

test("the question is OSC 11", () => {
  expect(backgroundQuery).toBe("\x1b]11;?\x07");
});

test.each<[answer: string, isLight: boolean | undefined]>([
  ["\x1b]11;rgb:ffff/ffff/ffff\x07", true],
  ["\x1b]11;rgb:0000/0000/0000\x1b\\", false],
  ["\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\", true],
  ["\x1b]11;rgb:00/2b/36\x07", false],
  ["\x1b]11;rgb:ffff/0000/0000\x07", false],
  ["\x1b]11;#ffffff\x07", true],
  ["\x1b]10;rgb:ffff/ffff/ffff\x07", undefined],
  ["\x1b[A", undefined],
  ["", undefined],
])("the answer %j", (answer, isLight) => {
  expect(readBackground(answer)).toBe(isLight);
});

test.each<[value: string | undefined, isLight: boolean | undefined]>([
  ["15;0", false],
  ["0;15", true],
  ["0;7", true],
  ["15;8", false],
  ["0;default;15", true],
  ["15;default", undefined],
  ["0;99", undefined],
  [undefined, undefined],
])("COLORFGBG %j", (value, isLight) => {
  expect(backgroundOf(value === undefined ? {} : { COLORFGBG: value })).toBe(isLight);
});
