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

const contextTypes: ReadonlySet<string> = new Set(["message", "compaction", "branch_summary", "custom_message", "context_edit"]);

/** Whether entries of a type belong to the model's context, or change it. */
export function entersContext(type: string): boolean {
  return contextTypes.has(type);
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
    context.messages = messagesOf(branch, editsIn(branch));
    return context;
  }
  const { summary, tokensBefore, firstKeptEntryId } = compaction;
  const keptIndex = branch.findIndex((entry) => entry.id === firstKeptEntryId);
  const edits = editsIn(branch);
  const kept = messagesOf(keptIndex >= 0 && keptIndex < compactionIndex ? branch.slice(keptIndex, compactionIndex) : [], edits);
  context.messages = [
    createCompactionSummary({ summary, tokensBefore, timestamp: Date.parse(compaction.timestamp) }, kept),
    ...kept,
    ...messagesOf(branch.slice(compactionIndex + 1), edits),
  ];
  return context;
}

/** The latest `context_edit` of a branch for each entry that it names: a new content for the model, or null to leave the entry out. */
type ContextEdits = ReadonlyMap<string, string | readonly unknown[] | null>;

/** Related programs write these entries; this one only obeys them. */
function editsIn(branch: readonly SessionEntry[]): ContextEdits {
  const edits = new Map<string, string | readonly unknown[] | null>();
  for (const entry of branch as readonly { type: string; targetId?: unknown; replacement?: unknown }[]) {
    const { type, targetId, replacement } = entry;
    if (type !== "context_edit" || typeof targetId !== "string") continue;
    if (replacement === null || typeof replacement === "string" || Array.isArray(replacement)) edits.set(targetId, replacement);
  }
  return edits;
}

function messagesOf(entries: readonly SessionEntry[], edits: ContextEdits): AgentMessage[] {
  return inOrderOfContext(
    entries.flatMap((entry) => {
      const message = toMessage(entry);
      const edit = edits.get(entry.id);
      if (message === undefined || edit === undefined) return message ?? [];
      return edit === null ? [] : withContent(message, edit);
    }),
  );
}

/** The message with another content. Answers and tool results have a text as a list of one block. */
function withContent(message: AgentMessage, content: string | readonly unknown[]): AgentMessage {
  if (!("content" in message)) return message;
  const isList = message.role === "assistant" || message.role === "toolResult";
  return {
    ...message,
    content: isList && typeof content === "string" ? [{ type: "text", text: content }] : content,
  } as AgentMessage;
}

function toMessage(entry: SessionEntry): AgentMessage | undefined {
  // Related programs store their system prompt as messages; here it is built anew.
  if (entry.type === "message") return isSystemMessage(entry.message) ? undefined : entry.message;
  const timestamp = Date.parse(entry.timestamp);
  if (entry.type === "branch_summary") {
    return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
  }
  if (entry.type !== "custom_message") return undefined;
  const { customType, content, display, details } = entry;
  return { role: "custom", customType, content, display, ...(details === undefined ? {} : { details }), timestamp };
}

/** Whether a stored message is the system prompt of a related program. */
export function isSystemMessage({ role }: { role: string }): boolean {
  return role === "system";
}

/** Messages that were added during tool calls are stored between a call and its result. In the context they follow the results. */
export function inOrderOfContext(messages: readonly AgentMessage[]): AgentMessage[] {
  const ordered: AgentMessage[] = [];
  const openCalls = new Set<string>();
  let held: AgentMessage[] = [];
  const release = () => {
    if (held.length === 0) return;
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
