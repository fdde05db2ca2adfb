import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Agent, type AgentHooks, type AgentTool } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import { AgentSession, clampThinkingLevel } from "./agent-session.ts";
import { agentFolder, sessionFileName, sessionFolder } from "./config/paths.ts";
import { readSettings, type Settings } from "./config/settings.ts";
import { Conversation, type NewConversation } from "./conversation/conversation.ts";
import { isSessionId } from "./conversation/ids.ts";
import { toModelMessages } from "./conversation/messages.ts";
import { SessionFile } from "./conversation/session-file.ts";
import { findLatestSession, findSessionsById } from "./conversation/session-finder.ts";
import { memoryStore } from "./conversation/session-store.ts";
import { SessionError, UsageError } from "./errors.ts";
import { type ProcessRunner, runProcess } from "./exec/run-process.ts";
import { Credentials } from "./models/credentials.ts";
import { ModelRegistry } from "./models/model-registry.ts";
import { resolveModel } from "./models/model-resolver.ts";
import { readContextFiles } from "./prompt/context-files.ts";
import { buildSystemPrompt } from "./prompt/system-prompt.ts";
import { defaultRetrySettings, type RetrySettings } from "./run/auto-retry.ts";
import type { RunLimits } from "./run/limits.ts";
import type { CommandObserver } from "./tools/bash.ts";
import { type BuiltInToolName, createTools } from "./tools/index.ts";
import { absentUser, type UserInterface } from "./user-interface.ts";

/**
 * Which conversation a session holds.
 *
 * - `new` (default): an empty one, stored from its first message on
 * - `memory`: an empty one that is stored nowhere
 * - `continue`: the one of this folder that was written to last; an empty one when there is none
 * - `path`: that file, which must exist; `idPrefix`: the one of this folder whose id begins so, which must exist
 * - `id`: the one of this folder with that id; an empty one of that id when there is none
 */
export type SessionChoice = "new" | "memory" | "continue" | { path: string } | { idPrefix: string } | { id: string };

export interface CreateAgentSessionOptions {
  /** The folder to work in. Default: the process's. A session that is opened brings its own. */
  cwd?: string;
  /** Where configuration and sessions live. Default: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
  agentDir?: string;
  /** Where sessions of this folder are stored. Default: a folder of `agentDir` named after `cwd`. */
  sessionDir?: string;
  session?: SessionChoice;
  /** A model, or its name: `id`, `provider/id`, either with `:level`. Default: the session's, then the settings', then what has a key. */
  model?: Model | string;
  provider?: string;
  /** Wins over stored keys and the environment. */
  apiKey?: string;
  /** Default: the session's, then the settings', then `medium`; the nearest that the model supports. */
  thinkingLevel?: ThinkingLevel;
  /** Built-in tools by name. Default: read, bash, edit, write. */
  tools?: readonly BuiltInToolName[];
  /** Further tools. One with the name of a built-in tool takes its place. */
  customTools?: readonly AgentTool[];
  /** Takes the place of the built-in instructions. */
  systemPrompt?: string;
  /** Added at the end of the system prompt. */
  appendSystemPrompt?: string;
  /** Whether AGENTS.md files are read. Default true. */
  contextFiles?: boolean;
  /** A file that everything the models answer is appended to, for `--model replay/<file>`. Relative to `cwd`. */
  record?: string;
  /** What runs shell commands. Default: this machine. */
  runProcess?: ProcessRunner;
  /** Retries of answers that failed for a passing reason. Default: the settings', else 3 after 2, 4 and 8 seconds. */
  retry?: Partial<RetrySettings>;
  /** What one run may use up. What is absent: as the settings say, else no limit. */
  limits?: RunLimits;
  /** Who is asked where a decision is needed. Default: nobody; questions get their defaults. */
  user?: UserInterface;
  /** Sees the output of running `bash` calls as it comes, as plain text. */
  onCommandOutput?: CommandObserver;
}

/**
 * Makes a session ready for its first prompt. Nothing is written before that, and no provider is asked.
 *
 * @throws {UsageError} When the named model does not exist, or a configuration file is faulty.
 * @throws {SessionError} When the chosen session cannot be opened.
 * @throws {AiError} When nothing can be recorded in the file of `record`, or the model cannot be recorded.
 */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<AgentSession> {
  const startFolder = resolve(options.cwd ?? process.cwd());
  const agentDir = options.agentDir ?? agentFolder();
  const settings = await readSettings(join(agentDir, "settings.json"));
  const place = new SessionPlace(options.sessionDir ?? sessionFolder(startFolder, agentDir), options.session);
  const conversation = openConversation(place, options.session ?? "new", startFolder);
  try {
    return await assemble(conversation, place, settings, { ...options, cwd: startFolder, agentDir });
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

/** Puts the parts of a session together. */
async function assemble(
  conversation: Conversation,
  place: SessionPlace,
  settings: Settings,
  options: CreateAgentSessionOptions & { cwd: string; agentDir: string },
): Promise<AgentSession> {
  const { cwd: startFolder, agentDir } = options;
  const { cwd } = conversation.header;
  const models = new ModelRegistry({
    agentDir,
    credentials: new Credentials(agentDir, { apiKey: options.apiKey }),
    cwd,
    ...(options.record !== undefined && { recordTo: resolve(startFolder, options.record) }),
  });
  const stored = conversation.readContext();
  const storedModel = stored.model && `${stored.model.provider}/${stored.model.modelId}`;
  const choice =
    typeof options.model === "object"
      ? { model: options.model }
      : await resolveModel(models, { model: options.model, provider: options.provider }, settings, storedModel);
  const model = choice.model && (await models.prepare(choice.model));
  const wantedLevel =
    options.thinkingLevel ?? choice.thinkingLevel ?? stored.thinkingLevel ?? settings.defaultThinkingLevel ?? "medium";

  const run = options.runProcess ?? runProcess;
  const custom = options.customTools ?? [];
  const { onCommandOutput } = options;
  const builtIn = createTools(cwd, options.tools, { runProcess: run, ...(onCommandOutput ? { onCommandOutput } : {}) }).filter(
    ({ name }) => !custom.some((tool) => tool.name === name),
  );
  const tools = [...builtIn, ...custom];
  const { steeringMode, followUpMode, interruptMode } = settings;
  const createAgent = (hooks: AgentHooks) =>
    new Agent({
      ...(model ? { model } : {}),
      ...(steeringMode ? { steeringMode } : {}),
      ...(followUpMode ? { followUpMode } : {}),
      ...(interruptMode ? { interruptMode } : {}),
      thinkingLevel: clampThinkingLevel(wantedLevel, model),
      tools,
      toModelMessages,
      requestOptions: async (target) => {
        const apiKey = await models.keyFor(target);
        return { sessionId: session.sessionId, ...(apiKey === undefined ? {} : { apiKey }) };
      },
      ...hooks,
    });
  const session = new AgentSession({
    createAgent,
    retry: { ...defaultRetrySettings, ...settings.retry, ...options.retry },
    limits: { ...toRunLimits(settings.limits), ...options.limits },
    user: options.user ?? absentUser,
    conversation,
    models,
    runProcess: run,
    thinkingLevel: wantedLevel,
    createConversation: (fresh) => place.create(fresh),
    buildSystemPrompt: () =>
      buildSystemPrompt({
        cwd,
        tools,
        contextFiles: options.contextFiles === false ? [] : readContextFiles(cwd, agentDir),
        instructions: options.systemPrompt,
        append: options.appendSystemPrompt,
      }),
  });
  return session;
}

function toRunLimits({ maxTimeSeconds, ...limits }: NonNullable<Settings["limits"]> = {}): RunLimits {
  return { ...limits, ...(maxTimeSeconds === undefined ? {} : { maxTimeMs: maxTimeSeconds * 1000 }) };
}

/** Where new sessions go: to files of one folder, or nowhere. */
class SessionPlace {
  readonly folder: string;
  readonly #inMemory: boolean;

  constructor(folder: string, choice: SessionChoice | undefined) {
    this.folder = folder;
    this.#inMemory = choice === "memory";
  }

  create(options: NewConversation): Conversation {
    if (this.#inMemory) return Conversation.create(options, () => memoryStore);
    return Conversation.create(options, (header) => new SessionFile(join(this.folder, sessionFileName(header))));
  }
}

function openConversation(place: SessionPlace, choice: SessionChoice, cwd: string): Conversation {
  if (choice === "new" || choice === "memory") return place.create({ cwd });
  if (choice === "continue") {
    const latest = findLatestSession(place.folder, cwd);
    return latest ? resume(latest) : place.create({ cwd });
  }
  if ("path" in choice) {
    const path = resolve(choice.path);
    return isEmptyFile(path) ? begin(path, cwd) : resume(path);
  }
  if ("id" in choice) {
    if (!isSessionId(choice.id)) {
      throw new UsageError(
        `"${choice.id}" cannot be a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit at both ends.`,
      );
    }
    const existing = findSessionsById(place.folder, choice.id).find((path) => path.endsWith(`_${choice.id}.jsonl`));
    return existing ? resume(existing) : place.create({ cwd, id: choice.id });
  }
  const [found, ...others] = findSessionsById(place.folder, choice.idPrefix);
  if (!found || others.length > 0) {
    const what = found ? `${others.length + 1} sessions` : "No session";
    throw new SessionError(
      "not_found",
      `${what} in ${place.folder} begin with "${choice.idPrefix}". Give more of the id, or a path.`,
    );
  }
  return resume(found);
}

function isEmptyFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0;
}

/** Begins a session in an empty file that somebody has made for it. */
function begin(path: string, cwd: string): Conversation {
  const file = new SessionFile(path);
  file.reserve();
  return Conversation.create({ cwd }, () => file);
}

function resume(path: string): Conversation {
  const file = new SessionFile(path);
  const loaded = file.open();
  if (!existsSync(loaded.header.cwd)) {
    file.close();
    throw new SessionError(
      "not_found",
      `The working folder of ${path} is gone: ${loaded.header.cwd}. Restore it, or start a new session.`,
    );
  }
  return Conversation.resume(loaded, file);
}
