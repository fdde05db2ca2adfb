/**
 * The records of a streamed answer on the wire. `snapshots`: each update has the complete message so far. `deltas`: each update has only the
 * new part, and a client rebuilds the message (`snapshots.ts`).
 */
import type { AssistantMessageEvent, Usage } from "@pikit/ai";

/** An event of one block of an answer. */
export type BlockEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>;
type WithoutPartial<T> = T extends unknown ? Omit<T, "partial"> : never;

/** A `message_update` of deltas mode. `toolcall_start` has the call's id and name; ends have the block's signature; `usage` is set if it changed. */
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

/** Converts a block event to deltas mode. @param usage - The result of `newUsage`. */
export function toDelta(event: BlockEvent, usage: Usage | undefined): DeltaUpdate {
  const assistantMessageEvent = toWireEvent(event);
  return usage === undefined
    ? { type: "message_update", assistantMessageEvent }
    : { type: "message_update", assistantMessageEvent, usage };
}

function toWireEvent(event: BlockEvent): DeltaUpdate["assistantMessageEvent"] {
  const { type, contentIndex } = event;
  const block = event.partial.content[contentIndex];
  switch (type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return { type, contentIndex, delta: event.delta };
    case "text_end": {
      const { textSignature } = block?.type === "text" ? block : {};
      return { type, contentIndex, content: event.content, ...(textSignature !== undefined && { textSignature }) };
    }
    case "thinking_end": {
      const { thinkingSignature, redacted } = block?.type === "thinking" ? block : {};
      const signature = {
        ...(thinkingSignature !== undefined && { thinkingSignature }),
        ...(redacted !== undefined && { redacted }),
      };
      return { type, contentIndex, content: event.content, ...signature };
    }
    case "toolcall_start":
      return { type, contentIndex, ...(block?.type === "toolCall" && { id: block.id, toolName: block.name }) };
    case "toolcall_end":
      return { type, contentIndex, toolCall: event.toolCall };
    default:
      return { type, contentIndex };
  }
}

/** The usage of an answer if it differs from `known`, the last usage that was sent; otherwise undefined. */
export function newUsage(usage: Usage, known: Usage): Usage | undefined {
  if (usage === known) return undefined;
  const isSame =
    usage.input === known.input &&
    usage.output === known.output &&
    usage.cacheRead === known.cacheRead &&
    usage.cacheWrite === known.cacheWrite &&
    usage.cost.total === known.cost.total;
  return isSame ? undefined : usage;
}

/**
 * Merges an event into a waiting record if both are deltas of the same block.
 *
 * @returns Whether the event was merged.
 */
export function joinDeltas(waiting: DeltaUpdate, event: BlockEvent, usage: Usage | undefined): boolean {
  const before = waiting.assistantMessageEvent;
  if (before.type !== event.type || before.contentIndex !== event.contentIndex) return false;
  if (!("delta" in before) || !("delta" in event)) return false;
  before.delta += event.delta;
  if (usage !== undefined) waiting.usage = usage;
  return true;
}
