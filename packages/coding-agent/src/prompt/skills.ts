import { basename, dirname } from "node:path";
import { SessionError } from "../errors.ts";
import type { SlashCommand } from "../protocol/data.ts";
import { delimited } from "./delimited.ts";
import { findSkillFiles, type SkillFile } from "./find-skills.ts";
import { parseFrontMatter, textField } from "./front-matter.ts";
import { readText, reasonOf } from "./read-text.ts";
import type { ResourceSource } from "./resource-sources.ts";

/** What is read of a skill's file. */
const maxFileBytes = 256 * 1024;
/** Characters of a name and a description. Source: the Agent Skills specification, "Frontmatter". */
const maxNameLength = 64;
const maxDescriptionLength = 1024;
const namePattern = /^[\p{Ll}\p{Lo}\p{Nd}]+(?:-[\p{Ll}\p{Lo}\p{Nd}]+)*$/u;
/** Bytes of the list that the model gets: some 8,000 tokens. */
const maxListBytes = 32 * 1024;

/** What users type before a skill's name. */
export const skillPrefix = "skill:";

/** A folder with instructions for a kind of task, in the open Agent Skills format. */
export interface Skill {
  name: string;
  description: string;
  /** Absolute path of its SKILL.md. */
  path: string;
  location: NonNullable<SlashCommand["location"]>;
  /** Whether only the user may call it: the model is not told of it. */
  isHidden: boolean;
}

/**
 * Finds the skills of the sources. Of those with the same name the first counts; the others, and files that are no skills, are reported.
 * Never rejects.
 */
export async function loadSkills(sources: readonly ResourceSource[], report: (problem: string) => void): Promise<Skill[]> {
  const skills = new Map<string, Skill>();
  const seen = new Set<string>();
  for (const source of sources) {
    for (const file of await findSkillFiles(source, report)) {
      if (seen.has(file.realPath)) continue;
      seen.add(file.realPath);
      const skill = await loadSkill(file, report);
      const other = skill && skills.get(skill.name);
      if (other) report(`The skill ${file.path} is left out: ${other.path} has the same name, ${other.name}.`);
      else if (skill) skills.set(skill.name, skill);
    }
  }
  return [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function loadSkill({ path, location }: SkillFile, report: (problem: string) => void): Promise<Skill | undefined> {
  try {
    const file = await parseFrontMatter((await readText(path, maxFileBytes)).text);
    const name = textField(file, "name") ?? basename(dirname(path));
    if (!namePattern.test(name) || name.length > maxNameLength) {
      const rule = `lower-case letters, digits and single hyphens, at most ${maxNameLength} characters`;
      throw new Error(`its name must have ${rule}, but is ${JSON.stringify(name.slice(0, 2 * maxNameLength))}`);
    }
    const description = textField(file, "description");
    if (description === undefined) throw new Error('it has no "description" in its front matter, which says when to use it');
    const isHidden = textField(file, "disable-model-invocation") === "true";
    return { name, description: description.slice(0, maxDescriptionLength), path, location, isHidden };
  } catch (error) {
    report(`The skill ${path} cannot be used: ${reasonOf(error)}.`);
    return undefined;
  }
}

/**
 * What the system prompt says of the skills: what they are for and where to read them. Empty when there are none.
 *
 * @param report - Told when there are too many to list.
 */
export function describeSkills(skills: readonly Skill[]): string {
  const items: string[] = [];
  let bytes = 0;
  const offered = skills.filter(({ isHidden }) => !isHidden);
  for (const { name, description, path } of offered) {
    const item = `<skill>\n<name>${escape(name)}</name>\n<description>${escape(description)}</description>\n<location>${escape(path)}</location>\n</skill>`;
    bytes += Buffer.byteLength(item);
    if (bytes > maxListBytes) break;
    items.push(item);
  }
  if (items.length === 0) return "";
  const left = offered.length - items.length;
  return [
    "Skills are instructions for particular kinds of tasks. When a task fits the description of one, read its file with the read tool before",
    "you begin, and follow it. Relative paths in it start from its folder.",
    "<available_skills>",
    ...items,
    ...(left > 0 ? [`(${left} more are not listed; the user can name them.)`] : []),
    "</available_skills>",
  ].join("\n");
}

/**
 * The message that `/skill:name arguments` stands for: the skill's instructions as they are now, then the arguments.
 *
 * @throws {SessionError} `invalid_input` when the file cannot be read any more.
 */
export async function invokeSkill({ name, path }: Skill, args: string): Promise<string> {
  try {
    const { body } = await parseFrontMatter((await readText(path, maxFileBytes)).text);
    const text = delimited("skill", { name, location: path }, `Relative paths start from ${dirname(path)}.\n\n${body.trim()}`);
    return args.trim() === "" ? text : `${text}\n\n${args.trim()}`;
  } catch (error) {
    throw new SessionError("invalid_input", `The skill ${path} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

/** As `get_commands` lists a skill. */
export function skillCommand({ name, description, path, location }: Skill): SlashCommand {
  return { name: `${skillPrefix}${name}`, description, source: "skill", location, path };
}

/** No description can end its own element, or begin another one. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
