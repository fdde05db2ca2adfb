import { stripVTControlCharacters } from "node:util";

/**
 * Removes escape sequences and control characters from the text of a model or a tool, so that it cannot control the terminal, and characters that
 * change the direction of the text, which can make a command look like another one.
 */
export function toTerminalText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is removed; tab and line feed stay
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** Writes an error message to stderr, safe for a terminal even if it quotes a provider or a file. */
export function writeError(text: string, stderr: { write(text: string): unknown } = process.stderr): void {
  stderr.write(`${toTerminalText(text)}\n`);
}
