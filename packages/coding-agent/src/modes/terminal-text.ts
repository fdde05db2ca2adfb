import { stripVTControlCharacters } from "node:util";

/** Text of a model or a tool as a terminal may show it: without escape sequences and control characters that would drive it. */
export function toTerminalText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed; tab and line feed stay
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** Writes a failure as it may be shown on a terminal, also when the text quotes a provider or a file. */
export function writeError(text: string, stderr: { write(text: string): unknown } = process.stderr): void {
  stderr.write(`${toTerminalText(text)}\n`);
}
