/**
 * Puts untrusted text between tags that it cannot close itself, so that it cannot pretend to be part of the surrounding prompt (SC-016).
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
