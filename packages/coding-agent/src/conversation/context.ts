import type { AgentMessage } from "@pikit/agent";
import type { ThinkingLevel } from "@pikit/ai";
import { createCompactionSummary } from "./compaction-summary.ts";
import type { SessionEntry } from "./entries.ts";

/** The context of a branch: its messages, and the last model and thinking level that were set on it. */
export interface BranchContext {
  messages: AgentMessage[];
  model: { provider: string; modelId: string } | undefined;
  thinkingLevel: ThinkingLevel | undefined;
}

/** Whether entries of a type belong to the model's context. */
export function entersContext(type: SessionEntry["type"]): boolean {
  return type === "message" || type === "compaction" || type === "branch_summary" || type === "custom_message";
}

/** Reads a branch, root first. The latest compaction replaces everything before the first entry that it kept. */
export function readBranch(branch: readonly SessionEntry[]): BranchContext {
  const context: BranchContext = { messages: [], model: undefined, thinkingLevel: undefined };
  for (const entry of branch) {
    if (entry.type === "model_change") context.model = { provider: entry.provider, modelId: entry.modelId };
    else if (entry.type === "thinking_level_change") context.thinkingLevel = entry.thinkingLevel;
  }
  const compactionIndex = branch.findLastIndex((entry) => entry.type === "compaction");
  const compaction = branch[compactionIndex];
  if (compaction?.type !== "compaction") {
    context.messages = messagesOf(branch);
    return context;
  }
  const { summary, tokensBefore, firstKeptEntryId } = compaction;
  const keptIndex = branch.findIndex((entry) => entry.id === firstKeptEntryId);
  const kept = messagesOf(keptIndex >= 0 && keptIndex < compactionIndex ? branch.slice(keptIndex, compactionIndex) : []);
  context.messages = [
    createCompactionSummary({ summary, tokensBefore, timestamp: Date.parse(compaction.timestamp) }, kept),
    ...kept,
    ...messagesOf(branch.slice(compactionIndex + 1)),
  ];
  return context;
}

function messagesOf(entries: readonly SessionEntry[]): AgentMessage[] {
  return inOrderOfContext(entries.flatMap((entry) => toMessage(entry) ?? []));
}

function toMessage(entry: SessionEntry): AgentMessage | undefined {
  if (entry.type === "message") return entry.message;
  const timestamp = Date.parse(entry.timestamp);
  if (entry.type === "branch_summary") {
    return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
  }
  if (entry.type !== "custom_message") return undefined;
  const { customType, content, display, details } = entry;
  return { role: "custom", customType, content, display, ...(details === undefined ? {} : { details }), timestamp };
}

/** Messages that were added during tool calls are stored between a call and its result. In the context they follow the results. */
export function inOrderOfContext(messages: readonly AgentMessage[]): AgentMessage[] {
  const ordered: AgentMessage[] = [];
  const openCalls = new Set<string>();
  let held: AgentMessage[] = [];
  const release = () => {
    ordered.push(...held);
    held = [];
  };
  for (const message of messages) {
    const isAdded = message.role === "bashExecution" || message.role === "custom";
    if (isAdded && openCalls.size > 0) {
      held.push(message);
      continue;
    }
    if (message.role === "toolResult") {
      ordered.push(message);
      openCalls.delete(message.toolCallId);
      if (openCalls.size === 0) release();
      continue;
    }
    openCalls.clear();
    release();
    ordered.push(message);
    if (message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted") {
      for (const block of message.content) if (block.type === "toolCall") openCalls.add(block.id);
    }
  }
  release();
  return ordered;
}
