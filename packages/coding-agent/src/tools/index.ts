import type { AgentTool } from "@pikit/agent";
import { type BashToolOptions, createBashTool } from "./bash.ts";
import { createEditTool } from "./edit.ts";
import { createReadTool } from "./read.ts";
import { createWriteTool } from "./write.ts";

/** The parts of the outside world that a host can replace. */
export type BuiltInToolOptions = BashToolOptions;

const factories = {
  read: createReadTool,
  bash: createBashTool,
  edit: createEditTool,
  write: createWriteTool,
} satisfies Record<string, (cwd: string, options: BuiltInToolOptions) => AgentTool>;

export type BuiltInToolName = keyof typeof factories;

/** In the order in which models see them. */
export const builtInToolNames = Object.keys(factories) as BuiltInToolName[];

export function isBuiltInToolName(name: string): name is BuiltInToolName {
  return Object.hasOwn(factories, name);
}

/**
 * Built-in tools that work in `cwd`.
 *
 * @param cwd - Absolute path of the session's working folder.
 * @param names - Which ones, in this order. Default: all.
 */
export function createTools(
  cwd: string,
  names: readonly BuiltInToolName[] = builtInToolNames,
  options: BuiltInToolOptions = {},
): AgentTool[] {
  return names.map((name) => factories[name](cwd, options));
}
