import type { ThinkingLevel } from "@pikit/ai";
import { type Static, Type } from "@sinclair/typebox";
import { UsageError } from "../errors.ts";
import { InterruptModeSchema, QueueModeSchema } from "../protocol/data.ts";
import { ThinkingLevelSchema } from "../protocol/messages.ts";
import { readFields } from "../protocol/validate.ts";
import { readJsonFile } from "./json-file.ts";

const SettingsSchema = Type.Object({
  defaultProvider: Type.Optional(Type.String()),
  defaultModel: Type.Optional(Type.String()),
  defaultThinkingLevel: Type.Optional(ThinkingLevelSchema),
  steeringMode: Type.Optional(QueueModeSchema),
  followUpMode: Type.Optional(QueueModeSchema),
  interruptMode: Type.Optional(InterruptModeSchema),
  retry: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      maxRetries: Type.Optional(Type.Number({ minimum: 0 })),
      baseDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  limits: Type.Optional(
    Type.Object({
      maxTurns: Type.Optional(Type.Number({ minimum: 1 })),
      maxCostUsd: Type.Optional(Type.Number({ minimum: 0 })),
      maxTimeSeconds: Type.Optional(Type.Number({ minimum: 0 })),
      maxToolCalls: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
});

/** The user's choices, from `settings.json`. Keys that this version does not know are left alone. */
export type Settings = Static<typeof SettingsSchema> & { defaultThinkingLevel?: ThinkingLevel };

/**
 * Reads `settings.json`; a missing file has no settings.
 *
 * @throws {UsageError} When the file is not a JSON object, or a setting has the wrong type; the message names both.
 */
export async function readSettings(path: string): Promise<Settings> {
  try {
    return (await readFields(SettingsSchema, readJsonFile(path))) as Settings;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${(error as Error).message}.`, 1);
  }
}
