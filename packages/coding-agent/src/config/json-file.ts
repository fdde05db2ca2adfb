import { isTooDeep, maxNesting } from "@pikit/ai";
import { FileError, fileLimits, isMissing, readWholeSync, reasonOf } from "@pikit/ai/files/sync";
import { UsageError } from "../errors.ts";

export interface JsonFileOptions {
  /** Replaces comments and trailing commas by spaces. Default: the file must not have any. */
  strip?: (text: string) => string;
}

/**
 * Reads a configuration file with one JSON object; a missing file counts as empty.
 *
 * @throws {UsageError} When the file cannot be read, or is not a JSON object. The message does not quote it, because it may contain keys.
 */
export function readJsonFile(path: string, { strip }: JsonFileOptions = {}): Record<string, unknown> {
  let text: string;
  try {
    text = readWholeSync(path, fileLimits.configuration).toString("utf8");
  } catch (cause) {
    if (isMissing(cause)) return {};
    const advice = cause instanceof FileError ? "Move it away, or put a JSON file in its place." : "Check its permissions.";
    throw new UsageError("config_unavailable", `Cannot read ${path}: ${reasonOf(cause)}. ${advice}`);
  }
  let value: unknown;
  try {
    // Editors on Windows begin files with a byte order mark.
    value = parse(text.replace(/^\uFEFF/, ""), strip);
  } catch (cause) {
    throw new UsageError("invalid_config", `${path} is not valid JSON${describePlace(cause, text)}. Correct or remove it.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError("invalid_config", `${path} must contain a JSON object. Correct or remove it.`);
  }
  if (isTooDeep(value))
    throw new UsageError("invalid_config", `${path} is nested more than ${maxNesting} levels deep. Correct or remove it.`);
  return value as Record<string, unknown>;
}

/** Most files have no comments, so the text is parsed as it is first. */
function parse(text: string, strip: JsonFileOptions["strip"]): unknown {
  if (!strip) return JSON.parse(text);
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(strip(text));
  }
}

/** The place of a syntax error, if the parser reports it. The parser's own message is not used, because it quotes the text. */
function describePlace(cause: unknown, text: string): string {
  const position = /at position (\d+)/.exec(String(cause))?.[1];
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return `: it breaks in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
