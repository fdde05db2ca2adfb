import type { AgentTool } from "@pikit/agent";
import { loadTools } from "../../tools/index.ts";
import { builtInOptions, type OwnToolsParts } from "./own-tools.ts";

/** Built-in tools that extensions may switch on. */
const offeredNames = ["grep", "find", "ls"] as const;

/** Loads the tools that extensions may switch on; none if the caller has chosen the tools. */
export async function loadOfferedTools(parts: OwnToolsParts): Promise<(cwd: string) => AgentTool[]> {
  if (parts.options.tools !== undefined) return () => [];
  const create = await loadTools(offeredNames);
  return (cwd) => create(cwd, builtInOptions(cwd, parts));
}
