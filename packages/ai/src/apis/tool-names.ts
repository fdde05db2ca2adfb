import { shortHash } from "../short-hash.ts";
import type { Tool, ToolChoice } from "../types.ts";

/** The maximum length of a tool name on every wire, in characters. */
const maxNameLength = 64;

/**
 * The name of a tool on the wire. Vendors accept 1 to 64 of the characters `A-Z a-z 0-9 _ -`; any other name is sent as its readable
 * beginning with a hash. The same name always gives the same result, so that earlier calls match the offered tools.
 */
export function toWireName(name: string): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  const hash = shortHash(name);
  const start = name.replace(/[^\w-]+/g, "_").slice(0, maxNameLength - hash.length - 1);
  return `${start}_${hash}`;
}

/** Creates a function that converts wire names back to tool names. A name that belongs to no tool stays unchanged. */
export function createNameReader(tools: readonly Tool[] | undefined): (wireName: string) => string {
  const renamed = new Map<string, string>();
  for (const { name } of tools ?? []) if (toWireName(name) !== name) renamed.set(toWireName(name), name);
  return (wireName) => renamed.get(wireName) ?? wireName;
}

/** The choice to send. Undefined without tools, for a tool that is not offered, and for `auto`, which is the vendors' default. */
export function resolveToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[] | undefined,
): Exclude<ToolChoice, "auto"> | undefined {
  if (choice === undefined || choice === "auto" || !tools?.length) return undefined;
  return typeof choice === "string" || tools.some(({ name }) => name === choice.tool) ? choice : undefined;
}
