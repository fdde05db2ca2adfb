import { join } from "node:path";
import { updateJsonFile } from "./update-json-file.ts";

/**
 * Adds a rule to `approvalRules.allow` of the user's `settings.json`.
 *
 * @throws {UsageError} When the file cannot be changed, or its rules are not lists.
 */
export async function allowInSettings(agentDir: string, rule: string): Promise<void> {
  await updateJsonFile(join(agentDir, "settings.json"), (content) => {
    const rules = (content.approvalRules ?? {}) as { allow?: string[] };
    const allow = rules.allow ?? [];
    return { ...content, approvalRules: { ...rules, allow: allow.includes(rule) ? allow : [...allow, rule] } };
  });
}
