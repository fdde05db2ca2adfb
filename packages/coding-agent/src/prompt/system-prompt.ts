import type { AgentTool } from "@pikit/agent";
import type { ContextFile } from "./context-files.ts";
import { delimited } from "./delimited.ts";
import { describeSkills } from "./skill-list.ts";
import type { Skill } from "./skills.ts";

/** A tool with text for the system prompt. */
export interface AdvisedTool extends AgentTool {
  /** One line about the tool. */
  promptSnippet?: string;
  /** Advice for the use of the tool. */
  promptGuidelines?: readonly string[];
}

export interface SystemPromptParts {
  cwd: string;
  tools: readonly AdvisedTool[];
  contextFiles: readonly ContextFile[];
  /** Listed only if there is a `read` tool. Default: none. */
  skills?: readonly Skill[] | undefined;
  /** Instructions from MCP servers. Default: none. */
  serverInstructions?: readonly ServerInstructions[] | undefined;
  /** Replaces the built-in instructions. */
  instructions?: string | undefined;
  /** Text for the end of the prompt. */
  append?: string | undefined;
  /** Default: now. The prompt has only the date. */
  now?: Date;
}

/** The instructions of an MCP server about its use. */
export interface ServerInstructions {
  server: string;
  text: string;
}

const builtInInstructions = `You are pi, a coding agent. You work in the user's folder with the tools you are given, and answer in plain text.

- Look before you act: read the files that matter before you change them.
- Make the change that was asked for, in the style of the code around it, and no other.
- Check your work with the project's own commands where there are some.
- Say briefly what you did and what you found. When something failed, say so and why.`;

/** Builds the system prompt of a session. The same parts give the same text, so that providers can cache it. */
export function buildSystemPrompt(parts: SystemPromptParts): string {
  const { cwd, tools, contextFiles, skills = [], serverInstructions = [], append, now = new Date() } = parts;
  const sections = [parts.instructions ?? builtInInstructions];
  if (tools.length > 0) sections.push(`Your tools: ${tools.map(({ name }) => name).join(", ")}.`);
  const snippets = tools.flatMap(({ name, promptSnippet }) => (promptSnippet ? [`- ${name}: ${promptSnippet}`] : []));
  const guidelines = [...new Set(tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines))];
  const advice = [...snippets, ...guidelines.map((guideline) => `- ${guideline}`)];
  if (advice.length > 0) sections.push(advice.join("\n"));
  for (const { server, text } of serverInstructions) sections.push(delimited("mcp_server_instructions", { server }, text));
  for (const { path, text } of contextFiles) sections.push(delimited("context_file", { path }, text));
  const skillList = tools.some(({ name }) => name === "read") ? describeSkills(skills) : "";
  if (skillList !== "") sections.push(skillList);
  sections.push(`Working folder: ${cwd}\nDate: ${now.toISOString().slice(0, 10)}`);
  if (append) sections.push(append);
  return sections.join("\n\n");
}
