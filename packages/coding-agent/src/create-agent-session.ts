import { join, resolve } from "node:path";
import { Agent, type AgentHooks, type AgentTool } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import { AgentSession } from "./agent-session.ts";
import { type Approvals, createApprovals } from "./approvals/approvals.ts";
import type { ApprovalPolicy } from "./approvals/policy.ts";
import type { RiskTier } from "./approvals/risk.ts";
import { agentFolder, sessionFolder } from "./config/paths.ts";
import { readSettings, type Settings } from "./config/settings.ts";
import { chooseSession, type SessionChoice } from "./conversation/choose-session.ts";
import type { Conversation } from "./conversation/conversation.ts";
import { FileSessionStore } from "./conversation/file-store.ts";
import { MemorySessionStore } from "./conversation/memory-store.ts";
import { toModelMessages } from "./conversation/messages.ts";
import type { SessionStore } from "./conversation/session-store.ts";
import { createCommandEnvironment } from "./exec/command-environment.ts";
import { createLocalProcesses, type ProcessRunner } from "./exec/run-process.ts";
import { Credentials } from "./models/credentials.ts";
import { clampThinkingLevel } from "./models/model-choice.ts";
import { ModelRegistry } from "./models/model-registry.ts";
import { resolveModel, resolveScope } from "./models/model-resolver.ts";
import { readContextFiles } from "./prompt/context-files.ts";
import { buildSystemPrompt } from "./prompt/system-prompt.ts";
import { defaultRetrySettings, type RetrySettings } from "./run/auto-retry.ts";
import { type CompactionSettings, defaultCompactionSettings } from "./run/compaction/policy.ts";
import { createTaskRunner } from "./run/delegation.ts";
import type { RunLimits } from "./run/limits.ts";
import type { StreamRule } from "./run/stream-rules/rule.ts";
import { connectParts } from "./session-parts.ts";
import type { CommandObserver } from "./tools/bash.ts";
import type { DelegationObserver } from "./tools/delegate.ts";
import type { FileAccess } from "./tools/file-access.ts";
import { type BuiltInToolName, type BuiltInToolOptions, isBuiltInTool, isBuiltInToolName, loadTools } from "./tools/index.ts";
import type { PreviewEvent } from "./tools/preview.ts";
import { absentUser, type UserInterface } from "./user-interface.ts";

export interface CreateAgentSessionOptions {
  /** The folder to work in. Default: the process's. A session that is opened brings its own. */
  cwd?: string;
  /** Where configuration and sessions live. Default: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
  agentDir?: string;
  /** Where sessions of this folder are stored. Default: a folder of `agentDir` named after `cwd`. */
  sessionDir?: string;
  session?: SessionChoice;
  /** The session's name. Default: the one that it has. */
  name?: string;
  /** Where sessions are kept. Default: files in `sessionDir`; nowhere for the choice `memory`. */
  store?: SessionStore;
  /** A model, or its name: `id`, `provider/id`, either with `:level`. Default: the session's, then the settings', then what has a key. */
  model?: Model | string;
  provider?: string;
  /** The models that `models.cycle` walks: names, or patterns with `*`. Default: all that can be used. */
  modelScope?: readonly string[];
  /** Wins over stored keys and the environment. */
  apiKey?: string;
  /** Default: the session's, then the settings', then `medium`; the nearest that the model supports. */
  thinkingLevel?: ThinkingLevel;
  /** Built-in tools by name. Default: read, bash, edit, write. */
  tools?: readonly BuiltInToolName[];
  /** Further tools. One with the name of a built-in tool takes its place. */
  customTools?: readonly AgentTool[];
  /** How far calls of further tools reach, by the tool's name. Default: `execute`. */
  toolTiers?: Readonly<Record<string, RiskTier>>;
  /** Which calls need a yes of `user`. Default: the settings', else `never-ask`. */
  approval?: ApprovalPolicy;
  /** Refuses every call that does more than look. Default false. */
  readOnly?: boolean;
  /** Takes the place of the built-in instructions. */
  systemPrompt?: string;
  /** Added at the end of the system prompt. */
  appendSystemPrompt?: string;
  /** Whether AGENTS.md files are read. Default true. */
  contextFiles?: boolean;
  /** Rules that answers are watched for while they stream. Default: none. */
  streamRules?: readonly StreamRule[];
  /** A file that everything the models answer is appended to, for `--model replay/<file>`. Relative to `cwd`. */
  record?: string;
  /** The files that tools work on. Default: those of this machine. */
  files?: FileAccess;
  /** What runs shell commands. Default: this machine. */
  runProcess?: ProcessRunner;
  /** Retries of answers that failed for a passing reason. Default: the settings', else 3 after 2, 4 and 8 seconds. */
  retry?: Partial<RetrySettings>;
  /** When and how the conversation is summarised. What is absent: as the settings say, else the defaults. */
  compaction?: Partial<CompactionSettings>;
  /** What one run may use up. What is absent: as the settings say, else no limit. */
  limits?: RunLimits;
  /** Who is asked where a decision is needed. Default: nobody; questions get their defaults. */
  user?: UserInterface;
  /** Sees the output of running `bash` calls as it comes, as plain text. */
  onCommandOutput?: CommandObserver;
  /** Whether `onCommandOutput` is told truly what is stdout and what stderr; their order is then inexact. Default false. */
  separateStreams?: boolean;
  /** Told of every preview that the `preview` tool serves. */
  onPreview?: (event: PreviewEvent) => void;
  /** Told of every sub-task that the `delegate` tool begins. */
  onDelegation?: DelegationObserver;
}

/** What the session of a sub-task has from the one that delegates. */
interface Inherited {
  approvals: Approvals;
  /** 1 for a sub-task, 2 for a sub-task of one. */
  depth: number;
}

/**
 * Makes a session ready for its first prompt. Nothing is written before that, and no provider is asked.
 *
 * @throws {UsageError} When the named model does not exist, or a configuration file is faulty.
 * @throws {SessionError} When the chosen session cannot be opened, or a stream rule cannot be used.
 * @throws {AiError} When nothing can be recorded in the file of `record`, or the model cannot be recorded.
 */
export function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<AgentSession> {
  return openSession(options, undefined);
}

async function openSession(options: CreateAgentSessionOptions, inherited: Inherited | undefined): Promise<AgentSession> {
  const startFolder = resolve(options.cwd ?? process.cwd());
  const agentDir = options.agentDir ?? agentFolder();
  const settings = await readSettings(join(agentDir, "settings.json"));
  const folder = options.sessionDir ?? sessionFolder(startFolder, agentDir);
  const choice = options.session ?? "new";
  const store =
    options.store ?? (choice === "memory" ? new MemorySessionStore({ keepClosed: false }) : new FileSessionStore(resolve(folder)));
  const conversation = await chooseSession(store, choice, startFolder);
  try {
    return await assemble(conversation, store, settings, { ...options, cwd: startFolder, agentDir }, inherited);
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

type ResolvedOptions = CreateAgentSessionOptions & { cwd: string; agentDir: string };

/** Puts the parts of a session together. */
async function assemble(
  conversation: Conversation,
  store: SessionStore,
  settings: Settings,
  options: ResolvedOptions,
  inherited: Inherited | undefined,
): Promise<AgentSession> {
  const { cwd: startFolder, agentDir, user = absentUser } = options;
  const { cwd } = conversation.header;
  const models = new ModelRegistry({
    agentDir,
    credentials: new Credentials(agentDir, { apiKey: options.apiKey }),
    cwd,
    ...(options.record !== undefined && { recordTo: resolve(startFolder, options.record) }),
  });
  const context = await conversation.readContext();
  const storedModel = context.model && `${context.model.provider}/${context.model.modelId}`;
  const choice =
    typeof options.model === "object"
      ? { model: options.model }
      : await resolveModel(models, { model: options.model, provider: options.provider }, settings, storedModel);
  const model = choice.model && (await models.prepare(choice.model));
  const wantedLevel =
    options.thinkingLevel ?? choice.thinkingLevel ?? context.thinkingLevel ?? settings.defaultThinkingLevel ?? "medium";

  const { path: shellPath, passKeys } = settings.shell ?? {};
  const env = passKeys === false ? createCommandEnvironment({ passKeys }) : undefined;
  const processes = createLocalProcesses({ env, shellPath });
  const runProcess = options.runProcess ?? processes.run;
  const approvals =
    inherited?.approvals ??
    createApprovals({
      policy: options.approval ?? settings.approval ?? "never-ask",
      readOnly: options.readOnly ?? false,
      get cwd() {
        return session.cwd;
      },
      user,
      isBuiltIn: isBuiltInTool,
      ...(options.toolTiers ? { toolTiers: options.toolTiers } : {}),
      ...(options.files ? { files: options.files } : {}),
    });
  const depth = inherited?.depth ?? 0;
  const createBuiltIn = await loadTools(options.tools);
  const requestOptions = async (target: Model) => {
    const apiKey = await models.keyFor(target);
    return { sessionId: session.sessionId, ...(apiKey === undefined ? {} : { apiKey }) };
  };
  const { steeringMode, followUpMode, interruptMode } = settings;
  const connected = await connectParts({
    createAgent: (hooks: AgentHooks) =>
      new Agent({
        ...(model ? { model } : {}),
        ...(steeringMode ? { steeringMode } : {}),
        ...(followUpMode ? { followUpMode } : {}),
        ...(interruptMode ? { interruptMode } : {}),
        thinkingLevel: clampThinkingLevel(wantedLevel, model),
        toModelMessages,
        requestOptions,
        ...hooks,
      }),
    conversation,
    context,
    store,
    models,
    thinkingLevel: wantedLevel,
    modelScope: options.modelScope && (await resolveScope(models, options.modelScope)),
    runProcess,
    stopProcesses: () => processes.stop(),
    createTools(folder, parts) {
      const custom = options.customTools ?? [];
      const runTask = createTaskRunner({
        depth,
        toolNames: () => parts.tools().map(({ name }) => name),
        openSession: ({ tools, limits, depth: childDepth }) =>
          openSession(
            {
              ...options,
              ...chooseTools(parts.tools(), tools),
              ...pick("model", parts.model()),
              cwd: folder,
              session: "memory",
              limits,
            },
            { approvals, depth: childDepth },
          ),
        remainingLimits: parts.remainingLimits,
        countUsage: parts.countUsage,
      });
      const toolOptions: BuiltInToolOptions = {
        todos: parts.todos,
        runTask,
        runProcess,
        ...pick("defaultTimeoutSeconds", settings.shell?.timeoutSeconds),
        ...pick("separateStreams", options.separateStreams),
        ...pick("files", options.files),
        ...pick("onCommandOutput", options.onCommandOutput),
        ...pick("onPreview", options.onPreview),
        ...pick("onDelegation", options.onDelegation),
      };
      const builtIn = createBuiltIn(folder, toolOptions).filter(({ name }) => !custom.some((tool) => tool.name === name));
      return [...builtIn, ...custom];
    },
    buildSystemPrompt: (folder, tools) =>
      buildSystemPrompt({
        cwd: folder,
        tools,
        contextFiles: options.contextFiles === false ? [] : readContextFiles(folder, agentDir),
        instructions: options.systemPrompt,
        append: options.appendSystemPrompt,
      }),
    requestOptions,
    beforeToolCall: (call, signal) => approvals.check(call, signal),
    retry: { ...defaultRetrySettings, ...settings.retry, ...options.retry },
    compaction: { ...defaultCompactionSettings, ...settings.compaction, ...options.compaction },
    limits: { ...toRunLimits(settings.limits), ...options.limits },
    createRules: await prepareRules(options.streamRules),
    user,
  });
  const session = new AgentSession(connected);
  if (options.name !== undefined && options.name !== conversation.name) await session.history.setName(options.name);
  return session;
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

async function prepareRules(rules: readonly StreamRule[] = []) {
  if (rules.length === 0) return undefined;
  return (await import("./run/stream-rules.ts")).prepareStreamRules(rules);
}

function toRunLimits({ maxTimeSeconds, ...limits }: NonNullable<Settings["limits"]> = {}): RunLimits {
  return { ...limits, ...(maxTimeSeconds === undefined ? {} : { maxTimeMs: maxTimeSeconds * 1000 }) };
}

/** An option that is absent when it has no value. */
function pick<K extends string, V>(key: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [N in K]?: V };
}
