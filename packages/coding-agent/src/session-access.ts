import type { AgentSession } from "./agent-session.ts";
import { SessionError } from "./errors.ts";
import type { ProcessRunner } from "./exec/run-process.ts";
import type { SessionAccess } from "./extensions/session-access.ts";
import type { ModelRegistry } from "./models/model-registry.ts";
import type { RiskTier } from "./risk-tiers.ts";
import type { ConnectedParts } from "./session-parts.ts";
import type { UserInterface } from "./user-interface.ts";

/** What extensions reach of a session beside the session itself. */
export interface AccessParts {
  connected: ConnectedParts;
  models: ModelRegistry;
  runProcess: ProcessRunner;
  user: UserInterface;
  /** Takes over how far the tools of extensions reach. */
  setTiers(tiers: Readonly<Record<string, RiskTier>>): void;
}

/** A session as its extensions may use it. */
export function createSessionAccess(session: AgentSession, parts: AccessParts): SessionAccess {
  const { connected, models, runProcess, user, setTiers } = parts;
  const { transcript } = connected;
  return {
    ...{ user, runProcess },
    get cwd() {
      return session.cwd;
    },
    get sessionId() {
      return session.sessionId;
    },
    get sessionFile() {
      return session.sessionFile;
    },
    get model() {
      return session.model;
    },
    get messages() {
      return session.messages;
    },
    get isStreaming() {
      return session.isStreaming;
    },
    emit: (event) => connected.emit(event),
    async sendText(text, streamingBehavior) {
      await session.submit(text, { streamingBehavior });
    },
    sendMessage: (message, behavior) => session.send(message, behavior),
    appendEntry: (customType, data) => transcript.append({ type: "custom", customType, data }),
    lastEntry: (customType) => transcript.conversation.readCustom(customType),
    setTools(tools, tiers) {
      session.tools.replace("extension", tools);
      setTiers(tiers);
    },
    addProvider: (provider) => models.addProvider(provider),
    abort: () => void session.abort(),
    shutdown: () => session.requestShutdown(),
    waitForIdle: () => session.waitForIdle(),
    async compact(instructions) {
      await session.compact({ instructions });
    },
    newSession: () => hasMoved(session.newSession()),
    switchSession: (path) => hasMoved(session.switchSession(path)),
  };
}

/** Whether the session went there; false when an extension refused. */
async function hasMoved(move: Promise<void>): Promise<boolean> {
  try {
    await move;
    return true;
  } catch (error) {
    if (error instanceof SessionError && error.code === "cancelled") return false;
    throw error;
  }
}
