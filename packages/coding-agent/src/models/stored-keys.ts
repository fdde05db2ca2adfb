import { join } from "node:path";
import { updateJsonFile } from "../config/update-json-file.ts";
import { UsageError } from "../errors.ts";

/** Maximum characters of a key; a longer text is a file by mistake. */
export const maxKeyLength = 16 * 1024;

/** The file with the stored keys. */
export function authFile(agentDir: string): string {
  return join(agentDir, "auth.json");
}

/**
 * Stores the API key of a provider in `auth.json`, which only the user can read (mode 0600).
 *
 * @returns The path of the file.
 * @throws {UsageError} When the text cannot be a key, or the file cannot be written. The message does not quote the text.
 */
export async function storeKey(agentDir: string, provider: string, key: string): Promise<string> {
  if (key === "" || /\s/.test(key) || key.length > maxKeyLength) {
    throw new UsageError(
      "invalid_arguments",
      `That is not an API key: expected one word, but got ${describeInput(key)}. Nothing was stored.`,
    );
  }
  const file = authFile(agentDir);
  await updateJsonFile(file, (content) => ({ ...content, [provider]: { type: "api_key", key } }));
  return file;
}

function describeInput(key: string): string {
  return key === "" ? "nothing" : key.length > maxKeyLength ? "a longer text" : "several words";
}
