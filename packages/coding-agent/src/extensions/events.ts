import type { AgentEvent, AgentMessage, AgentToolResult, ToolDisplay } from "@pikit/agent";
import type { ImageContent, Model, TextContent, ThinkingLevel } from "@pikit/ai";
import type { SessionEntry } from "../conversation/entries.ts";
import type { BashResult, StreamingBehavior } from "../protocol/data.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { CompactionPreview } from "../run/compaction/intercept.ts";
import type { SystemPromptOptions } from "./api-context.ts";
import type { CustomMessageInput } from "./api-messages.ts";
import type { FamilyEvents } from "./family/events.ts";

/** A move of a session: to an empty session, another one, a copy of this one, or another branch. */
export interface SessionMove {
  reason: "new" | "switch" | "fork" | "clone" | "branch";
  /** The session's path for `switch`, the entry for `fork`, `clone` and `branch`. */
  target?: string;
  /** Whether the branch that is left shall be summarised. */
  wantsSummary?: boolean;
}

/** Where a prompt comes from: a person at the terminal, a client, or an extension. */
export type InputSource = "interactive" | "rpc" | "extension";

/** Runs the command of a `user_bash` event elsewhere. */
export interface BashOperations {
  /**
   * @param options - `onData` gets the output as it arrives; `timeout` is in seconds.
   * @returns The exit code; null if the command was killed.
   */
  exec(
    command: string,
    cwd: string,
    options: { onData(data: Uint8Array): void; signal?: AbortSignal; timeout?: number; env?: NodeJS.ProcessEnv },
  ): Promise<{ exitCode: number | null }>;
}

/** The events that extensions can change, with the results of their handlers. */
export interface HookEvents {
  /** A prompt or a queued message of the user, before templates and skills are expanded. Not called for commands of extensions. */
  input: {
    event: {
      type: "input";
      text: string;
      images?: ImageContent[];
      source: InputSource;
      /** How it is queued; absent if it starts a run. */
      streamingBehavior?: StreamingBehavior;
    };
    /** `transform` replaces the text, and the images if given; `handled`: nothing is sent. */
    result: { action: "continue" } | { action: "transform"; text: string; images?: ImageContent[] } | { action: "handled" };
  };
  /** A prompt that would start a run, before it is checked and stored. */
  before_prompt: {
    event: {
      type: "before_prompt";
      text: string;
      images: readonly ImageContent[];
      systemPrompt: string;
      systemPromptOptions: SystemPromptOptions;
    };
    /**
     * `text` replaces the typed text; `systemPrompt` applies to this run; `message` is added after the prompt; `refuse` is the reason why nothing is
     * sent.
     */
    result: { text?: string; systemPrompt?: string; message?: CustomMessageInput; refuse?: string };
  };
  /** Before each model call, with the messages for the model. `messages` is a copy. */
  context: { event: { type: "context"; messages: AgentMessage[] }; result: { messages?: AgentMessage[] } };
  /** The body of a request to a provider. The result replaces it; undefined changes nothing. */
  before_provider_request: { event: { type: "before_provider_request"; payload: unknown }; result: object };
  /** The headers of a request to a provider. A handler changes them in place; null removes one. */
  before_provider_headers: {
    event: { type: "before_provider_headers"; headers: Record<string, string | null> };
    result: undefined;
  };
  /** A valid tool call, before its approval and its run. */
  tool_call: {
    event: {
      type: "tool_call";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      /** The same object as `args`. Changes in place apply to the call. */
      input: Record<string, unknown>;
    };
    /** `block` refuses the call, and the model gets the reason; `args` replace the model's and are checked again. */
    result: { block?: boolean; reason?: string; args?: Record<string, unknown> };
  };
  /** The result of a tool call, before the model gets it. */
  tool_result: {
    event: {
      type: "tool_result";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      /** The same object as `args`. */
      input: Record<string, unknown>;
      content: (TextContent | ImageContent)[];
      details: unknown;
      /** Text for people that the tool has returned. The text of its `renderResult` comes later. */
      display?: ToolDisplay;
      isError: boolean;
    };
    /** Absent fields do not change. New content without a `display` removes the old one. */
    result: Partial<AgentToolResult> & { isError?: boolean };
  };
  /**
   * The working folder has a `.pi` folder that is neither trusted nor refused. Only handlers of the user's extensions and of the command line are
   * called, in a copy of their own, before the session exists: their context has only `cwd`, `mode`, `hasUI` and `ui`.
   */
  project_trust: {
    event: { type: "project_trust"; cwd: string };
    /** `undecided` leaves the answer to the next handler, and at last to the user. `remember` keeps a yes. */
    result: { trusted: "yes" | "no" | "undecided"; remember?: boolean };
  };
  /** A shell command of the user. */
  user_bash: {
    event: { type: "user_bash"; command: string; excludeFromContext: boolean; cwd: string };
    /** `result` replaces the run of the command; `operations` runs it elsewhere. */
    result: { result?: UserBashResult; operations?: BashOperations };
  };
  /** A complete message of the model or of a tool, before it is stored. */
  message_end: {
    event: { type: "message_end"; message: AgentMessage };
    /** The message to use instead, with the same role. */
    result: { message?: AgentMessage };
  };
  /** Before a compaction. */
  before_compaction: {
    event: { type: "before_compaction" } & CompactionPreview;
    /** `cancel` cancels the compaction; `summary` is used instead of one of the model. */
    result: { cancel?: boolean; summary?: string };
  };
  /** Before the session moves. */
  session_switch: {
    event: { type: "session_switch" } & SessionMove;
    /** `summary` is used instead of one of the model, if the branch that is left shall be summarised. */
    result: { cancel?: boolean; summary?: { summary: string; details?: unknown } };
  };
  /** After `session_start`: the place to add skills, templates and themes. */
  resources_discover: {
    event: { type: "resources_discover"; cwd: string; reason: "startup" | "reload" };
    /** Paths of files or folders. */
    result: { skillPaths?: string[]; promptPaths?: string[]; themePaths?: string[] };
  };
}

/** The result of a command that an extension has run. */
export type UserBashResult = Partial<BashResult> & { output: string };

/** The events for extensions in addition to those of a session. */
export type Notice =
  /** The extension is loaded, or runs in another session. A handler can read stored data here. */
  | { type: "session_start"; reason: "startup" | "reload" | "new" | "resume" | "fork"; previousSessionFile?: string }
  /** The session ends or is left, or extensions are reloaded. The last event for an extension; its time limit is 3 seconds. */
  | { type: "session_shutdown"; reason: "quit" | "reload" | "new" | "resume" | "fork"; targetSessionFile?: string }
  /** The session has moved to another branch. */
  | {
      type: "session_tree";
      newLeafId: string | null;
      oldLeafId: string | null;
      summaryEntry?: SessionEntry;
      fromExtension?: boolean;
    }
  /** The model has changed. */
  | { type: "model_select"; model: Model; previousModel: Model | undefined; source: "set" | "cycle" | "restore" }
  /** The thinking level has changed. */
  | { type: "thinking_level_select"; level: ThinkingLevel; previousLevel: ThinkingLevel }
  /** A dialog of an extension waits for the user. */
  | {
      type: "ui_prompt_start" | "ui_prompt_end";
      reason: "ui_prompt";
      kind: "select" | "confirm" | "input" | "editor";
      title?: string;
    }
  /** The answer of a provider has begun. */
  | { type: "after_provider_response"; status: number; headers: Record<string, string> };

/** Fields of events that only extensions get. */
interface MoreFields {
  /** `turnIndex` counts from 0 in each run. */
  turn_start: { turnIndex: number; timestamp: number };
  turn_end: { turnIndex: number };
}

/** The events that extensions can only observe. */
type ObservedEvent = Exclude<AgentEvent | SessionEvent | Notice, { type: keyof HookEvents }>;

type FieldsOf<T> = T extends keyof MoreFields ? MoreFields[T] : unknown;

// biome-ignore lint/suspicious/noConfusingVoidType: such a handler returns nothing
type Observed = { [T in ObservedEvent["type"]]: { event: Extract<ObservedEvent, { type: T }> & FieldsOf<T>; result: void } };

/** Every event that an extension can have a handler for. */
export type ExtensionEvents = HookEvents & Observed & FamilyEvents;
export type ExtensionEventName = keyof ExtensionEvents;
