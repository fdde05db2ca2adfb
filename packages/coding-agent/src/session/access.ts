import { SessionError } from "../errors.ts";
import type { ProcessRunner } from "../exec/run-process.ts";
import type { SessionAccess } from "../extensions/session-access.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { AgentSession } from "./agent-session.ts";
import type { SessionParts } from "./parts.ts";

export interface AccessOptions {
  runProcess: ProcessRunner;
  /** Sets the risk tiers of the tools of extensions. */
  setTiers(tiers: Readonly<Record<string, RiskTier>>): void;
}

/** Creates the part of a session that its extensions may use. */
export function createSessionAccess(
  session: AgentSession,
  { events, registry, transcript, user }: SessionParts,
  { runProcess, setTiers }: AccessOptions,
): SessionAccess {
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
      return session.models.current;
    },
    get messages() {
      return session.messages;
    },
    get isStreaming() {
      return session.isStreaming;
    },
    emit: (event) => events.emit(event),
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
    addProvider: (provider) => registry.addProvider(provider),
    abort: () => void session.abort(),
    shutdown: () => session.shutdown.request(),
    waitForIdle: () => session.waitForIdle(),
    async compact(instructions) {
      await session.compact({ instructions });
    },
    newSession: () => hasMoved(session.history.startNew()),
    switchSession: (path) => hasMoved(session.history.open(path)),
  };
}

/** Whether the session moved; false if an extension refused. */
async function hasMoved(move: Promise<void>): Promise<boolean> {
  try {
    await move;
    return true;
  } catch (error) {
    if (error instanceof SessionError && error.code === "cancelled") return false;
    throw error;
  }
}
