import { resolve } from "node:path";
import type { AgentTool, AgentToolResult } from "@pikit/agent";
import { createBashTool } from "../../../tools/bash/definition.ts";
import { createEditTool } from "../../../tools/edit/definition.ts";
import { inFileQueue } from "../../../tools/files/file-queue.ts";
import { createFindTool } from "../../../tools/find/definition.ts";
import { createGrepTool } from "../../../tools/grep/definition.ts";
import { createLsTool } from "../../../tools/ls/definition.ts";
import { createReadTool } from "../../../tools/read/definition.ts";
import { createWriteTool } from "../../../tools/write/definition.ts";
import { type FileOperations, toFileAccess } from "./file-operations.ts";
import { createLocalBashOperations, type ShellOptions, toProcessRunner } from "./shell-operations.ts";

type FileOptions = { operations?: FileOperations };
type FindOperations = FileOperations & {
  glob?(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): string[] | Promise<string[]>;
};

interface ToolsOptions {
  read?: FileOptions;
  bash?: ShellOptions;
  edit?: FileOptions;
  write?: FileOptions;
  grep?: FileOptions;
  find?: { operations?: FindOperations };
  ls?: FileOptions;
}

/** Extensions may call a tool without a signal and a listener. */
type FamilyTool = Omit<AgentTool, "execute"> & {
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partialResult: AgentToolResult<unknown>) => void,
  ): Promise<AgentToolResult<unknown>>;
};

const filesOf = (cwd: string, { operations }: FileOptions = {}) => (operations ? { files: toFileAccess(cwd, operations) } : {});

function toFamilyTool(tool: unknown): FamilyTool {
  const known = tool as AgentTool;
  return {
    ...known,
    async execute(toolCallId, params, signal, onUpdate) {
      const never = new AbortController().signal;
      const result = await known.execute(toolCallId, params as never, signal ?? never, onUpdate ?? (() => undefined));
      return { ...result, details: withFamilyDetails(result.details) };
    },
  };
}

/** Adds the details that extensions of related programs read. */
function withFamilyDetails(details: unknown): unknown {
  if (typeof details !== "object" || details === null) return details;
  const { truncated, diff } = details as { truncated?: unknown; diff?: unknown };
  return {
    ...details,
    ...(truncated === true ? { truncation: details } : {}),
    ...(typeof diff === "string" ? { patch: diff } : {}),
  };
}

/** The tool `find`, with the paths that an extension finds. */
function createFind(cwd: string, { operations }: { operations?: FindOperations } = {}): FamilyTool {
  const tool = toFamilyTool(createFindTool(cwd));
  const glob = operations?.glob;
  if (!glob) return tool;
  return {
    ...tool,
    async execute(_toolCallId, params) {
      const { pattern, path = ".", limit = 1000 } = params as { pattern: string; path?: string; limit?: number };
      const folder = resolve(cwd, path);
      const { renderPaths } = await import("../../../tools/search/render-paths.ts");
      const found = await glob(pattern, folder, { ignore: ["**/node_modules/**", "**/.git/**"], limit });
      const entries = found.slice(0, limit).map((each) => (each.startsWith(`${folder}/`) ? each.slice(folder.length + 1) : each));
      const total = found.length >= limit ? null : found.length;
      const emptyText = `No files found matching ${pattern}.`;
      const { text, details } = renderPaths({ path: folder, entries, total, limit, unreadable: 0, emptyText });
      return { content: [{ type: "text", text }], details };
    },
  };
}

const factories = {
  read: (cwd: string, options?: FileOptions) => toFamilyTool(createReadTool(cwd, filesOf(cwd, options))),
  bash(cwd: string, options: ShellOptions = {}) {
    const runProcess = toProcessRunner(options);
    return toFamilyTool(createBashTool(cwd, runProcess ? { runProcess } : {}));
  },
  edit: (cwd: string, options?: FileOptions) => toFamilyTool(createEditTool(cwd, filesOf(cwd, options))),
  write: (cwd: string, options?: FileOptions) => toFamilyTool(createWriteTool(cwd, filesOf(cwd, options))),
  grep: (cwd: string, options?: FileOptions) => toFamilyTool(createGrepTool(cwd, filesOf(cwd, options))),
  find: createFind,
  ls: (cwd: string, options?: FileOptions) => toFamilyTool(createLsTool(cwd, filesOf(cwd, options))),
};

type ToolName = keyof typeof factories;

const create =
  (names: readonly ToolName[]) =>
  (cwd: string, options: ToolsOptions = {}) =>
    names.map((name) => (factories[name] as (cwd: string, options?: object) => FamilyTool)(cwd, options[name]));

/** `createReadTool` and `createReadToolDefinition` for each tool. */
const byName = Object.entries(factories).flatMap(([name, factory]) => {
  const base = `create${name.charAt(0).toUpperCase()}${name.slice(1)}Tool`;
  return [
    [base, factory],
    [`${base}Definition`, factory],
  ] as const;
});

const isResultOf = (name: string) => (event: { toolName?: unknown }) => event.toolName === name;

/** The functions about tools. */
export const toolFunctions: Record<string, unknown> = {
  ...Object.fromEntries(byName),
  createCodingTools: create(["read", "bash", "edit", "write"]),
  createReadOnlyTools: create(["read", "grep", "find", "ls"]),
  createLocalBashOperations,
  withFileMutationQueue: <T>(path: string, task: () => Promise<T>): Promise<T> => inFileQueue(async () => resolve(path), task),
  defineTool: <T>(tool: T): T => tool,
  isToolCallEventType: (name: string, event: { toolName?: unknown }) => event.toolName === name,
  isBashToolResult: isResultOf("bash"),
  isPowerShellToolResult: isResultOf("powershell"),
  isReadToolResult: isResultOf("read"),
  isEditToolResult: isResultOf("edit"),
  isWriteToolResult: isResultOf("write"),
  isGrepToolResult: isResultOf("grep"),
  isFindToolResult: isResultOf("find"),
  isLsToolResult: isResultOf("ls"),
};
