import { resolve } from "node:path";
import { Agent } from "@pikit/agent";
import { type Model, parseThinkingLevel } from "@pikit/ai";
import { AgentSession } from "./agent-session.ts";
import type { CreateAgentSessionOptions } from "./agent-session-options.ts";
import { type Approvals, createApprovals } from "./approvals/approvals.ts";
import { agentFolder, sessionFolder } from "./config/paths.ts";
import type { Settings } from "./config/settings.ts";
import type { SessionChoice } from "./conversation/choose-session.ts";
import type { BranchContext } from "./conversation/context.ts";
import { Conversation } from "./conversation/conversation.ts";
import { MemorySessionStore } from "./conversation/memory-store.ts";
import type { SessionStore } from "./conversation/session-store.ts";
import { SessionError } from "./errors.ts";
import { createCommandEnvironment } from "./exec/command-environment.ts";
import { createLocalProcesses, type LocalProcesses } from "./exec/run-process.ts";
import type { HookSlot, SessionHooks } from "./extensions/hooks.ts";
import { LazyExtensions } from "./extensions/lazy-extensions.ts";
import { type SlashCommand, SlashCommands } from "./extensions/slash-commands.ts";
import type { McpServersOptions } from "./mcp/mcp-servers.ts";
import { Credentials } from "./models/credentials.ts";
import { levelFor } from "./models/model-choice.ts";
import { ModelRegistry } from "./models/model-registry.ts";
import { type ResolvedModel, resolveModel } from "./models/model-resolver.ts";
import { loadReaders, PromptResources } from "./prompt/prompt-resources.ts";
import { defaultRetrySettings } from "./run/auto-retry.ts";
import { defaultCompactionSettings } from "./run/compaction/policy.ts";
import type { RunLimits } from "./run/limits.ts";
import type { StreamRule } from "./run/stream-rules/rule.ts";
import { describeOldBun } from "./runtime.ts";
import { createSessionAccess } from "./session-access.ts";
import { connectParts } from "./session-parts.ts";
import { SessionResources } from "./session-resources.ts";
import { prepareSessionTools } from "./session-tools.ts";
import { isBuiltInTool } from "./tools/index.ts";
import { absentUser, UserSlot } from "./user-interface.ts";

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
 * @throws {SessionError} When the chosen session cannot be opened, a stream rule cannot be used, or Bun is too old.
 * @throws {AiError} When nothing can be recorded in the file of `record`, or the model cannot be recorded.
 */
export function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<AgentSession> {
  return openSession(options, undefined);
}

async function openSession(options: CreateAgentSessionOptions, inherited: Inherited | undefined): Promise<AgentSession> {
  const oldBun = describeOldBun();
  if (oldBun !== undefined) throw new SessionError("unsupported_runtime", oldBun);
  const startFolder = resolve(options.cwd ?? process.cwd());
  const agentDir = options.agentDir ?? agentFolder();
  const folder = options.sessionDir ?? sessionFolder(startFolder, agentDir);
  const choice = options.session ?? "new";
  const store = options.store ?? (await createStore(choice, resolve(folder)));
  const conversation = await begin(store, choice, startFolder, reporterOf(options));
  /** What was begun, the last first. */
  const undo: (() => unknown)[] = [];
  try {
    return await assemble(conversation, store, { ...options, cwd: startFolder, agentDir }, inherited, (end) => undo.unshift(end));
  } catch (error) {
    // What cannot be ended must not keep the rest from it, nor hide why.
    for (const end of undo) await Promise.resolve(end()).catch(() => undefined);
    await conversation.close();
    throw error;
  }
}

type ResolvedOptions = CreateAgentSessionOptions & { cwd: string; agentDir: string };

/**
 * Puts the parts of a session together.
 *
 * @param onFailure - Takes what ends the part that has just been begun, for the case that a later one fails.
 */
async function assemble(
  conversation: Conversation,
  store: SessionStore,
  options: ResolvedOptions,
  inherited: Inherited | undefined,
  onFailure: (end: () => unknown) => void,
): Promise<AgentSession> {
  const { cwd: startFolder, agentDir } = options;
  const user = new UserSlot(options.user ?? absentUser);
  const { cwd } = conversation.header;
  const report = reporterOf(options);
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
  onFailure(async () => extensions?.shutdown());
  if (extensions && resources.hasExtensions(settings)) await extensions.load();
  const models = createModels(options, cwd, extensions?.providers ?? [], report);
  const context = await conversation.readContext();
  const { model, thinkingLevel } = await chooseModel(models, options, settings, context);

  const processes = createProcesses(settings);
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
  const depth = inherited?.depth ?? 0;
  const createTools = await prepareSessionTools({
    ...{ options, settings, runProcess, depth },
    openTask: (own, childDepth) =>
      openSession({ ...options, ...own, user, session: "memory" }, { approvals, hooks: taskHooks(hooks), depth: childDepth }),
  });
  const requestOptions = async (target: Model) => {
    models.requireReachable(target);
    const apiKey = await models.keyFor(target);
    return { sessionId: session.sessionId, ...(apiKey === undefined ? {} : { apiKey }) };
  };
  const connected = await connectParts({
    createAgent: (ownHooks) =>
      new Agent({
        ...modesOf(settings),
        ...(model && { model }),
        thinkingLevel: levelFor(thinkingLevel, model),
        requestOptions,
        ...ownHooks,
      }),
    conversation,
    context,
    store,
    models,
    thinkingLevel,
    modelScope: options.modelScope && (await (await import("./models/model-scope.ts")).resolveScope(models, options.modelScope)),
    runProcess,
    stopProcesses: async () => {
      await Promise.all([processes.stop(), mcp?.stop()]);
    },
    createTools,
    async buildSystemPrompt(folder, tools) {
      // Another session begins with the files as they are now.
      if (promptsReadFor !== session.sessionId) prompts.forget();
      promptsReadFor = session.sessionId;
      const [{ contextFiles, skills }, { buildSystemPrompt }] = await Promise.all([prompts.load(folder), loadReaders()]);
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
    report,
  });
  const session = new AgentSession(connected);
  onFailure(() => session.dispose());
  const mcp =
    inherited || options.mcp === false
      ? undefined
      : await createMcpServers(settings, session, { report, offline: options.offline });
  if (options.name !== undefined && options.name !== conversation.name) await session.history.setName(options.name);
  // Those of a sub-task are those of the session that delegates, which has told of them.
  for (const problem of inherited ? [] : [...resources.problems, ...(extensions?.problems ?? [])]) report(problem);
  if (extensions) {
    const access = createSessionAccess(session, {
      ...{ connected, models, runProcess, user },
      setTiers: (tiers) => {
        toolTiers = { ...tiers, ...options.toolTiers };
      },
    });
    const forget = () => {
      prompts.forget();
      connected.systemPrompt.forget();
    };
    commands.register(reloadCommand(() => extensions.reload(access), forget));
    await extensions.bind(access);
  }
  if (options.autoStart !== false) await session.start();
  return session;
}

/** Who is told of what is not used, or is not as it was asked for. */
function reporterOf({ onProblem, user = absentUser }: CreateAgentSessionOptions): (problem: string) => void {
  return onProblem ?? ((problem) => user.notify(problem, "warning"));
}

/** Begins the conversation, or opens one; most starts open none. */
async function begin(
  store: SessionStore,
  choice: SessionChoice,
  cwd: string,
  report: (notice: string) => void,
): Promise<Conversation> {
  if (choice === "new" || choice === "memory") return Conversation.create(store, { cwd });
  return (await import("./conversation/choose-session.ts")).chooseSession(store, choice, cwd, report);
}

async function createStore(choice: SessionChoice, folder: string): Promise<SessionStore> {
  if (choice === "memory") return new MemorySessionStore({ keepClosed: false });
  return new (await import("./conversation/file-store.ts")).FileSessionStore(folder);
}

/** @param cwd - Where the session works; a file to record to is named from where it was started. */
function createModels(
  options: ResolvedOptions,
  cwd: string,
  providers: LazyExtensions["providers"],
  report: (problem: string) => void,
): ModelRegistry {
  const { agentDir, apiKey, cwd: startFolder, offline = false, record } = options;
  const models = new ModelRegistry({
    agentDir,
    credentials: new Credentials(agentDir, { apiKey }),
    ...{ cwd, offline, report },
    ...(record !== undefined && { recordTo: resolve(startFolder, record) }),
  });
  for (const provider of providers) models.addProvider(provider);
  return models;
}

/** Who answers, and how hard it shall think: as was asked for, else as in the session so far, else as the settings say. */
async function chooseModel(models: ModelRegistry, options: ResolvedOptions, settings: Settings, context: BranchContext) {
  const { model: named, provider } = options;
  const stored = context.model && `${context.model.provider}/${context.model.modelId}`;
  const choice: ResolvedModel =
    typeof named === "object" ? { model: named } : await resolveModel(models, { model: named, provider }, settings, stored);
  const wanted = options.thinkingLevel ?? choice.thinkingLevel ?? context.thinkingLevel ?? settings.defaultThinkingLevel;
  return {
    model: choice.model && (await models.prepare(choice.model)),
    thinkingLevel: (wanted !== undefined && parseThinkingLevel(wanted)) || "medium",
  };
}

function createProcesses({ shell: { path: shellPath, passKeys } = {} }: Settings): LocalProcesses {
  const env = passKeys === false ? createCommandEnvironment({ passKeys }) : undefined;
  return createLocalProcesses({ env, shellPath });
}

function modesOf({ steeringMode, followUpMode, interruptMode }: Settings) {
  return {
    ...(steeringMode ? { steeringMode } : {}),
    ...(followUpMode ? { followUpMode } : {}),
    ...(interruptMode ? { interruptMode } : {}),
  };
}

/** For a sub-task: what is decided about the calls of the session that delegates is decided about its calls too. */
function taskHooks(slot: HookSlot): HookSlot {
  return {
    get current(): SessionHooks | undefined {
      const hooks = slot.current;
      return (
        hooks && {
          toolCall: async (call, signal) => hooks.toolCall?.(call, signal),
          toolResult: async (call, outcome, signal) => hooks.toolResult?.(call, outcome, signal),
        }
      );
    },
  };
}

function reloadCommand(reload: () => Promise<void>, forget: () => void): SlashCommand {
  const run = async () => {
    forget();
    await reload();
  };
  return { name: "reload", source: "extension", isHidden: true, run };
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
