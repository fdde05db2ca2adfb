/** Puts the files before the typed text. */
export function joinPrompt(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
}

/** Removes the files before the typed text. */
export function withoutFiles(prompt: string): string {
  let text = prompt;
  for (;;) {
    const end = /^<file name="/.test(text) ? text.indexOf("\n</file>") : -1;
    const image = /^\[image [^\n]+: [^\n]+\](?:\n\n|$)/.exec(text);
    if (end >= 0) text = text.slice(end + "\n</file>".length).replace(/^\n\n/, "");
    else if (image) text = text.slice(image[0].length);
    else return text;
  }
}
