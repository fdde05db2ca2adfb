const characters: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Replaces control characters, which HTML does not allow, with the replacement character. */
export function toPrintable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is replaced
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** Escapes text for HTML content or a quoted attribute. */
export function escapeHtml(text: string): string {
  return toPrintable(text).replace(/[&<>"']/g, (character) => characters[character] as string);
}
