import {
  truncateToWidth as truncate,
  visibleWidth as widthOf,
  wrapTextWithAnsi as wrapAny,
} from "@earendil-works/pi-tui/dist/utils.js";

/**
 * All that the terminal takes from its library: the editor, keys, the width of graphemes, Markdown, images. The screen itself is ours, because
 * the library redraws the history when the terminal is resized. Each module is imported by its path: the whole library takes 10 ms more to load.
 */
export type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui/dist/autocomplete.js";
export { Editor } from "@earendil-works/pi-tui/dist/components/editor.js";
export { Input } from "@earendil-works/pi-tui/dist/components/input.js";
export type { MarkdownTheme } from "@earendil-works/pi-tui/dist/components/markdown.js";
export { fuzzyFilter } from "@earendil-works/pi-tui/dist/fuzzy.js";
export {
  getKeybindings,
  type Keybinding,
  KeybindingsManager,
  setKeybindings,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui/dist/keybindings.js";
export { isKeyRelease, type KeyId, matchesKey, setKittyProtocolActive } from "@earendil-works/pi-tui/dist/keys.js";
export { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
export { parseOsc11BackgroundColor } from "@earendil-works/pi-tui/dist/terminal-colors.js";
export {
  getCapabilities,
  getImageDimensions,
  type ImageDimensions,
  renderImage,
} from "@earendil-works/pi-tui/dist/terminal-image.js";
export { CURSOR_MARKER, type TUI } from "@earendil-works/pi-tui/dist/tui.js";

/** Loads the renderer of Markdown, which the first answer needs: 5 ms. */
export const importMarkdown = () => import("@earendil-works/pi-tui/dist/components/markdown.js");

/**
 * Characters that surely take one cell each: printable ASCII and Latin-1, and those of our own lines. Without them the library would make its tables of
 * Unicode for the first frame, which takes 20 ms.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with Escape
const simplePattern = /^(?:[ -~\u00a1-\u00ac\u00ae-\u00ff›…↑↓─│✓✗▸⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\u001b\[[\d;]*m)*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const stylePattern = /\u001b\[[\d;]*m/g;

/** The cells that a line takes; codes of styles take none. */
export function visibleWidth(line: string): number {
  if (!simplePattern.test(line)) return widthOf(line);
  return line.includes("\u001b") ? line.replace(stylePattern, "").length : line.length;
}

/** Cuts a line to `width` cells, with `ellipsis` at its end if something is cut. */
export function truncateToWidth(line: string, width: number, ellipsis?: string): string {
  return simplePattern.test(line) && visibleWidth(line) <= width ? line : truncate(line, width, ellipsis);
}

/**
 * Wraps a text to lines of at most `width` cells, at spaces if there are any. Printable ASCII, which most texts are, is wrapped here in the same way as
 * by the library, which makes its tables of Unicode for that and takes ten times as long.
 */
export function wrapTextWithAnsi(text: string, width: number): string[] {
  return /^[ -~\n]*$/.test(text) ? text.split("\n").flatMap((line) => wrapWords(line, width)) : wrapAny(text, width);
}

function wrapWords(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let current = "";
  const take = () => lines.push(current.trimEnd());
  for (const token of line.match(/ +|[^ ]+/g) ?? []) {
    const isSpace = token.startsWith(" ");
    if (token.length > width && !isSpace) {
      if (current !== "") take();
      let start = 0;
      for (; token.length - start > width; start += width) lines.push(token.slice(start, start + width));
      current = token.slice(start);
    } else if (current !== "" && current.length + token.length > width) {
      take();
      current = isSpace ? "" : token;
    } else current += token;
  }
  if (current !== "") take();
  return lines;
}
