import type { AgentTool } from "@pikit/agent";
import type { TodoList } from "../todo/todo-list.ts";
import { createBashTool } from "./bash/definition.ts";
import type { BashToolOptions } from "./bash/run.ts";
import type { DelegateToolOptions } from "./delegate/run.ts";
import { createEditTool } from "./edit/definition.ts";
import type { FileToolOptions } from "./files/file-access.ts";
import type { PreviewToolOptions } from "./preview/run.ts";
import { createReadTool } from "./read/definition.ts";
import { createWriteTool } from "./write/definition.ts";

/** The replaceable parts of the environment, and the parts of the session that the tools use. */
interface BuiltInToolOptions extends BashToolOptions, FileToolOptions, PreviewToolOptions, DelegateToolOptions {
  /** The list of the `todo` tool. */
  todos: Pick<TodoList, "set">;
}

type ToolFactory = (cwd: string, options: BuiltInToolOptions) => AgentTool;

/** A tool that looks through files. */
function searching(create: ToolFactory): ToolFactory {
  return (cwd, options) => create(cwd, options.files?.searched ? { ...options, files: options.files.searched } : options);
}

/** In the order for the model. The definitions of tools that are not default tools are loaded on demand. */
const definitions = {
  read: () => createReadTool,
  bash: () => createBashTool,
  edit: () => createEditTool,
  write: () => createWriteTool,
  grep: async () => searching((await import("./grep/definition.ts")).createGrepTool),
  find: async () => searching((await import("./find/definition.ts")).createFindTool),
  ls: async () => searching((await import("./ls/definition.ts")).createLsTool),
  todo: async () => {
    const { createTodoTool } = await import("./todo/definition.ts");
    return (_cwd: string, { todos }: BuiltInToolOptions) => createTodoTool(todos);
  },
  preview: async () => (await import("./preview/definition.ts")).createPreviewTool,
  delegate: async () => {
    const { createDelegateTool } = await import("./delegate/definition.ts");
    return (_cwd: string, options: BuiltInToolOptions) => createDelegateTool(options);
  },
} satisfies Record<string, () => ToolFactory | Promise<ToolFactory>>;

export type BuiltInToolName = keyof typeof definitions;

export const builtInToolNames = Object.keys(definitions) as BuiltInToolName[];

/** The tools of a session by default. */
const defaultToolNames: readonly BuiltInToolName[] = ["read", "bash", "edit", "write"];

/** Loads the implementations of the default tools, which are otherwise loaded with the first call of each. */
export async function loadRuns(): Promise<void> {
  await Promise.all([import("./read/run.ts"), import("./bash/run.ts"), import("./edit/run.ts"), import("./write/run.ts")]);
}

export function isBuiltInToolName(name: string): name is BuiltInToolName {
  return Object.hasOwn(definitions, name);
}

const builtIn = new WeakSet<AgentTool>();

/** Whether a tool is a built-in one, and not another tool with the same name. */
export function isBuiltInTool(tool: AgentTool): boolean {
  return builtIn.has(tool);
}

/** Creates the built-in tools for a working folder; `cwd` is an absolute path. */
export type CreateBuiltInTools = (cwd: string, options: BuiltInToolOptions) => AgentTool[];

/**
 * Loads built-in tools.
 *
 * @param names - The tools to load, in this order. Default: `defaultToolNames`.
 */
export async function loadTools(names: readonly BuiltInToolName[] = defaultToolNames): Promise<CreateBuiltInTools> {
  const factories: ToolFactory[] = await Promise.all(
    names.map((name) => definitions[name]() as ToolFactory | Promise<ToolFactory>),
  );
  return (cwd, options) =>
    factories.map((create) => {
      const tool = create(cwd, options);
      builtIn.add(tool);
      return tool;
    });
}
