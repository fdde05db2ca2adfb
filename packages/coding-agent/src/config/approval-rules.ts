import { join } from "node:path";
import { updateJsonFile } from "./update-json-file.ts";

/**
 * Adds a rule to `approvalRules.allow` or `.deny` of the user's `settings.json`.
 *
 * @throws {UsageError} When the file cannot be changed, or its rules are not lists.
 */
export async function addRuleToSettings(agentDir: string, list: "allow" | "deny", rule: string): Promise<void> {
  await updateJsonFile(join(agentDir, "settings.json"), (content) => {
    const lists = (content.approvalRules ?? {}) as { allow?: string[]; deny?: string[] };
    const rules = lists[list] ?? [];
    return { ...content, approvalRules: { ...lists, [list]: rules.includes(rule) ? rules : [...rules, rule] } };
  });
}
