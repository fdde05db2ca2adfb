import { resolve } from "node:path";
import type { AgentTool } from "@pikit/agent";
import { ownTurn } from "@pikit/ai";
import { PromptResources } from "../../prompt/prompt-resources.ts";
import type { NamedPaths } from "../../prompt/resource-sources.ts";
import { SystemPrompt } from "../parts/system-prompt.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Core } from "./core.ts";
import type { Setup } from "./setup.ts";
import type { Tools } from "./tools.ts";

export type Prompts = Pick<SessionParts, "prompts" | "systemPrompt">;

/** Creates the sources of prompts: templates, skills, context files, system prompt. Nothing is read before the first prompt. */
export function createPrompts(
  setup: Setup,
  configuration: Configuration,
  { agent, transcript }: Core,
  { tools, mcp }: Tools,
): Prompts {
  const { options } = setup;
  const prompts = createResources(setup, configuration);
  let readFor = transcript.conversation.header.id;
  const build = async (cwd: string, present: readonly AgentTool[]) => {
    const { id } = transcript.conversation.header;
    // A new session reads the files again.
    if (readFor !== id) prompts.forget();
    readFor = id;
    const [{ contextFiles, promptFiles, skills }, { buildSystemPrompt }] = await Promise.all([
      prompts.load(cwd),
      import("../../prompt/system-prompt.ts"),
    ]);
    // Many sessions may have waited for the same files.
    await ownTurn();
    return buildSystemPrompt({
      ...{ cwd, tools: present, contextFiles, skills },
      serverInstructions: mcp?.instructions ?? [],
      instructions: options.systemPrompt ?? promptFiles.instructions,
      append: options.appendSystemPrompt ?? promptFiles.append,
    });
  };
  return { prompts, systemPrompt: new SystemPrompt({ agent, tools, transcript, build }) };
}

function createResources({ options, report }: Setup, { resources, settings }: Configuration): PromptResources {
  return new PromptResources({
    agentDir: options.agentDir,
    isTrusted: (folder) => resources.isTrusted(folder),
    packages: () => resources.packages(),
    filter: (kind) => resources.filter(kind),
    contextFiles: options.contextFiles,
    listSkills: settings.enableSkillCommands,
    skills: namedPaths(options.skills, options.discoverSkills, settings.skills, options.cwd),
    templates: namedPaths(options.promptTemplates, options.discoverPromptTemplates, settings.prompts, options.cwd),
    report,
  });
}

function namedPaths(
  extra: readonly string[] | false | undefined,
  discover: boolean | undefined,
  settings: readonly string[] | undefined,
  folder: string,
): NamedPaths | false {
  return extra === false ? false : { extra: extra?.map((path) => resolve(folder, path)), settings, discover };
}
