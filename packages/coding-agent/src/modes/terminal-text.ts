import { stripVTControlCharacters } from "node:util";

/** Removes escape sequences and control characters from the text of a model or a tool, so that it cannot control the terminal. */
export function toTerminalText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed; tab and line feed stay
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** Writes an error message to stderr, safe for a terminal even if it quotes a provider or a file. */
export function writeError(text: string, stderr: { write(text: string): unknown } = process.stderr): void {
  stderr.write(`${toTerminalText(text)}\n`);
}
