import { shortHash } from "../short-hash.ts";
import type { Tool, ToolChoice } from "../types.ts";

/** The longest tool name that every wire takes, in characters. */
const maxNameLength = 64;

/**
 * The name under which a tool goes over the wire: its own if it has 1 to 64 of `A-Z a-z 0-9 _ -`, which is all that the vendors take,
 * else a readable beginning of it with a hash. Always the same one, so that old calls and offered tools agree.
 */
export function toWireName(name: string): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  const hash = shortHash(name);
  const start = name.replace(/[^\w-]+/g, "_").slice(0, maxNameLength - hash.length - 1);
  return `${start}_${hash}`;
}

/** Translates wire names back; a name that none of the tools has stays as it came. */
export function createNameReader(tools: readonly Tool[] | undefined): (wireName: string) => string {
  const renamed = new Map<string, string>();
  for (const { name } of tools ?? []) if (toWireName(name) !== name) renamed.set(toWireName(name), name);
  return (wireName) => renamed.get(wireName) ?? wireName;
}

/** The choice to send, if any: none without tools or for a tool that is not offered, and `auto` is what the vendors do anyway. */
export function resolveToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[] | undefined,
): Exclude<ToolChoice, "auto"> | undefined {
  if (choice === undefined || choice === "auto" || !tools?.length) return undefined;
  return typeof choice === "string" || tools.some(({ name }) => name === choice.tool) ? choice : undefined;
}
