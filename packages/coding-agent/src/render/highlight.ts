import hljs from "highlight.js/lib/common";
import { escapeHtml, toPrintable } from "./escape.ts";

/** Maximum lengths in characters. For some languages the time is quadratic in the length of the code or of a line (20,000 took 9 s). */
const maxLength = 8000;
const maxLineLength = 400;

/**
 * Renders code as HTML with syntax classes.
 *
 * @param info - The text after the fence, which begins with the language. Code in an unknown language stays plain.
 */
export function highlightCode(code: string, info: string): string {
  const language = /^[\w#+-]*/.exec(info)?.[0] ?? "";
  const isTooLong = code.length > maxLength || code.split("\n").some((line) => line.length > maxLineLength);
  if (isTooLong || language === "" || !hljs.getLanguage(language)) return escapeHtml(code);
  return hljs.highlight(toPrintable(code), { language, ignoreIllegals: true }).value;
}
