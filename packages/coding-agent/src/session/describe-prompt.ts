import type { AgentTool } from "@pikit/agent";
import type { SystemPromptOptions } from "../extensions/api-context.ts";
import type { PromptResources } from "../prompt/prompt-resources.ts";
import type { CreateAgentSessionOptions } from "./options.ts";

/** Describes the parts of the system prompt, as far as they are loaded. */
export function describeSystemPrompt(
  { loaded }: PromptResources,
  tools: readonly AgentTool[],
  cwd: string,
  options: Pick<CreateAgentSessionOptions, "systemPrompt" | "appendSystemPrompt">,
): SystemPromptOptions {
  const { systemPrompt = loaded?.promptFiles.instructions } = options;
  const { appendSystemPrompt = loaded?.promptFiles.append ?? "" } = options;
  return {
    ...{ cwd, appendSystemPrompt, promptGuidelines: [], sections: {} },
    ...(systemPrompt === undefined ? {} : { customPrompt: systemPrompt }),
    selectedTools: tools.map(({ name }) => name),
    toolSnippets: Object.fromEntries(tools.map(({ name, description }) => [name, description.split("\n", 1)[0] ?? ""])),
    contextFiles: (loaded?.contextFiles ?? []).map(({ path, text }) => ({ path, content: text })),
    skills: (loaded?.skills ?? []).map(({ name, description, path }) => ({ name, description, filePath: path })),
  };
}
