const fencePattern = /`{3,}/g;

/** The text as a code block of Markdown, whatever is in it. */
export function toCodeBlock(text: string): string {
  const longest = text.match(fencePattern)?.reduce((max, fence) => Math.max(max, fence.length), 2) ?? 2;
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
