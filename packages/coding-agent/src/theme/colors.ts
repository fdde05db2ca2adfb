/** 2 ** 24: the number of colours of a terminal with 8 bits for each of red, green and blue. */
export const trueColors = 2 ** 24;

/** A colour for each kind of terminal: `#rrggbb`, a number of the 256, and a number of the 16, which the user's own palette defines. */
export type PaletteColor = readonly [trueColor: string, of256: number, of16: number];

/** Colours by name: `#rrggbb`, a number from 0 to 255, the name of one of the 16 colours, or "" for the one of the terminal. */
export type ThemeColors = Readonly<Record<string, string | number | undefined>>;

/** The names of the first 8 of the 16 colours, in the order of their numbers. `gray` is number 8. */
const names: readonly string[] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** Values of red, green and blue in the cube of the 256 colours (numbers 16 to 231). */
const cubeLevels = [0, 95, 135, 175, 215, 255] as const;

/** Usual values of the 16 colours, to find the nearest one. Terminals and users change them. */
const usual16 = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
] as const;

type Rgb = readonly [number, number, number];

/** The code that begins a colour: the parameters of the SGR sequence. */
export function colorCode([trueColor, of256, of16]: PaletteColor, colors: number): string {
  if (colors >= trueColors) return `38;2;${parseHex(trueColor).join(";")}`;
  if (colors >= 256) return `38;5;${of256}`;
  return sixteenCode(of16);
}

/**
 * The code of a colour as users write it: `#rrggbb`, `#rgb`, a number from 0 to 255, or a name such as `red` or `bright-red`. If the terminal
 * has fewer colours, the nearest one is used. Undefined for anything else.
 */
export function parseColor(color: unknown, colors: number): string | undefined {
  if (typeof color === "number") return numberCode(color, colors);
  if (typeof color !== "string") return undefined;
  const text = color.trim().toLowerCase();
  if (/^\d{1,3}$/.test(text)) return numberCode(Number(text), colors);
  const named = numberOfName(text);
  if (named !== undefined) return sixteenCode(named);
  if (!/^#(?:[\da-f]{3}|[\da-f]{6})$/.test(text)) return undefined;
  const rgb = parseHex(text);
  if (colors >= trueColors) return `38;2;${rgb.join(";")}`;
  return colors >= 256 ? `38;5;${nearest256(rgb)}` : sixteenCode(nearest(rgb, usual16));
}

function numberOfName(text: string): number | undefined {
  if (text === "gray" || text === "grey") return 8;
  const [, bright, name = ""] = /^(bright-?)?(\w+)$/.exec(text) ?? [];
  const index = names.indexOf(name);
  if (index === -1) return undefined;
  return bright === undefined ? index : index + 8;
}

function numberCode(number: number, colors: number): string | undefined {
  if (!Number.isInteger(number) || number < 0 || number > 255) return undefined;
  if (number < 16) return sixteenCode(number);
  return colors >= 256 ? `38;5;${number}` : sixteenCode(nearest(rgbOf256(number), usual16));
}

/** The codes 30 to 37 and 90 to 97. */
function sixteenCode(number: number): string {
  return `${number < 8 ? 30 + number : 82 + number}`;
}

function parseHex(text: string): Rgb {
  const digits = text.length === 4 ? text.replace(/[\da-f]/g, "$&$&") : text;
  const value = Number.parseInt(digits.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function rgbOf256(number: number): Rgb {
  if (number >= 232) {
    const gray = 8 + 10 * (number - 232);
    return [gray, gray, gray];
  }
  const index = number - 16;
  const level = (at: number) => cubeLevels[at] ?? 0;
  return [level(Math.floor(index / 36)), level(Math.floor(index / 6) % 6), level(index % 6)];
}

const from16To255 = Array.from({ length: 240 }, (_, index) => rgbOf256(16 + index));

function nearest256(rgb: Rgb): number {
  return 16 + nearest(rgb, from16To255);
}

/** The index of the colour with the least distance. */
function nearest(rgb: Rgb, list: readonly Rgb[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, each] of list.entries()) {
    const distance = (each[0] - rgb[0]) ** 2 + (each[1] - rgb[1]) ** 2 + (each[2] - rgb[2]) ** 2;
    if (distance < least) {
      best = index;
      least = distance;
    }
  }
  return best;
}
