import { isDeepStrictEqual } from "node:util";
import type { SystemPromptOptions } from "./api-context.ts";

/** Returns the system prompt with the changes that extensions have made to its parts. */
export function applySystemPromptOptions(text: string, before: SystemPromptOptions, after: SystemPromptOptions): string {
  if (typeof after.forceSystemPrompt === "string") return after.forceSystemPrompt;
  const parts = [replaceInstructions(text, before, after)];
  const guidelines = after.promptGuidelines.filter((guideline) => !before.promptGuidelines.includes(guideline));
  if (guidelines.length > 0) parts.push(guidelines.map((guideline) => `- ${guideline}`).join("\n"));
  for (const [name, section] of Object.entries(after.sections)) {
    if (!isDeepStrictEqual(before.sections[name], section)) parts.push(`<${name}>\n${section}\n</${name}>`);
  }
  const { appendSystemPrompt = "" } = after;
  if (appendSystemPrompt !== before.appendSystemPrompt) {
    const former = before.appendSystemPrompt ?? "";
    // The former text is at the end of the prompt already.
    parts.push(appendSystemPrompt.startsWith(former) ? appendSystemPrompt.slice(former.length).trim() : appendSystemPrompt);
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

function replaceInstructions(
  text: string,
  { customPrompt: former }: SystemPromptOptions,
  { customPrompt }: SystemPromptOptions,
): string {
  if (customPrompt === undefined || customPrompt === former) return text;
  return former !== undefined && text.startsWith(former) ? customPrompt + text.slice(former.length) : `${customPrompt}\n\n${text}`;
}
