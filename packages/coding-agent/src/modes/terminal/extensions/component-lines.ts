import type { UiComponent } from "../../../terminal-interface.ts";
import { CURSOR_MARKER, truncateToWidth, visibleWidth } from "../library.ts";
import { finishLines } from "../lines.ts";
import { cleanStyled } from "../styled-line.ts";
import type { Theme } from "../theme/theme.ts";

/** Maximum number of lines that are read of a component. */
const maxLines = 1000;
/** Maximum characters of a line, with its styles. */
const maxLine = 20_000;

/**
 * The lines of a component of an extension, safe for the screen: at most `width` cells wide, without line breaks, and with no sequences but styles,
 * links, and the mark of the cursor.
 *
 * @throws What the component throws, and a TypeError if it returns no list.
 */
export function renderComponent(component: UiComponent, width: number, theme: Theme): string[] {
  const lines: unknown = component.render(Math.max(1, width));
  if (!Array.isArray(lines)) throw new TypeError(`render() must return a list of lines, but returned ${typeof lines}.`);
  return finishLines(
    lines.slice(0, maxLines).map((line) => fitLine(String(line), width)),
    theme,
  );
}

/** Like the lines of `renderComponent`, for one line that may have styles. */
export function fitLine(line: string, width: number): string {
  const safe = cleanStyled(line.slice(0, maxLine));
  return visibleWidth(safe.replace(CURSOR_MARKER, "")) > width ? truncateToWidth(safe, width, "") : safe;
}
