import type { AgentTool } from "@pikit/agent";
import { type BuiltInToolName, type CreateBuiltInTools, loadTools } from "../../src/tools/index.ts";

/** Built-in tools without a session: those that need one fail when they are called. */
export async function createTools(
  cwd: string,
  names?: readonly BuiltInToolName[],
  options: Partial<Parameters<CreateBuiltInTools>[1]> = {},
): Promise<AgentTool[]> {
  const withoutSession = async () => {
    throw new Error("there is no session");
  };
  const create = await loadTools(names);
  return create(cwd, { todos: { set: withoutSession }, runTask: withoutSession, ...options });
}
