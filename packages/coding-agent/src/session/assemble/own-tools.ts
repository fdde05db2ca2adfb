import type { AgentTool } from "@pikit/agent";
import type { Settings } from "../../config/settings.ts";
import type { ProcessRunner } from "../../exec/run-process.ts";
import type { TaskRunnerOptions, TaskSession, TaskSessionRequest } from "../../run/delegation.ts";
import type { CommandSandbox } from "../../tools/bash/run.ts";
import type { FileAccess } from "../../tools/files/file-access.ts";
import { type BuiltInToolName, type CreateBuiltInTools, isBuiltInTool, isBuiltInToolName, loadTools } from "../../tools/index.ts";
import type { CreateAgentSessionOptions } from "../options.ts";
import type { SessionCheckpoints } from "../parts/checkpoints.ts";
import type { Core } from "./core.ts";
import type { Supervision } from "./supervision.ts";

export interface OwnToolsParts {
  options: CreateAgentSessionOptions;
  settings: Settings;
  runProcess: ProcessRunner;
  agent: Core["agent"];
  checkpoints: SessionCheckpoints;
  /** The files of the tools. Undefined: those of this machine. */
  files: FileAccess | undefined;
  /** The sandbox of commands; undefined without one. */
  sandbox: CommandSandbox | undefined;
  limits: Supervision["limits"];
  todoList: Supervision["todoList"];
  /** The delegation depth: 0 for the session of a user. */
  depth: number;
  /** Opens the session of a sub-task. Its own options override those of this session. */
  openTask(own: CreateAgentSessionOptions, task: { depth: number; toolCallId: string }): Promise<TaskSession>;
}

/** Loads the first tools of a session. Returns a function that creates them for a working folder. */
export async function loadOwnTools(parts: OwnToolsParts): Promise<(cwd: string) => AgentTool[]> {
  const { tools = namedTools(parts.settings.defaultTools), customTools = [] } = parts.options;
  const createBuiltIn = await loadTools(tools);
  const furtherTools = customTools.length > 0 ? customTools.map((await import("../../tools/define-tool.ts")).toAgentTool) : [];
  return (cwd) => {
    const builtIn = createBuiltIn(cwd, builtInOptions(cwd, parts));
    return [...builtIn.filter(({ name }) => !furtherTools.some((tool) => tool.name === name)), ...furtherTools];
  };
}

/** The options of the built-in tools of a session. */
export function builtInOptions(cwd: string, parts: OwnToolsParts): Parameters<CreateBuiltInTools>[1] {
  const { separateStreams, onCommandOutput, onPreview, onDelegation } = parts.options;
  return {
    todos: parts.todoList,
    runTask: async (task) => (await import("../../run/delegation.ts")).createTaskRunner(taskOptions(cwd, parts))(task),
    runProcess: parts.runProcess,
    ...parts.checkpoints.keepers,
    ...pick("defaultTimeoutSeconds", parts.settings.shell?.timeoutSeconds),
    ...pick("separateStreams", separateStreams),
    ...pick("files", parts.files),
    ...pick("sandbox", parts.sandbox),
    ...pick("onCommandOutput", onCommandOutput),
    ...pick("onPreview", onPreview),
    ...pick("onDelegation", onDelegation),
  };
}

/** The built-in tools of the settings. Names of tools that only related programs have are skipped. */
function namedTools(names: readonly string[] | undefined): BuiltInToolName[] | undefined {
  return names?.filter((name) => isBuiltInToolName(name));
}

function taskOptions(cwd: string, { agent, limits, depth, openTask }: OwnToolsParts): TaskRunnerOptions {
  return {
    depth,
    toolNames: () => agent.state.tools.map(({ name }) => name),
    openSession({ tools, limits: taskLimits, depth: taskDepth, toolCallId }: TaskSessionRequest) {
      const { tools: present, model } = agent.state;
      return openTask(
        { ...chooseTools(present, tools), ...pick("model", model), cwd, limits: taskLimits },
        { depth: taskDepth, toolCallId },
      );
    },
    remainingLimits: () => limits.remaining,
    countUsage: (usage) => limits.countCost({ usage }),
  };
}

/** The named tools of a sub-task: new built-in ones, and the other tools of the delegating session. */
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

/** An object with the option, or an empty one if the value is undefined. */
function pick<K extends string, V>(key: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [N in K]?: V };
}
