/**
 * A text that others wrote, between tags that it cannot close itself: it must not pose as a part of the prompt around it (SC-016).
 *
 * @param tag - A plain word.
 */
export function delimited(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const head = Object.entries(attributes)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join("");
  const closing = new RegExp(`<(?=\\s*/\\s*${tag}\\b)`, "gi");
  return `<${tag}${head}>\n${text.trim().replace(closing, "<\\")}\n</${tag}>`;
}
