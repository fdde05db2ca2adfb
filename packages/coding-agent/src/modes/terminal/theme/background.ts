import { parseOsc11BackgroundColor } from "../library.ts";

/** Asks the terminal for its background colour. Terminals that do not know the question do not answer. */
export const backgroundQuery = "\x1b]11;?\x07";

/** Whether the background is light: reads the terminal's answer to `backgroundQuery`. Undefined for any other text. */
export function readBackground(answer: string): boolean | undefined {
  const color = parseOsc11BackgroundColor(answer);
  if (color === undefined) return undefined;
  // The weights of the three colours for the brightness that people see. Source: ITU-R BT.601.
  return 0.299 * color.r + 0.587 * color.g + 0.114 * color.b > 127.5;
}

/**
 * Whether the background is light, by the variable `COLORFGBG`, which some terminals set: `foreground;background` or
 * `foreground;default;background`, as numbers of the 16 colours. Undefined without it.
 */
export function backgroundOf(env: NodeJS.ProcessEnv): boolean | undefined {
  const [, digits] = /;(\d{1,2})$/.exec(env.COLORFGBG ?? "") ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  // 7 is light gray and 8 is dark gray.
  return number < 16 ? number === 7 || number > 8 : undefined;
}
