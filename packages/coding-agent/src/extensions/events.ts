import type { AgentEvent, AgentMessage, AgentToolResult } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import type { SessionEvent } from "../protocol/events.ts";
import type { CompactionPreview } from "../run/compaction/intercept.ts";

/** Where a session is about to go: an empty session, another one, a copy of this one, or another branch of it. */
export interface SessionMove {
  reason: "new" | "switch" | "fork" | "clone" | "branch";
  /** The session's path for `switch`, the entry for `fork` and `branch`. */
  target?: string;
}

/** What extensions are told of and may change: the event, and what a handler may return. */
export interface HookEvents {
  /** A prompt that would start a run, before it is checked and stored. */
  before_prompt: {
    event: { type: "before_prompt"; text: string; images: readonly ImageContent[]; systemPrompt: string };
    /** `text` is sent in place of what was typed; `systemPrompt` holds for this run; `refuse` says why nothing is sent. */
    result: { text?: string; systemPrompt?: string; refuse?: string };
  };
  /** Before each model call: what the model is about to see. `messages` is a copy. */
  context: { event: { type: "context"; messages: AgentMessage[] }; result: { messages: AgentMessage[] } };
  /** A valid tool call, before approvals decide about it and it runs. */
  tool_call: {
    event: { type: "tool_call"; toolCallId: string; toolName: string; args: Record<string, unknown> };
    /** `block` refuses the call, and the model reads the reason; `args` take the place of the model's and are checked again. */
    result: { block: true; reason?: string } | { args: Record<string, unknown> };
  };
  /** What a tool call gave, before the model sees it. */
  tool_result: {
    event: {
      type: "tool_result";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      content: (TextContent | ImageContent)[];
      details: unknown;
      isError: boolean;
    };
    /** What is absent stays as it is. */
    result: Partial<AgentToolResult> & { isError?: boolean };
  };
  /** The older part of the conversation is about to be summarised. */
  before_compaction: {
    event: { type: "before_compaction" } & CompactionPreview;
    /** `cancel` leaves the conversation as it is; `summary` is used without asking the model for one. */
    result: { cancel?: boolean; summary?: string };
  };
  /** The session is about to go elsewhere. */
  session_switch: { event: { type: "session_switch" } & SessionMove; result: { cancel?: boolean } };
}

/** What extensions are told of beside the events of a session. */
export type Notice =
  /** The extension is loaded, or the session has gone elsewhere: the place to read what was stored. */
  | { type: "session_start"; reason: "start" | "reload" | SessionMove["reason"] }
  /** The session ends, or extensions are loaded anew: the last thing that an extension hears, with 3 seconds to finish. */
  | { type: "shutdown"; reason: "end" | "reload" };

/** Everything that can be observed and not changed. */
export type ObservedEvent = AgentEvent | SessionEvent | Notice;

// biome-ignore lint/suspicious/noConfusingVoidType: such a handler returns nothing
type Observed = { [T in ObservedEvent["type"]]: { event: Extract<ObservedEvent, { type: T }>; result: void } };

/** Every event that an extension can have a handler for. */
export type ExtensionEvents = HookEvents & Observed;
export type ExtensionEventName = keyof ExtensionEvents;
