import { expect, test } from "vitest";
import { colorNames, darkPalette, lightPalette } from "../../../../src/modes/terminal/theme/palette.ts";
import { colorCode } from "../../../../src/theme/colors.ts";

/** The relative luminance of an sRGB colour. Source: WCAG 2.2, "relative luminance". */
function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The values of a number from 16 to 255 in the usual palette of 256 colours. */
function rgbOf(number: number): number[] {
  if (number >= 232) return Array<number>(3).fill(8 + 10 * (number - 232));
  const index = number - 16;
  return [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((level) => (level === 0 ? 0 : 55 + 40 * level));
}

test.each([
  ["dark", darkPalette, 0],
  ["light", lightPalette, 1],
] as const)(
  "the colours of the %s palette can be read on its background, with 256 colours and with all",
  (_name, palette, background) => {
    const weak = colorNames.filter((name) => {
      const all = colorCode(palette[name], 2 ** 24)
        .split(";")
        .slice(2)
        .map(Number);
      return [all, rgbOf(palette[name][1])].some((rgb) => contrast(luminance(rgb), background) < 4.5);
    });
    expect(weak).toEqual(["border"]);
  },
);
