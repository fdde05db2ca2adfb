import type { ThinkingLevel } from "@pikit/ai";
import { type Static, Type } from "@sinclair/typebox";
import { approvalPolicies } from "../approvals/policy.ts";
import { UsageError } from "../errors.ts";
import { InterruptModeSchema, QueueModeSchema } from "../protocol/data.ts";
import { literals } from "../protocol/literals.ts";
import { ThinkingLevelSchema } from "../protocol/messages.ts";
import { readFields } from "../protocol/validate.ts";
import { readJsonFile } from "./json-file.ts";

const paths = (what: string) =>
  Type.Optional(Type.Array(Type.String(), { description: `${what} Relative paths count from the folder of this file; ~ is the home folder.` }));

/** What `settings.json` may hold. */
export const SettingsSchema = Type.Object({
  defaultProvider: Type.Optional(Type.String()),
  defaultModel: Type.Optional(Type.String()),
  defaultThinkingLevel: Type.Optional(ThinkingLevelSchema),
  steeringMode: Type.Optional(QueueModeSchema),
  followUpMode: Type.Optional(QueueModeSchema),
  interruptMode: Type.Optional(InterruptModeSchema),
  compaction: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      reserveTokens: Type.Optional(Type.Number({ minimum: 0 })),
      keepRecentTokens: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  approval: Type.Optional(literals(approvalPolicies)),
  shell: Type.Optional(
    Type.Object({
      path: Type.Optional(Type.String({ description: "Absolute path of the shell for commands. Default: bash." })),
      timeoutSeconds: Type.Optional(
        Type.Number({ minimum: 0, description: "For commands that ask for none. Default: 0, no limit." }),
      ),
      passKeys: Type.Optional(
        Type.Boolean({ description: "Whether commands see variables that are named like secrets. Default: true." }),
      ),
    }),
  ),
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
  extensions: paths("Extensions to load: files, folders, or names of installed packages."),
  skills: paths("Skills: folders with a SKILL.md, or folders of those."),
  prompts: paths("Prompt templates: files, or folders of them."),
  mcpServers: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "MCP servers by name." })),
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
