import type { AgentEvent, AgentMessage, AgentToolResult, ToolDisplay } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import type { SessionEvent } from "../protocol/events.ts";
import type { CompactionPreview } from "../run/compaction/intercept.ts";

/** A move of a session: to an empty session, another one, a copy of this one, or another branch. */
export interface SessionMove {
  reason: "new" | "switch" | "fork" | "clone" | "branch";
  /** The session's path for `switch`, the entry for `fork` and `branch`. */
  target?: string;
}

/** The events that extensions can change, with the results of their handlers. */
export interface HookEvents {
  /** A prompt that would start a run, before it is checked and stored. */
  before_prompt: {
    event: { type: "before_prompt"; text: string; images: readonly ImageContent[]; systemPrompt: string };
    /** `text` replaces the typed text; `systemPrompt` applies to this run; `refuse` is the reason why nothing is sent. */
    result: { text?: string; systemPrompt?: string; refuse?: string };
  };
  /** Before each model call, with the messages for the model. `messages` is a copy. */
  context: { event: { type: "context"; messages: AgentMessage[] }; result: { messages: AgentMessage[] } };
  /** A valid tool call, before its approval and its run. */
  tool_call: {
    event: { type: "tool_call"; toolCallId: string; toolName: string; args: Record<string, unknown> };
    /** `block` refuses the call, and the model gets the reason; `args` replace the model's and are checked again. */
    result: { block: true; reason?: string } | { args: Record<string, unknown> };
  };
  /** The result of a tool call, before the model gets it. */
  tool_result: {
    event: {
      type: "tool_result";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      content: (TextContent | ImageContent)[];
      details: unknown;
      /** Text for people that the tool has returned. The text of its `renderResult` comes later. */
      display?: ToolDisplay;
      isError: boolean;
    };
    /** Absent fields do not change. New content without a `display` removes the old one. */
    result: Partial<AgentToolResult> & { isError?: boolean };
  };
  /** Before a compaction. */
  before_compaction: {
    event: { type: "before_compaction" } & CompactionPreview;
    /** `cancel` cancels the compaction; `summary` is used instead of one of the model. */
    result: { cancel?: boolean; summary?: string };
  };
  /** Before the session moves. */
  session_switch: { event: { type: "session_switch" } & SessionMove; result: { cancel?: boolean } };
}

/** The events for extensions in addition to those of a session. */
export type Notice =
  /** The extension is loaded, or the session has moved. A handler can read stored data here. */
  | { type: "session_start"; reason: "start" | "reload" | SessionMove["reason"] }
  /** The session ends, or extensions are reloaded. The last event for an extension; its time limit is 3 seconds. */
  | { type: "shutdown"; reason: "end" | "reload" };

/** The events that extensions can only observe. */
type ObservedEvent = AgentEvent | SessionEvent | Notice;

// biome-ignore lint/suspicious/noConfusingVoidType: such a handler returns nothing
type Observed = { [T in ObservedEvent["type"]]: { event: Extract<ObservedEvent, { type: T }>; result: void } };

/** Every event that an extension can have a handler for. */
export type ExtensionEvents = HookEvents & Observed;
export type ExtensionEventName = keyof ExtensionEvents;
