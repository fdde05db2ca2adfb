import type { Skill } from "./skills.ts";

/** Maximum bytes of the list for the model: some 8,000 tokens. */
const maxListBytes = 32 * 1024;

/** The section of the system prompt about skills: their descriptions and paths. Empty if there are none. */
export function describeSkills(skills: readonly Skill[]): string {
  const items: string[] = [];
  let bytes = 0;
  const offered = skills.filter(({ isHidden }) => !isHidden);
  for (const { name, description, path } of offered) {
    const item = `<skill>\n<name>${escapeMarkup(name)}</name>\n<description>${escapeMarkup(description)}</description>\n<location>${escapeMarkup(path)}</location>\n</skill>`;
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

/** Escapes text, so that a description cannot close its element or open another one. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
