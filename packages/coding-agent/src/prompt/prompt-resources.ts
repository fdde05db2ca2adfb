import { join } from "node:path";
import { SessionError } from "../errors.ts";
import type { SlashCommand } from "../protocol/data.ts";
import type { ContextFile } from "./context-files.ts";
import { listSources, type NamedPaths, type ResourceSource, skillPrefix } from "./resource-sources.ts";
import type { Skill } from "./skills.ts";
import type { PromptTemplate } from "./templates.ts";

/** Loads what reads the files. May be called early, to have it ready. */
export const loadReaders = () => import("./load-resources.ts");

const callPattern = /^\/(\S+)(?:\s+([\s\S]*))?$/;

/** What a folder and its user bring to a prompt. */
export interface LoadedResources {
  contextFiles: readonly ContextFile[];
  skills: readonly Skill[];
  templates: readonly PromptTemplate[];
}

export interface PromptResourcesOptions {
  /** Where the user's own are. */
  agentDir: string;
  /** Whether what the folder itself brings, in `.pi`, may take effect. Asked when something is loaded. */
  isTrusted(cwd: string): boolean | Promise<boolean>;
  /** Whether AGENTS.md and CLAUDE.md are read. Default true. */
  contextFiles?: boolean | undefined;
  /** Where skills are looked for beside the usual folders; false: there are none. */
  skills?: NamedPaths | false | undefined;
  /** The same of prompt templates. */
  templates?: NamedPaths | false | undefined;
  /** Told of each thing that cannot be used, once. */
  report(problem: string): void;
}

/** The context files, skills and prompt templates of a session. Nothing is read before somebody asks for it. */
export class PromptResources {
  readonly #options: PromptResourcesOptions;
  readonly #reported = new Set<string>();
  #loaded: { cwd: string; resources: Promise<LoadedResources> } | undefined;

  constructor(options: PromptResourcesOptions) {
    this.#options = options;
  }

  /** What there is for a folder; read once. Never rejects because of a faulty file: see `report`. */
  load(cwd: string): Promise<LoadedResources> {
    if (this.#loaded?.cwd !== cwd) this.#loaded = { cwd, resources: this.#read(cwd) };
    return this.#loaded.resources;
  }

  /** Reads everything anew with the next question. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** Templates and skills as commands that users call. */
  async commands(cwd: string): Promise<SlashCommand[]> {
    const [{ templates, skills }, { templateCommand, skillCommand }] = await Promise.all([this.load(cwd), loadReaders()]);
    return [...templates.map(templateCommand), ...skills.map(skillCommand)];
  }

  /**
   * The text that a prompt stands for: `/name arguments` is a template's, `/skill:name arguments` a skill's. Every other text is its own.
   *
   * @throws {SessionError} `invalid_input` when there is no skill of that name, or a file cannot be read any more.
   */
  async expand(text: string, cwd: string): Promise<string> {
    const [, name, args = ""] = callPattern.exec(text) ?? [];
    if (name === undefined) return text;
    const { templates, skills } = await this.load(cwd);
    const template = templates.find((candidate) => candidate.name === name);
    if (template) return (await loadReaders()).invokeTemplate(template, args);
    if (!name.startsWith(skillPrefix) || this.#options.skills === false) return text;
    const skill = skills.find((candidate) => name === `${skillPrefix}${candidate.name}`);
    if (skill) return (await loadReaders()).invokeSkill(skill, args);
    const names = skills.map((candidate) => candidate.name).join(", ") || "none";
    throw new SessionError("invalid_input", `There is no skill named "${name.slice(skillPrefix.length)}". Skills: ${names}.`);
  }

  async #read(cwd: string): Promise<LoadedResources> {
    const { agentDir, contextFiles = true, skills = {}, templates = {} } = this.#options;
    const report = (problem: string) => this.#report(problem);
    const isTrusted = await this.#options.isTrusted(cwd);
    const sources = (named: NamedPaths | false, folder: string): ResourceSource[] => {
      if (named === false) return [];
      return listSources(named, { project: isTrusted ? join(cwd, ".pi", folder) : undefined, user: join(agentDir, folder) });
    };
    const { loadContextFiles, loadSkills, loadTemplates } = await loadReaders();
    const [files, skillList, templateList] = await Promise.all([
      contextFiles ? loadContextFiles({ cwd, agentDir, report }) : [],
      loadSkills(sources(skills, "skills"), report),
      loadTemplates(sources(templates, "prompts"), report),
    ]);
    return { contextFiles: files, skills: skillList, templates: templateList };
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.report(problem);
  }
}
