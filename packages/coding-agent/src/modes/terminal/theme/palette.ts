import type { PaletteColor } from "../../../theme/colors.ts";

/** The styles that have a colour. */
export const colorNames = [
  "dim",
  "accent",
  "success",
  "warning",
  "error",
  "border",
  "heading",
  "link",
  "code",
  "tool",
  "added",
  "removed",
  "keyword",
  "string",
  "number",
  "comment",
  "function",
  "type",
] as const;

export type ColorName = (typeof colorNames)[number];

export type Palette = Readonly<Record<ColorName, PaletteColor>>;

/** Colours with a contrast of at least 4.5 to black, except borders. Red and green differ in brightness too. */
export const darkPalette: Palette = {
  dim: ["#8a8a8a", 245, 8],
  accent: ["#5fafff", 75, 6],
  success: ["#87d787", 114, 2],
  warning: ["#d7af5f", 179, 3],
  error: ["#ff6b6b", 203, 1],
  border: ["#5f5f5f", 59, 8],
  heading: ["#87d7ff", 117, 6],
  link: ["#87afff", 111, 12],
  code: ["#d7af87", 180, 3],
  tool: ["#af87ff", 141, 5],
  added: ["#87d787", 114, 2],
  removed: ["#ff6b6b", 203, 1],
  keyword: ["#d787d7", 176, 5],
  string: ["#afd787", 150, 2],
  number: ["#ffaf87", 216, 3],
  comment: ["#8a8a8a", 245, 8],
  function: ["#87afff", 111, 12],
  type: ["#5fd7d7", 80, 6],
};

/** Colours with a contrast of at least 4.5 to white, except borders. */
export const lightPalette: Palette = {
  dim: ["#6c6c6c", 242, 8],
  accent: ["#005fd7", 26, 4],
  success: ["#007a00", 28, 2],
  warning: ["#875f00", 94, 3],
  error: ["#c00000", 124, 1],
  border: ["#a8a8a8", 248, 8],
  heading: ["#00569e", 24, 4],
  link: ["#005faf", 25, 4],
  code: ["#87400a", 94, 5],
  tool: ["#7a2fb8", 91, 5],
  added: ["#007a00", 28, 2],
  removed: ["#c00000", 124, 1],
  keyword: ["#8700af", 91, 5],
  string: ["#3f6f00", 22, 2],
  number: ["#a04000", 130, 1],
  comment: ["#6c6c6c", 242, 8],
  function: ["#005faf", 25, 4],
  type: ["#00696b", 23, 6],
};
