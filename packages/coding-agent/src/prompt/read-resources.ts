import { type ContextFile, loadContextFiles } from "./context-files.ts";
import { type PromptFileTexts, readPromptFiles } from "./prompt-files.ts";
import type { ResourceSource } from "./resource-sources.ts";
import { SharedLooks } from "./shared-looks.ts";
import { loadSkills, type Skill } from "./skills.ts";
import { loadTemplates, type PromptTemplate } from "./templates.ts";

/** The resources of a folder and its user for prompts. Several sessions may share them. */
export interface LoadedResources {
  readonly contextFiles: readonly ContextFile[];
  /** The texts of `SYSTEM.md` and `APPEND_SYSTEM.md`. */
  readonly promptFiles: PromptFileTexts;
  readonly skills: readonly Skill[];
  readonly templates: readonly PromptTemplate[];
}

/** Where the resources of a folder and its user are. */
export interface ResourcePlaces {
  cwd: string;
  agentDir: string;
  /** Whether AGENTS.md and CLAUDE.md are read. */
  contextFiles: boolean;
  /** The folders of `SYSTEM.md` and `APPEND_SYSTEM.md`. */
  promptFiles: readonly string[];
  skills: readonly ResourceSource[];
  templates: readonly ResourceSource[];
}

interface ReadResources {
  resources: LoadedResources;
  /** Of each file that cannot be used. */
  problems: readonly string[];
}

/** Hundreds of sessions of one folder may get their first prompt at the same time. */
const looks = new SharedLooks<ReadResources>();

/** Reads the resources in all places. Sessions that ask for the same ones at the same time share one reading. Never rejects for a file. */
export function readResources(places: ResourcePlaces): Promise<ReadResources> {
  // A function does not say what it depends on.
  const isFiltered = [...places.skills, ...places.templates].some(({ isUsed }) => isUsed !== undefined);
  return isFiltered ? readAll(places) : looks.look(JSON.stringify(places), () => readAll(places));
}

async function readAll({ cwd, agentDir, ...places }: ResourcePlaces): Promise<ReadResources> {
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  const [contextFiles, promptFiles, skills, templates] = await Promise.all([
    places.contextFiles ? loadContextFiles({ cwd, agentDir, report }) : [],
    readPromptFiles(places.promptFiles, report),
    loadSkills(places.skills, report),
    loadTemplates(places.templates, report),
  ]);
  return { resources: { contextFiles, promptFiles, skills, templates }, problems };
}
