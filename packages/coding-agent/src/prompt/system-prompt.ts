import type { AgentTool } from "@pikit/agent";
import type { ContextFile } from "./context-files.ts";

export interface SystemPromptParts {
  cwd: string;
  tools: readonly AgentTool[];
  contextFiles: readonly ContextFile[];
  /** Takes the place of the built-in instructions. */
  instructions?: string | undefined;
  /** Comes last. */
  append?: string | undefined;
  /** Default: now. Only the day is told. */
  now?: Date;
}

const builtInInstructions = `You are pi, a coding agent. You work in the user's folder with the tools you are given, and answer in plain text.

- Look before you act: read the files that matter before you change them.
- Make the change that was asked for, in the style of the code around it, and no other.
- Check your work with the project's own commands where there are some.
- Say briefly what you did and what you found. When something failed, say so and why.`;

/** The system prompt of a session. Equal parts give equal text, so that providers can cache it. */
export function buildSystemPrompt({ cwd, tools, contextFiles, instructions, append, now = new Date() }: SystemPromptParts): string {
  const sections = [instructions ?? builtInInstructions];
  if (tools.length > 0) sections.push(`Your tools: ${tools.map(({ name }) => name).join(", ")}.`);
  for (const { path, text } of contextFiles) sections.push(delimit(path, text));
  sections.push(`Working folder: ${cwd}\nDate: ${now.toISOString().slice(0, 10)}`);
  if (append) sections.push(append);
  return sections.join("\n\n");
}

/** A file's text must not be able to end its own section and pose as part of the prompt. */
function delimit(path: string, text: string): string {
  const body = text.trim().replaceAll("</context_file>", "<\\/context_file>");
  return `<context_file path=${JSON.stringify(path)}>\n${body}\n</context_file>`;
}
