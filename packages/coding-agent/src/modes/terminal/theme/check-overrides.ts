import { suggest } from "../../../suggest.ts";
import { parseColor } from "../../../theme/colors.ts";
import type { ThemeOverrides } from "./create-theme.ts";
import { colorNames } from "./palette.ts";

/** Describes the names and colours in the user's settings that do not exist, one line for each. */
export function checkOverrides(overrides: ThemeOverrides): string[] {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(overrides)) {
    const isName = colorNames.some((each) => each === name);
    if (!isName)
      problems.push(`There is no style "${name}".${suggest(name, colorNames) || ` Expected one of ${colorNames.join(", ")}.`}`);
    else if (parseColor(value, 256) === undefined) {
      problems.push(
        `The style "${name}" has the colour ${shorten(value)}. Expected #rrggbb, a number from 0 to 255, or a name such as red or bright-red.`,
      );
    }
  }
  return problems;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
