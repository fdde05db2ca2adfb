import { UsageError } from "../errors.ts";
import { readShape } from "../protocol/shape.ts";
import { familyKeys, fromFamily } from "./family-settings.ts";
import { readJsonFile } from "./json-file.ts";
import { describeMisspeltKeys } from "./misspelt-keys.ts";
import type { Settings } from "./settings.ts";
import { settingsShape } from "./settings-shapes.ts";

/** The content of a `settings.json`. */
export interface SettingsFile {
  settings: Settings;
  /** A line of text for each key that looks misspelt. */
  problems: string[];
}

/**
 * Reads `settings.json`; a missing file has no settings.
 *
 * @throws {UsageError} When the file is not a JSON object, or a setting has the wrong type; the message names both.
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  try {
    const content = readJsonFile(path);
    const settings = (await check(fromFamily(content))) as Settings;
    return { settings, problems: await describeMisspeltKeys(content, settingsShape, path, familyKeys) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message } = error as Error;
    // A server's headers and variables may contain a key, so the value is not quoted.
    const isSecret = /^Field "mcpServers(?!\.[^.]*\.(?:command|url)\b)/.test(message);
    throw new UsageError("invalid_config", `${path}: ${isSecret ? message.replace(/, but is .*$/s, "") : message}.`);
  }
}

/** The settings of a file, see `readSettingsFile`. */
export async function readSettings(path: string): Promise<Settings> {
  return (await readSettingsFile(path)).settings;
}

/** Loads the schema, which takes longer than everything else here, only for the error message. */
async function check(content: Record<string, unknown>): Promise<Record<string, unknown>> {
  const fields = readShape(settingsShape, content);
  if (fields) return fields;
  const [{ readFields }, { SettingsSchema }] = await Promise.all([import("../protocol/validate.ts"), import("./settings.ts")]);
  return readFields(SettingsSchema, content);
}
