import hljs from "highlight.js/lib/common";
import { escapeHtml, toPrintable } from "./escape.ts";

/** Characters. Some languages take a time that grows with the square of the code or of a line (20,000 took 9 s). */
const maxLength = 8000;
const maxLineLength = 400;

/**
 * Code as HTML, with classes for its parts.
 *
 * @param info - What stands after the fence: the language and whatever follows. Unknown ones leave the code plain.
 */
export function highlightCode(code: string, info: string): string {
  const language = /^[\w#+-]*/.exec(info)?.[0] ?? "";
  const isTooLong = code.length > maxLength || code.split("\n").some((line) => line.length > maxLineLength);
  if (isTooLong || language === "" || !hljs.getLanguage(language)) return escapeHtml(code);
  return hljs.highlight(toPrintable(code), { language, ignoreIllegals: true }).value;
}
