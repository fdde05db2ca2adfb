import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings } from "../../config/read-settings.ts";
import { toUnknownModel } from "../../models/endpoint.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../../session/options.ts";
import type { BuiltInToolName } from "../../tools/index.ts";
import type { ChatParams } from "./protocol.ts";
import { BadRequestError } from "./read-params.ts";

/** The default limits of a chat. */
const defaults = { maxIterations: 50, maxFailures: 5, maxRepeats: 3 } as const;

const tools: readonly BuiltInToolName[] = ["read", "bash", "edit", "write", "grep", "find", "ls", "preview", "delegate"];

/** Options for all chats. `onProblem` also receives the notifications of extensions, because the protocol has no event for them. */
export type BaseOptions = Omit<CreateAgentSessionOptions, "cwd" | "session" | "user"> &
  EntryPointOptions & { cwd: string; agentDir: string };

type ModelOptions = Pick<CreateAgentSessionOptions, "model" | "provider" | "apiKey">;

type PathOptions = Pick<CreateAgentSessionOptions, "skills" | "promptTemplates">;

/** Options of a session, with its working folder. */
export type ChatOptions = CreateAgentSessionOptions & EntryPointOptions & { cwd: string };

/**
 * The options for the session of a chat. The request takes precedence over the command line, and the command line over `settings.json`.
 *
 * @throws {BadRequestError} When the workspace is not a folder, or an endpoint is given without a model. {UsageError} When the settings
 *   are invalid.
 */
export async function toSessionOptions(
  base: BaseOptions,
  { config = {}, context, skill_dirs = [] }: ChatParams,
): Promise<ChatOptions> {
  const { model: _model, provider: _provider, apiKey: _apiKey, ...others } = base;
  const settings = await readSettings(join(base.agentDir, "settings.json"));
  const { max_iterations, max_tool_calls_per_task, max_consecutive_failures, enable_task_planning = true } = config;
  const maxToolCalls = max_tool_calls_per_task ?? base.limits?.maxToolCalls;
  return {
    ...others,
    ...chooseModel(base, config),
    cwd: findWorkspace(base.cwd, config.workspace),
    tools: base.tools ?? (enable_task_planning ? [...tools, "todo"] : tools),
    approval: base.approval ?? settings.approval ?? "on-risk",
    limits: {
      ...base.limits,
      ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
      maxTurns: max_iterations ?? base.limits?.maxTurns ?? settings.limits?.maxTurns ?? defaults.maxIterations,
      maxFailuresInARow: max_consecutive_failures ?? defaults.maxFailures,
      maxRepeats: defaults.maxRepeats,
    },
    ...pathOptions(base, skill_dirs),
    ...appendToPrompt(base.appendSystemPrompt, context?.append),
    separateStreams: true,
  };
}

/** Paths of the command line are relative to the working folder of the process, paths of the request to the workspace. */
function pathOptions({ cwd, skills, promptTemplates }: BaseOptions, skillFolders: readonly string[]): PathOptions {
  const own = (paths: readonly string[] = []) => paths.map((path) => resolve(cwd, path));
  return {
    skills: skills === false ? false : [...own(skills), ...skillFolders],
    promptTemplates: promptTemplates === false ? false : own(promptTemplates),
  };
}

function findWorkspace(cwd: string, workspace: string | undefined): string {
  const path = resolve(cwd, workspace ?? ".");
  if (isFolder(path)) return path;
  throw new BadRequestError(`Field "params.config.workspace" must name a folder, but there is no folder at ${path}.`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // it does not exist, is not accessible, or is not a valid path
  }
}

function appendToPrompt(...texts: (string | undefined)[]): Pick<CreateAgentSessionOptions, "appendSystemPrompt"> {
  const appendSystemPrompt = texts.filter((text) => text).join("\n\n");
  return appendSystemPrompt === "" ? {} : { appendSystemPrompt };
}

/** The API key of the command line is never sent to an endpoint of the request. */
function chooseModel(base: BaseOptions, config: NonNullable<ChatParams["config"]>): ModelOptions {
  const { model, api_base, api_key } = config;
  const apiKey = api_key ?? (api_base === undefined ? base.apiKey : undefined);
  const key = apiKey === undefined ? {} : { apiKey };
  if (api_base !== undefined) {
    if (model !== undefined)
      return { ...key, model: toUnknownModel({ api: "openai-completions", provider: "endpoint", baseUrl: api_base }, model) };
    throw new BadRequestError('Field "params.config.model" must be given with "api_base": the id of a model of that endpoint.');
  }
  // The provider of the command line belongs to the model of the command line.
  if (model !== undefined) return { ...key, model };
  return {
    ...key,
    ...(base.model === undefined ? {} : { model: base.model }),
    ...(base.provider === undefined ? {} : { provider: base.provider }),
  };
}
