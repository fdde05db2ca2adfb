import { join } from "node:path";
import { projectAgentsSkills, userAgentsSkills } from "../config/agents-folders.ts";
import type { NamedResource } from "../config/all-settings.ts";
import { SessionError } from "../errors.ts";
import type { SlashCommand } from "../protocol/data.ts";
import type { LoadedResources } from "./read-resources.ts";
import { listSources, type NamedPaths, type ResourceFilter, type ResourceSource, skillPrefix } from "./resource-sources.ts";

const callPattern = /^\/(\S+)(?:\s+([\s\S]*))?$/;

export interface PromptResourcesOptions {
  /** The folder of the user's own resources. */
  agentDir: string;
  /** Whether resources in the `.pi` folder of `cwd` may be used. Called at each loading. */
  isTrusted(cwd: string): boolean | Promise<boolean>;
  /** Whether AGENTS.md and CLAUDE.md are read. Default: true. */
  contextFiles?: boolean | undefined;
  /** Paths of skills in addition to the usual folders; false for no skills. */
  skills?: NamedPaths | false | undefined;
  /** Paths of prompt templates in addition to the usual folders; false for no templates. */
  templates?: NamedPaths | false | undefined;
  /** Finds the skills and templates of packages. Called at each loading. Default: there are none. */
  packages?(): Promise<PackagedFiles | undefined>;
  /** Whether skills are listed as commands. They can be called anyway. Default: true. */
  listSkills?: boolean | undefined;
  /** Returns the patterns of the settings for a kind. Called at each loading. Default: there are none. */
  filter?(kind: keyof PackagedFiles): Promise<ResourceFilter | undefined>;
  /** Called once for each problem. */
  report(problem: string): void;
}

/** Paths that are added to a session; absolute. */
export interface AddedPaths {
  skills?: readonly string[];
  templates?: readonly string[];
}

/** Resources that are being read, or were read. */
interface Loading {
  cwd: string;
  resources: Promise<LoadedResources>;
  current?: LoadedResources;
  commands?: readonly SlashCommand[];
}

/** Files that packages bring. */
interface PackagedFiles {
  skills: readonly NamedResource[];
  prompts: readonly NamedResource[];
}

/** Loads the code that reads the files and writes the system prompt. Call it early to save this time at the first prompt. */
export async function loadReaders(): Promise<void> {
  await Promise.all([import("./read-resources.ts"), import("./system-prompt.ts")]);
}

/** The context files, skills and prompt templates of a session, read on demand. */
export class PromptResources {
  readonly #options: PromptResourcesOptions;
  readonly #reported = new Set<string>();
  #loaded: Loading | undefined;
  #added: AddedPaths = {};

  constructor(options: PromptResourcesOptions) {
    this.#options = options;
  }

  /** Loads the resources for a folder, once. Does not reject for an invalid file; see `report`. */
  load(cwd: string): Promise<LoadedResources> {
    if (this.#loaded?.cwd !== cwd) this.#loaded = this.#begin(cwd);
    return this.#loaded.resources;
  }

  /** The resources that were loaded last; undefined if none were. */
  get loaded(): LoadedResources | undefined {
    return this.#loaded?.current;
  }

  /** Adds paths, which replace those that were added before. Reads everything again. */
  add(paths: AddedPaths): void {
    this.#added = paths;
    this.forget();
  }

  /** Drops the loaded resources; the next call reads the files again. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** The templates and skills that were loaded last, as slash commands; empty if none were. */
  get knownCommands(): readonly SlashCommand[] {
    return this.#loaded?.commands ?? [];
  }

  #begin(cwd: string): Loading {
    const loading: Loading = { cwd, resources: this.#read(cwd) };
    loading.resources.then(
      async (current) => {
        loading.current = current;
        loading.commands = await toCommands(current, this.#options.listSkills ?? true);
      },
      () => undefined, // the callers of `load` get the error
    );
    return loading;
  }

  /** The templates and skills as slash commands. */
  async commands(cwd: string): Promise<SlashCommand[]> {
    return toCommands(await this.load(cwd), this.#options.listSkills ?? true);
  }

  /**
   * Expands a prompt: `/name arguments` calls a template, `/skill:name arguments` a skill. Returns every other text unchanged.
   *
   * @throws {SessionError} `invalid_input` when there is no skill with this name, or its file can no longer be read.
   */
  async expand(text: string, cwd: string): Promise<string> {
    const [, name, args = ""] = callPattern.exec(text) ?? [];
    if (name === undefined) return text;
    const { templates, skills } = await this.load(cwd);
    const template = templates.find((candidate) => candidate.name === name);
    if (template) return (await import("./templates.ts")).invokeTemplate(template, args);
    if (!name.startsWith(skillPrefix) || this.#options.skills === false) return text;
    const skill = skills.find((candidate) => name === `${skillPrefix}${candidate.name}`);
    if (skill) return (await import("./skills.ts")).invokeSkill(skill, args);
    const names = skills.map((candidate) => candidate.name).join(", ") || "none";
    throw new SessionError("invalid_input", `There is no skill named "${name.slice(skillPrefix.length)}". Skills: ${names}.`);
  }

  async #read(cwd: string): Promise<LoadedResources> {
    const { agentDir, contextFiles = true, skills = {}, templates = {} } = this.#options;
    const [isTrusted, packaged, ...filters] = await Promise.all([
      this.#options.isTrusted(cwd),
      this.#options.packages?.(),
      this.#options.filter?.("skills"),
      this.#options.filter?.("prompts"),
    ]);
    const sources = (named: NamedPaths | false, folder: keyof PackagedFiles, added: readonly string[] = []): ResourceSource[] => {
      if (named === false) return [];
      const folders = {
        project: isTrusted ? join(cwd, ".pi", folder) : undefined,
        user: join(agentDir, folder),
        ...(folder === "skills"
          ? { shared: { project: isTrusted ? projectAgentsSkills(cwd) : [], user: userAgentsSkills() } }
          : {}),
      };
      return listSources(
        { ...named, extra: [...(named.extra ?? []), ...added] },
        folders,
        packaged?.[folder] ?? [],
        filters[folder === "skills" ? 0 : 1],
      );
    };
    const { readResources } = await import("./read-resources.ts");
    const { resources, problems } = await readResources({
      ...{ cwd, agentDir, contextFiles },
      promptFiles: isTrusted ? [join(cwd, ".pi"), agentDir] : [agentDir],
      skills: sources(skills, "skills", this.#added.skills),
      templates: sources(templates, "prompts", this.#added.templates),
    });
    for (const problem of problems) this.#report(problem);
    return resources;
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.report(problem);
  }
}

async function toCommands({ templates, skills }: LoadedResources, listSkills: boolean): Promise<SlashCommand[]> {
  const [{ templateCommand }, { skillCommand }] = await Promise.all([import("./templates.ts"), import("./skills.ts")]);
  return [...templates.map(templateCommand), ...(listSkills ? skills.map(skillCommand) : [])];
}
