import { type ThinkingLevel, thinkingLevels } from "@pikit/ai";
import { UsageError } from "../errors.ts";
import { readJsonFile } from "./json-file.ts";

/** The user's choices, from `settings.json`. Keys that this version does not know are left alone. */
export interface Settings {
  defaultProvider?: string;
  defaultModel?: string;
  defaultThinkingLevel?: ThinkingLevel;
}

/**
 * Reads `settings.json`; a missing file has no settings.
 *
 * @throws {UsageError} When the file is not a JSON object, or a setting has the wrong type; the message names both.
 */
export function readSettings(path: string): Settings {
  const values = readJsonFile(path);
  const text = (key: keyof Settings): string | undefined => {
    const value = values[key];
    if (value === undefined || typeof value === "string") return value;
    throw new UsageError(`${path}: "${key}" must be a string, but is ${JSON.stringify(value)}.`, 1);
  };
  const defaultProvider = text("defaultProvider");
  const defaultModel = text("defaultModel");
  const level = text("defaultThinkingLevel");
  if (level !== undefined && !(thinkingLevels as readonly string[]).includes(level)) {
    throw new UsageError(`${path}: "defaultThinkingLevel" must be one of ${thinkingLevels.join(", ")}, but is "${level}".`, 1);
  }
  return {
    ...(defaultProvider === undefined ? {} : { defaultProvider }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(level === undefined ? {} : { defaultThinkingLevel: level as ThinkingLevel }),
  };
}
