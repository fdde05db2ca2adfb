/**
 * The records that a streamed answer becomes on the wire. `snapshots`: each update carries the whole message so far. `deltas`: each update
 * carries only what is new, and a client rebuilds the rest (`snapshots.ts`).
 */
import type { AssistantMessageEvent, Usage } from "@pikit/ai";

/** A step within a block of an answer. */
export type BlockEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>;
type WithoutPartial<T> = T extends unknown ? Omit<T, "partial"> : never;

/** A `message_update` of deltas mode. Starts of tool calls name the call; ends carry the block's signature; `usage` stands here when it changed. */
export interface DeltaUpdate {
  type: "message_update";
  assistantMessageEvent: WithoutPartial<BlockEvent> & {
    id?: string;
    toolName?: string;
    textSignature?: string;
    thinkingSignature?: string;
    redacted?: boolean;
  };
  usage?: Usage;
}

/** A step within a block as deltas mode shows it. `knownUsage` is the one that was told last. */
export function toDelta(event: BlockEvent, knownUsage: Usage): DeltaUpdate {
  const { partial, ...fields } = event;
  const assistantMessageEvent: DeltaUpdate["assistantMessageEvent"] = fields;
  const block = partial.content[event.contentIndex];
  if (event.type === "toolcall_start" && block?.type === "toolCall") {
    assistantMessageEvent.id = block.id;
    assistantMessageEvent.toolName = block.name;
  }
  if (event.type === "text_end" && block?.type === "text" && block.textSignature !== undefined) {
    assistantMessageEvent.textSignature = block.textSignature;
  }
  if (event.type === "thinking_end" && block?.type === "thinking") {
    if (block.thinkingSignature !== undefined) assistantMessageEvent.thinkingSignature = block.thinkingSignature;
    if (block.redacted !== undefined) assistantMessageEvent.redacted = block.redacted;
  }
  return {
    type: "message_update",
    assistantMessageEvent,
    ...(isSameUsage(partial.usage, knownUsage) ? {} : { usage: partial.usage }),
  };
}

function isSameUsage(a: Usage, b: Usage): boolean {
  if (a === b) return true;
  const counts = ["input", "output", "cacheRead", "cacheWrite"] as const;
  return a.cost.total === b.cost.total && counts.every((name) => a[name] === b[name]);
}

/** The record that stands for two that wait: deltas of one block join, everything else stays apart. */
export function joinDeltas(first: DeltaUpdate, second: DeltaUpdate): DeltaUpdate | undefined {
  const before = first.assistantMessageEvent;
  const after = second.assistantMessageEvent;
  if (!("delta" in before) || !("delta" in after)) return undefined;
  if (before.type !== after.type || before.contentIndex !== after.contentIndex) return undefined;
  return { ...first, ...second, assistantMessageEvent: { ...after, delta: before.delta + after.delta } };
}
