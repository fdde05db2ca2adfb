import type { AgentMessage } from "@pikit/agent";
import { entersContext, readBranch } from "../conversation/context.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { SessionError } from "../errors.ts";
import type { ProcessRunner } from "../exec/run-process.ts";
import type { SystemPromptOptions } from "../extensions/api-context.ts";
import type { SentText, SessionAccess } from "../extensions/session-access.ts";
import { prepareSession } from "../extensions/session-writer.ts";
import type { AddedPaths } from "../prompt/prompt-resources.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { BranchSummary } from "../run/compaction/branch-summary.ts";
import { isBuiltInTool } from "../tools/index.ts";
import type { AgentSession } from "./agent-session.ts";
import type { SessionParts } from "./parts.ts";

export interface AccessOptions {
  runProcess: ProcessRunner;
  /** Sets the risk tiers of the tools of extensions. */
  setTiers(tiers: Readonly<Record<string, RiskTier>>): void;
  /** Whether the project's `.pi` folder may take effect. */
  isTrusted(): boolean;
  /** The parts of the system prompt. */
  systemPromptOptions(): SystemPromptOptions;
  reload(): Promise<void>;
  /** Summarises messages of a branch that the session leaves. */
  summariseBranch(messages: readonly AgentMessage[], instructions: string): Promise<BranchSummary>;
}

/** Creates the part of a session that its extensions may use. */
export function createSessionAccess(session: AgentSession, parts: SessionParts, options: AccessOptions): SessionAccess {
  const { registry, transcript, user } = parts;
  const { runProcess, setTiers, isTrusted, systemPromptOptions } = options;
  const readable = {
    ...{ user, runProcess, registry },
    get cwd() {
      return session.cwd;
    },
    get sessionId() {
      return session.sessionId;
    },
    get sessionFile() {
      return session.sessionFile;
    },
    get conversation() {
      return transcript.conversation;
    },
    get model() {
      return session.models.current;
    },
    get thinkingLevel() {
      return session.models.level;
    },
    get scopedModels() {
      return session.models.scope;
    },
    get messages() {
      return session.messages;
    },
    get isStreaming() {
      return session.isStreaming;
    },
    get hasQueued() {
      return session.queues.count > 0;
    },
    get isTrusted() {
      return isTrusted();
    },
    get contextUsage() {
      return session.compaction.contextUsage;
    },
    get systemPrompt() {
      return parts.systemPrompt.text;
    },
    get systemPromptOptions() {
      return systemPromptOptions();
    },
    get mode() {
      return user.mode;
    },
    get activeTools() {
      return session.tools.active;
    },
    get allTools() {
      return session.tools.all;
    },
    get promptCommands() {
      return parts.prompts.knownCommands;
    },
  };
  // Not spread: that would read the getters.
  return Object.defineProperties(
    {
      ...createActions(session, parts, options),
      ...createToolAccess(session, setTiers),
      ...createModelAccess(session, parts),
      ...createMoves(session, parts, options),
    },
    Object.getOwnPropertyDescriptors(readable),
  ) as SessionAccess;
}

function createActions(session: AgentSession, parts: SessionParts, options: AccessOptions) {
  const { events, transcript } = parts;
  return {
    emit: (event: Parameters<SessionAccess["emit"]>[0]) => events.emit(event),
    sendText: (sent: SentText) => sendText(session, sent),
    sendMessage: (...sent: Parameters<SessionAccess["sendMessage"]>) => session.send(...sent),
    async appendEntry(customType: string, data: unknown) {
      const entry = await transcript.storeEntry({ type: "custom", customType, ...(data === undefined ? {} : { data }) });
      if (entry) await events.emit({ type: "entry_appended", entry });
    },
    lastEntry: (customType: string) => transcript.conversation.readCustom(customType),
    setName: (name: string) => session.history.setName(name),
    setLabel: (entryId: string, label: string | undefined) => session.history.setLabel(entryId, label),
    abort: () => void session.abort(),
    shutdown: () => session.shutdown.request(),
    endAfter: (toolCallId: string) => parts.endings.add(toolCallId),
    readResources: () => parts.systemPrompt.refresh(),
    addResources: (paths: AddedPaths) => {
      parts.prompts.add(paths);
      parts.systemPrompt.forget();
    },
    waitForIdle: () => session.waitForIdle(),
    compact: (instructions?: string) => session.compact({ instructions }),
    reload: options.reload,
  };
}

async function sendText(session: AgentSession, { text, images, behavior, isExpanded }: SentText): Promise<void> {
  await session.submit(text, { images, streamingBehavior: behavior, source: "extension", isExpanded });
}

function createToolAccess(
  session: AgentSession,
  setTiers: AccessOptions["setTiers"],
): Pick<SessionAccess, "setTools" | "isBuiltIn" | "activateTools"> {
  return {
    setTools(tools, tiers) {
      session.tools.replace("extension", tools);
      setTiers(tiers);
    },
    isBuiltIn: isBuiltInTool,
    activateTools: (names) => session.tools.activate(names),
  };
}

function createModelAccess(
  session: AgentSession,
  { registry }: SessionParts,
): Pick<SessionAccess, "addProvider" | "removeProvider" | "setModel" | "setThinkingLevel"> {
  return {
    addProvider: (provider) => registry.addProvider(provider),
    removeProvider: (name) => registry.removeProvider(name),
    async setModel(model) {
      if (!(await registry.isUsable(model))) return false;
      await session.models.set(model);
      return true;
    },
    setThinkingLevel: (level) => session.models.setLevel(level),
  };
}

function createMoves(
  { history }: AgentSession,
  { transcript }: SessionParts,
  { summariseBranch }: AccessOptions,
): Pick<SessionAccess, "newSession" | "switchSession" | "fork" | "navigate"> {
  return {
    newSession: ({ setup, ...options }) =>
      hasMoved(history.startNew({ ...options, ...(setup ? { prepare: async (empty) => prepareSession(empty, setup) } : {}) })),
    switchSession: (path) => hasMoved(history.open(path)),
    fork: (entryId, position) => hasMoved(position === "at" ? history.clone(entryId) : history.fork(entryId)),
    async navigate(entryId, { label, summarize = false, customInstructions = "" }) {
      const summarise = async () => {
        const left = await readLeft(transcript.conversation, entryId);
        return left.length === 0 ? undefined : summariseBranch(left, customInstructions);
      };
      const isMoved = await hasMoved(history.goTo(entryId, summarize ? summarise : undefined));
      const { leafId } = history;
      if (isMoved && label !== undefined && leafId !== null) await history.setLabel(leafId, label);
      return isMoved;
    },
  };
}

/** The messages that the session leaves if it moves to an entry, oldest first. */
async function readLeft(conversation: Conversation, target: string): Promise<AgentMessage[]> {
  const kept = new Set(conversation.pathTo(target).map(({ id }) => id));
  const left = conversation.activeBranch().filter(({ id, type }) => !kept.has(id) && entersContext(type));
  return readBranch(await conversation.read(left)).messages;
}

/** Whether the session moved; false if an extension refused. */
async function hasMoved(move: Promise<unknown>): Promise<boolean> {
  try {
    await move;
    return true;
  } catch (error) {
    if (error instanceof SessionError && error.code === "cancelled") return false;
    throw error;
  }
}
