import type { AgentMessage } from "@pikit/agent";
import type { ThinkingLevel } from "@pikit/ai";
import type { SessionEntry } from "./entries.ts";

/** What the active branch says: the messages in context, and the model and level it was last set to. */
export interface BranchContext {
  messages: AgentMessage[];
  model: { provider: string; modelId: string } | undefined;
  thinkingLevel: ThinkingLevel | undefined;
}

/** Whether entries of a type have a part in the model's context. */
export function entersContext(type: SessionEntry["type"]): boolean {
  return type === "message" || type === "compaction" || type === "branch_summary" || type === "custom_message";
}

/** Reads a branch, root first. The latest compaction stands for everything before the first entry it kept. */
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
  const kept = keptIndex >= 0 && keptIndex < compactionIndex ? branch.slice(keptIndex, compactionIndex) : [];
  context.messages = [
    { role: "compactionSummary", summary, tokensBefore, timestamp: Date.parse(compaction.timestamp) },
    ...messagesOf(kept),
    ...messagesOf(branch.slice(compactionIndex + 1)),
  ];
  return context;
}

function messagesOf(entries: readonly SessionEntry[]): AgentMessage[] {
  const messages: AgentMessage[] = [];
  for (const entry of entries) {
    if (entry.type === "message") {
      messages.push(entry.message);
    } else if (entry.type === "branch_summary") {
      const { summary, fromId } = entry;
      messages.push({ role: "branchSummary", summary, fromId, timestamp: Date.parse(entry.timestamp) });
    } else if (entry.type === "custom_message") {
      const { customType, content, display, details } = entry;
      const timestamp = Date.parse(entry.timestamp);
      messages.push({ role: "custom", customType, content, display, ...(details === undefined ? {} : { details }), timestamp });
    }
  }
  return messages;
}
