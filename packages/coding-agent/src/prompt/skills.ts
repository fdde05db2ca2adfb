import { basename, dirname, extname } from "node:path";
import { fileLimits } from "@pikit/ai/files/sync";
import { SessionError } from "../errors.ts";
import type { SlashCommand } from "../protocol/data.ts";
import { type PackageOrigin, toSourceInfo } from "../source-info.ts";
import { delimited } from "./delimited.ts";
import { findSkillFiles, type SkillFile } from "./find-skills.ts";
import { parseFrontMatter, textField } from "./front-matter.ts";
import { readText, reasonOf } from "./read-text.ts";
import { type ResourceSource, skillPrefix } from "./resource-sources.ts";

const maxFileBytes = fileLimits.skill;
/** Maximum characters of a name and a description. Source: the Agent Skills specification, "Frontmatter". */
const maxNameLength = 64;
const maxDescriptionLength = 1024;
/** A name that can be typed in a command. The format allows fewer, but other agents take these, too. */
const typeableName = /^[^\s\p{Cc}]+$/u;
const namePattern = /^[\p{Ll}\p{Lo}\p{Nd}]+(?:-[\p{Ll}\p{Lo}\p{Nd}]+)*$/u;

/** A folder with instructions for a kind of task, in the open Agent Skills format. */
export interface Skill {
  name: string;
  description: string;
  /** Absolute path of its SKILL.md. */
  path: string;
  location: NonNullable<SlashCommand["location"]>;
  /** Whether only the user may call it; the system prompt does not list it. */
  isHidden: boolean;
  /** The package that brings it; undefined without one. */
  package?: PackageOrigin | undefined;
}

/**
 * Loads the skills of the sources. Of several skills with the same name, the first counts. The others, and files that are not valid skills,
 * are reported. Never rejects.
 */
export async function loadSkills(sources: readonly ResourceSource[], report: (problem: string) => void): Promise<Skill[]> {
  const skills = new Map<string, Skill>();
  const seen = new Set<string>();
  for (const source of sources) {
    for (const file of await findSkillFiles(source, report)) {
      if (source.isUsed?.(file.path) === false || seen.has(file.realPath)) continue;
      seen.add(file.realPath);
      const skill = await loadSkill(file, report);
      const other = skill && skills.get(skill.name);
      if (other) report(`The skill ${file.path} is left out: ${other.path} has the same name, ${other.name}.`);
      else if (skill) skills.set(skill.name, skill);
    }
  }
  return [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function loadSkill(found: SkillFile, report: (problem: string) => void): Promise<Skill | undefined> {
  const { path, location, isLoose } = found;
  try {
    const file = await parseFrontMatter((await readText(path, maxFileBytes)).text);
    const name = textField(file, "name") ?? (isLoose ? basename(path, extname(path)) : basename(dirname(path)));
    const description = textField(file, "description");
    if (description === undefined && isLoose) return undefined; // a text about the skills
    if (!namePattern.test(name) || name.length > maxNameLength) {
      const rule = `lower-case letters, digits and single hyphens, at most ${maxNameLength} characters`;
      const problem = `its name must have ${rule}, but is ${JSON.stringify(name.slice(0, 2 * maxNameLength))}`;
      if (!typeableName.test(name) || name.length > 2 * maxNameLength) throw new Error(problem);
      report(`The skill ${path} may not work with other agents: ${problem}.`);
    }
    if (description === undefined) throw new Error('it has no "description" in its front matter, which says when to use it');
    const isHidden = textField(file, "disable-model-invocation") === "true";
    return { name, description: description.slice(0, maxDescriptionLength), path, location, isHidden, package: found.package };
  } catch (error) {
    report(`The skill ${path} cannot be used: ${reasonOf(error)}.`);
    return undefined;
  }
}

/**
 * The message for `/skill:name arguments`: the current instructions of the skill, then the arguments.
 *
 * @throws {SessionError} `invalid_input` when the file can no longer be read.
 */
export async function invokeSkill({ name, path }: Skill, args: string): Promise<string> {
  try {
    const file = await readText(path, maxFileBytes);
    if (file.isCut) throw new Error(`it has more than ${maxFileBytes / 1024} KB; let the model read what it needs of it`);
    const { body } = await parseFrontMatter(file.text);
    const text = delimited("skill", { name, location: path }, `Relative paths start from ${dirname(path)}.\n\n${body.trim()}`);
    return args.trim() === "" ? text : `${text}\n\n${args.trim()}`;
  } catch (error) {
    throw new SessionError("invalid_input", `The skill ${path} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

/** A skill as an item of `get_commands`. */
export function skillCommand(skill: Skill): SlashCommand {
  const { name, description, path, location } = skill;
  const sourceInfo = skill.package && toSourceInfo(skill);
  return { name: `${skillPrefix}${name}`, description, source: "skill", location, path, ...(sourceInfo ? { sourceInfo } : {}) };
}
