import { join } from "node:path";
import { parse } from "yaml";
import { readJsonFile } from "../../../config/json-file.ts";
import { agentFolder } from "../../../config/paths.ts";
import { splitFrontMatter } from "../../../prompt/front-matter.ts";
import { describeSkills } from "../../../prompt/skill-list.ts";
import { absentNames } from "./absent.ts";
import { absentInCodingAgent } from "./absent-in-coding-agent.ts";
import { AuthStorage } from "./auth-storage.ts";
import { components } from "./components.ts";
import { conversationFunctions } from "./conversations.ts";
import { imageFunctions } from "./images.ts";
import { SessionManager } from "./session-manager.ts";
import { SettingsManager } from "./settings.ts";
import { themeFunctions } from "./theme-functions.ts";
import { toolFunctions } from "./tools.ts";
import { utilities } from "./utilities.ts";

/** A skill as extensions have it. */
interface FamilySkill {
  name: string;
  description: string;
  filePath: string;
  disableModelInvocation?: boolean;
}

/** `pi-coding-agent`. */
export const codingAgentModule: object = {
  ...absentNames("pi-coding-agent", absentInCodingAgent),
  ...utilities,
  ...toolFunctions,
  ...conversationFunctions,
  ...themeFunctions,
  ...components,
  ...imageFunctions,
  ...{ SettingsManager, AuthStorage, SessionManager },
  ...{ parseFrontmatter, stripFrontmatter: (text: string) => parseFrontmatter(text).body },
  formatSkillsForPrompt: (skills: readonly FamilySkill[]) =>
    describeSkills(
      skills.map((skill) => ({
        ...skill,
        path: skill.filePath,
        location: "path",
        isHidden: skill.disableModelInvocation ?? false,
      })),
    ),
  readStoredCredential: (provider: string) => readJsonFile(join(agentFolder(), "auth.json"))[provider],
};

/**
 * Divides a Markdown file into the fields of its front matter and the rest.
 *
 * @throws {Error} When the front matter is not valid YAML.
 */
function parseFrontmatter(text: string): { frontmatter: Record<string, unknown>; body: string } {
  const { frontMatter = "", body } = splitFrontMatter(text.replaceAll("\r\n", "\n"));
  const fields: unknown = parse(frontMatter, { logLevel: "silent" });
  const isObject = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  return { frontmatter: isObject ? (fields as Record<string, unknown>) : {}, body: body.trim() };
}
