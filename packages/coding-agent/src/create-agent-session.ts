import { resolve } from "node:path";
import { Agent, type AgentHooks, type AgentTool } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import { AgentSession } from "./agent-session.ts";
import { type Approvals, createApprovals } from "./approvals/approvals.ts";
import type { ApprovalPolicy } from "./approvals/policy.ts";
import type { RiskTier } from "./approvals/risk.ts";
import { agentFolder, sessionFolder } from "./config/paths.ts";
import type { Settings } from "./config/settings.ts";
import { chooseSession, type SessionChoice } from "./conversation/choose-session.ts";
import type { Conversation } from "./conversation/conversation.ts";
import { MemorySessionStore } from "./conversation/memory-store.ts";
import type { SessionStore } from "./conversation/session-store.ts";
import { createCommandEnvironment } from "./exec/command-environment.ts";
import { createLocalProcesses, type ProcessRunner } from "./exec/run-process.ts";
import type { ExtensionFactory } from "./extensions/api.ts";
import type { HookSlot, SessionHooks } from "./extensions/hooks.ts";
import { LazyExtensions } from "./extensions/lazy-extensions.ts";
import { SlashCommands } from "./extensions/slash-commands.ts";
import type { McpServersOptions } from "./mcp/mcp-servers.ts";
import { Credentials } from "./models/credentials.ts";
import { clampThinkingLevel } from "./models/model-choice.ts";
import { ModelRegistry } from "./models/model-registry.ts";
import { resolveModel, resolveScope } from "./models/model-resolver.ts";
import { PromptResources } from "./prompt/prompt-resources.ts";
import { buildSystemPrompt } from "./prompt/system-prompt.ts";
import { defaultRetrySettings, type RetrySettings } from "./run/auto-retry.ts";
import { type CompactionSettings, defaultCompactionSettings } from "./run/compaction/policy.ts";
import type { TaskRunnerOptions } from "./run/delegation.ts";
import type { RunLimits } from "./run/limits.ts";
import type { StreamRule } from "./run/stream-rules/rule.ts";
import { createSessionAccess } from "./session-access.ts";
import { connectParts } from "./session-parts.ts";
import { SessionResources } from "./session-resources.ts";
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
  /** Rules that answers are watched for while they stream, before those of files. Default: none. */
  streamRules?: readonly StreamRule[];
  /** Whether rules are read from `rules` of `agentDir` and of a trusted project's `.pi`. Default true. */
  ruleFiles?: boolean;
  /** Extensions: functions, or paths (relative to `cwd`) of files, folders or packages. */
  extensions?: readonly (string | ExtensionFactory)[];
  /** Whether extensions of settings, of `agentDir` and of a trusted project's `.pi` are loaded too. Default true. */
  discoverExtensions?: boolean;
  /** Milliseconds that a handler of an extension may take, waiting for the user aside. Default: 30 seconds. */
  extensionTimeoutMs?: number;
  /** Whether what the folder brings in `.pi` takes effect in this session. Default: as remembered, else `user` is asked. */
  trustProject?: boolean;
  /** Paths of skills (relative to `cwd`) beside the usual ones; false: no skills at all. */
  skills?: readonly string[] | false;
  /** The same of prompt templates. */
  promptTemplates?: readonly string[] | false;
  /** Whether the MCP servers of the settings are used. Default true. */
  mcp?: boolean;
  /** Whether only models and MCP servers on this machine may be asked. Default false. What tools and extensions do is their own. */
  offline?: boolean;
  /** Told of each piece of configuration that is not used, in one line. Default: `user.notify`. */
  onProblem?: (problem: string) => void;
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
  /** The hooks of the session that delegates. */
  hooks: HookSlot;
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
  const folder = options.sessionDir ?? sessionFolder(startFolder, agentDir);
  const choice = options.session ?? "new";
  const store = options.store ?? (await createStore(choice, resolve(folder)));
  const conversation = await chooseSession(store, choice, startFolder);
  try {
    return await assemble(conversation, store, { ...options, cwd: startFolder, agentDir }, inherited);
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
  options: ResolvedOptions,
  inherited: Inherited | undefined,
): Promise<AgentSession> {
  const { cwd: startFolder, agentDir, user = absentUser } = options;
  const { cwd } = conversation.header;
  const report = options.onProblem ?? ((problem: string) => user.notify(problem, "warning"));
  const resources = new SessionResources({ ...options, startFolder, cwd, user });
  const settings = await resources.readSettings();
  const commands = new SlashCommands();
  const extensions = inherited
    ? undefined
    : new LazyExtensions({
        agentDir,
        commands,
        factories: resources.factories,
        places: () => resources.extensionPlaces(),
        limitMs: options.extensionTimeoutMs,
      });
  if (extensions && resources.hasExtensions(settings)) await extensions.load();
  const models = new ModelRegistry({
    agentDir,
    credentials: new Credentials(agentDir, { apiKey: options.apiKey }),
    cwd,
    offline: options.offline ?? false,
    ...(options.record !== undefined && { recordTo: resolve(startFolder, options.record) }),
  });
  for (const provider of extensions?.providers ?? []) models.addProvider(provider);
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
  let toolTiers = options.toolTiers ?? {};
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
      get toolTiers() {
        return toolTiers;
      },
      ...(options.files ? { files: options.files } : {}),
    });
  const depth = inherited?.depth ?? 0;
  const hooks: HookSlot = inherited?.hooks ?? extensions ?? { current: undefined };
  let promptsReadFor = conversation.header.id;
  const prompts = new PromptResources({
    agentDir,
    isTrusted: (folder) => resources.isTrusted(folder),
    contextFiles: options.contextFiles,
    skills: namedPaths(options.skills, settings.skills, startFolder),
    templates: namedPaths(options.promptTemplates, settings.prompts, startFolder),
    report,
  });
  const createBuiltIn = await loadTools(options.tools);
  const requestOptions = async (target: Model) => {
    models.requireReachable(target);
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
    stopProcesses: async () => {
      await Promise.all([processes.stop(), mcp?.stop()]);
    },
    createTools(folder, parts) {
      const custom = options.customTools ?? [];
      const taskOptions: TaskRunnerOptions = {
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
            {
              approvals,
              hooks: {
                get current() {
                  return toolHooksOf(hooks.current);
                },
              },
              depth: childDepth,
            },
          ),
        remainingLimits: parts.remainingLimits,
        countUsage: parts.countUsage,
      };
      const toolOptions: BuiltInToolOptions = {
        todos: parts.todos,
        runTask: async (task) => (await import("./run/delegation.ts")).createTaskRunner(taskOptions)(task),
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
    async buildSystemPrompt(folder, tools) {
      // Another session begins with the files as they are now.
      if (promptsReadFor !== session.sessionId) prompts.forget();
      promptsReadFor = session.sessionId;
      const { contextFiles, skills } = await prompts.load(folder);
      return buildSystemPrompt({
        ...{ cwd: folder, tools, contextFiles, skills },
        serverInstructions: mcp?.instructions ?? [],
        instructions: options.systemPrompt,
        append: options.appendSystemPrompt,
      });
    },
    expandPrompt: (text, folder) => prompts.expand(text, folder),
    listPrompts: (folder) => prompts.commands(folder),
    async prepareRun(signal) {
      mcp?.configure(settings.mcpServers ?? {}, session.cwd);
      await mcp?.start(signal);
    },
    hooks,
    commands,
    requestOptions,
    beforeToolCall: (call, signal) => approvals.check(call, signal),
    retry: { ...defaultRetrySettings, ...settings.retry, ...options.retry },
    compaction: { ...defaultCompactionSettings, ...settings.compaction, ...options.compaction },
    limits: { ...toRunLimits(settings.limits), ...options.limits },
    createRules: await prepareRules([...(options.streamRules ?? []), ...(await resources.readRules())]),
    user,
  });
  const session = new AgentSession(connected);
  const mcp =
    inherited || options.mcp === false
      ? undefined
      : await createMcpServers(settings, session, { report, offline: options.offline });
  for (const problem of [...resources.problems, ...(extensions?.problems ?? [])]) report(problem);
  if (extensions) {
    const access = createSessionAccess(session, {
      ...{ connected, models, runProcess, user },
      setTiers: (tiers) => {
        toolTiers = { ...tiers, ...options.toolTiers };
      },
    });
    const run = async () => {
      prompts.forget();
      connected.systemPrompt.forget();
      await extensions.reload(access);
    };
    commands.register({ name: "reload", source: "extension", isHidden: true, run });
    await extensions.bind(access);
  }
  if (options.name !== undefined && options.name !== conversation.name) await session.history.setName(options.name);
  return session;
}

async function createStore(choice: SessionChoice, folder: string): Promise<SessionStore> {
  if (choice === "memory") return new MemorySessionStore({ keepClosed: false });
  return new (await import("./conversation/file-store.ts")).FileSessionStore(folder);
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

/** Hooks for a sub-task: what is decided about the calls of the session that delegates is decided about its calls too. */
function toolHooksOf(hooks: SessionHooks | undefined): SessionHooks | undefined {
  return (
    hooks && {
      toolCall: async (call, signal) => hooks.toolCall?.(call, signal),
      toolResult: async (call, outcome, signal) => hooks.toolResult?.(call, outcome, signal),
    }
  );
}

function namedPaths(extra: readonly string[] | false | undefined, settings: readonly string[] | undefined, folder: string) {
  return extra === false ? false : { extra: extra?.map((path) => resolve(folder, path)), settings };
}

async function createMcpServers(
  { mcpServers = {} }: Settings,
  session: AgentSession,
  options: Pick<McpServersOptions, "report" | "offline">,
) {
  if (Object.keys(mcpServers).length === 0) return undefined;
  const { McpServers } = await import("./mcp/mcp-servers.ts");
  return new McpServers({
    servers: mcpServers,
    cwd: session.cwd,
    replaceTools: (tools) => session.tools.replace("mcp", tools),
    ...options,
  });
}

async function prepareRules(rules: readonly StreamRule[]) {
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
