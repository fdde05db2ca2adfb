import type { Conversation } from "../conversation/conversation.ts";
import { toWireModel } from "../models/wire-model.ts";
import type { SessionState, SessionStats } from "../protocol/data.ts";
import type { SessionParts } from "./parts.ts";

/** See `AgentSession.state`. */
export function readState(parts: SessionParts): Omit<SessionState, "streamMode"> {
  const { agent, compactor } = parts;
  const { conversation } = parts.transcript;
  const { model, thinkingLevel, messages } = agent.state;
  const { queuedCount } = agent;
  return {
    model: model ? toWireModel(model) : null,
    thinkingLevel,
    isStreaming: parts.runs.isActive,
    isCompacting: compactor.isCompacting,
    isSettled: !parts.runs.isActive && !compactor.isCompacting,
    queueMode: agent.steering.mode,
    steeringMode: agent.steering.mode,
    followUpMode: agent.followUps.mode,
    interruptMode: agent.interruptMode,
    ...fileOf(conversation),
    sessionId: conversation.header.id,
    ...(conversation.name === null ? {} : { sessionName: conversation.name }),
    autoCompactionEnabled: compactor.enabled,
    autoRetryEnabled: parts.retries.enabled,
    messageCount: messages.length,
    queuedMessageCount: queuedCount,
    pendingMessageCount: queuedCount,
    todoPhases: parts.todos.phases,
  };
}

/** See `AgentSession.stats`. */
export function readStats({ compactor, transcript: { conversation } }: SessionParts): SessionStats {
  return conversation.stats.toStats({
    ...fileOf(conversation),
    sessionId: conversation.header.id,
    contextUsage: compactor.contextUsage ?? { tokens: null, contextWindow: 0, percent: null },
  });
}

function fileOf({ path }: Conversation): { sessionFile?: string } {
  return path === null ? {} : { sessionFile: path };
}
