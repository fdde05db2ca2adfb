import type { AgentTool } from "@pikit/agent";
import type { CreateAgentSessionOptions } from "./agent-session-options.ts";
import type { Settings } from "./config/settings.ts";
import type { ProcessRunner } from "./exec/run-process.ts";
import type { TaskRunnerOptions, TaskSession, TaskSessionRequest } from "./run/delegation.ts";
import type { AgentSessionParts, SessionToolParts } from "./session-parts.ts";
import { isBuiltInTool, isBuiltInToolName, loadTools } from "./tools/index.ts";

export interface SessionToolsOptions {
  options: CreateAgentSessionOptions;
  settings: Settings;
  runProcess: ProcessRunner;
  /** How deep the session is: 0 for one that a user talks to. */
  depth: number;
  /** Opens the session of a sub-task, whose own options take the place of this session's. */
  openTask(own: CreateAgentSessionOptions, depth: number): Promise<TaskSession>;
}

/** Loads the tools that a session begins with. They are made anew for each folder that it works in. */
export async function prepareSessionTools(options: SessionToolsOptions): Promise<AgentSessionParts["createTools"]> {
  const { tools, customTools = [], separateStreams, files, onCommandOutput, onPreview, onDelegation } = options.options;
  const createBuiltIn = await loadTools(tools);
  const furtherTools = customTools.length > 0 ? customTools.map((await import("./tools/define-tool.ts")).toAgentTool) : [];
  return (cwd, parts) => {
    const builtIn = createBuiltIn(cwd, {
      todos: parts.todos,
      runTask: async (task) => (await import("./run/delegation.ts")).createTaskRunner(taskOptions(cwd, parts, options))(task),
      runProcess: options.runProcess,
      ...pick("defaultTimeoutSeconds", options.settings.shell?.timeoutSeconds),
      ...pick("separateStreams", separateStreams),
      ...pick("files", files),
      ...pick("onCommandOutput", onCommandOutput),
      ...pick("onPreview", onPreview),
      ...pick("onDelegation", onDelegation),
    });
    return [...builtIn.filter(({ name }) => !furtherTools.some((tool) => tool.name === name)), ...furtherTools];
  };
}

function taskOptions(cwd: string, parts: SessionToolParts, { depth, openTask }: SessionToolsOptions): TaskRunnerOptions {
  return {
    depth,
    toolNames: () => parts.tools().map(({ name }) => name),
    openSession: ({ tools, limits, depth: taskDepth }: TaskSessionRequest) =>
      openTask({ ...chooseTools(parts.tools(), tools), ...pick("model", parts.model()), cwd, limits }, taskDepth),
    remainingLimits: parts.remainingLimits,
    countUsage: parts.countUsage,
  };
}

/** The tools of a sub-task by name: its own built-in ones, and the other ones of the session that delegates. */
function chooseTools(
  parent: readonly AgentTool[],
  names: readonly string[],
): Pick<CreateAgentSessionOptions, "tools" | "customTools"> {
  const chosen = parent.filter(({ name }) => names.includes(name));
  return {
    tools: chosen.filter(isBuiltInTool).flatMap(({ name }) => (isBuiltInToolName(name) ? [name] : [])),
    customTools: chosen.filter((tool) => !isBuiltInTool(tool)),
  };
}

/** An option that is absent when it has no value. */
function pick<K extends string, V>(key: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [N in K]?: V };
}
