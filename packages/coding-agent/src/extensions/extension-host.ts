import { isDeepStrictEqual } from "node:util";
import type { AgentEvent, AgentMessage, PendingToolCall, ToolCallOutcome, ToolCallVerdict } from "@pikit/agent";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { StreamingBehavior } from "../protocol/data.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { CompactionPreview, CompactionWish } from "../run/compaction/intercept.ts";
import type { CustomMessageInput } from "./api-messages.ts";
import { forgetFailures } from "./culprits.ts";
import type { HookEvents, InputSource, Notice, SessionMove } from "./events.ts";
import type { Extension } from "./extension.ts";
import { HandlerRunner } from "./handler-runner.ts";
import type { PreparedPrompt, SessionHooks } from "./hooks.ts";
import { RegistryView } from "./model-registry-view.ts";
import { Registrations } from "./registrations.ts";
import type { SessionAccess } from "./session-access.ts";
import { SessionReader } from "./session-reader.ts";
import type { SlashCommands } from "./slash-commands.ts";

/** The time limit of `shutdown` handlers, in milliseconds. */
const shutdownLimitMs = 3000;

export interface ExtensionHostOptions {
  extensions: readonly Extension[];
  session: SessionAccess;
  commands: SlashCommands;
  /** The time limit of a handler, in milliseconds. Waiting for the user does not count. */
  limitMs: number;
  /** The extensions that were not loaded. They are reported with the first run. */
  problems: readonly { path: string; error: string }[];
  /** Ends the running commands, also those of former hosts of the session. */
  commandsEnd: CommandsEnd;
  /** Creates the extensions again for another session, and starts them. */
  restart(reason: "new" | "resume" | "fork", previousSessionFile: string | null): Promise<void>;
}

/** The signal that aborts running commands. */
export class CommandsEnd {
  #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the running commands. Later ones get a new signal. */
  abort(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}

type Result<N extends keyof HookEvents> = HookEvents[N]["result"];

/** The running extensions of a session. */
export class ExtensionHost implements SessionHooks {
  readonly #extensions: readonly Extension[];
  readonly #session: SessionAccess;
  readonly #runner: HandlerRunner;
  readonly #registrations: Registrations;
  #problems: ExtensionHostOptions["problems"];
  readonly #commandsEnd: CommandsEnd;
  readonly #restart: ExtensionHostOptions["restart"];
  #isClosed = false;
  /** The number of turns of the current run that have started. */
  #turns = 0;
  /** The last move, and the place of the session before it. */
  #move: SessionMove & { leafId: string | null; file: string | null } = { reason: "new", leafId: null, file: null };
  readonly #reader: SessionReader;

  constructor({ extensions, session, commands, limitMs, problems, commandsEnd, restart }: ExtensionHostOptions) {
    this.#extensions = extensions;
    this.#commandsEnd = commandsEnd;
    this.#restart = restart;
    this.#session = session;
    this.#reader = new SessionReader(() => session.conversation);
    this.#runner = new HandlerRunner({ session, reader: this.#reader, models: new RegistryView(() => session.registry) }, limitMs);
    this.#registrations = new Registrations({
      extensions,
      session,
      commands,
      runner: this.#runner,
      signal: () => this.#commandsEnd.signal,
    });
    this.#problems = problems;
  }

  /** Applies the registrations of extensions. Call it at the start, and after each later registration. */
  install(): Promise<void> {
    return this.#registrations.install();
  }

  /** Calls the start handlers of extensions, at their start or after a move of the session. */
  start(reason: Extract<Notice, { type: "session_start" }>["reason"], previousSessionFile?: string | null): Promise<void> {
    return this.#notify({ type: "session_start", reason, ...(previousSessionFile ? { previousSessionFile } : {}) });
  }

  async moved({ reason }: SessionMove): Promise<void> {
    const { leafId, file } = this.#move;
    if (reason === "branch") {
      await this.#notify({ type: "session_tree", newLeafId: this.#reader.getLeafId(), oldLeafId: leafId });
      return;
    }
    await this.leave();
    await this.#restart(moveReasons[reason], file);
  }

  async leave(): Promise<void> {
    const { reason, target } = this.#move;
    if (reason === "branch") return;
    const goal = reason === "switch" && target !== undefined ? { targetSessionFile: target } : {};
    await this.#end({ type: "session_shutdown", reason: moveReasons[reason], ...goal });
  }

  async stayed(): Promise<void> {
    if (this.#isClosed) await this.#restart("resume", this.#move.file);
  }

  observe(event: AgentEvent | SessionEvent): void | Promise<void> {
    if (this.#isClosed || !this.#extensions.some((extension) => extension.handlersOf(event.type).length > 0)) return;
    const told = this.#notify(this.#withFields(event));
    // Not awaited for frequent events.
    return event.type === "message_update" || event.type === "tool_execution_update" ? undefined : told;
  }

  async beforeRun(): Promise<void> {
    forgetFailures(this.#extensions);
    const problems = this.#problems;
    this.#problems = [];
    for (const { path, error } of problems) await this.#runner.report(path, "load", error);
  }

  async input(
    input: PromptInput,
    { source, behavior }: { source: InputSource; behavior: StreamingBehavior | undefined },
  ): Promise<PromptInput | undefined> {
    let received = input;
    const event = (): HookEvents["input"]["event"] => ({
      ...{ type: "input", text: received.text, source },
      ...(received.images?.length ? { images: [...received.images] } : {}),
      ...(behavior === undefined ? {} : { streamingBehavior: behavior }),
    });
    for await (const outcome of this.#runner.call(this.#extensions, "input", event)) {
      const result = resultOf<"input">(outcome);
      if (result.action === "handled") return undefined;
      if (result.action !== "transform") continue;
      const { text = received.text, images = received.images } = result;
      received = { ...received, text, images };
    }
    return received;
  }

  async beforePrompt(
    input: PromptInput,
    systemPrompt: () => string,
    signal?: AbortSignal,
  ): Promise<PreparedPrompt | { refuse: string }> {
    const prepared: PreparedPrompt = { input };
    const event = (): HookEvents["before_prompt"]["event"] => ({
      type: "before_prompt",
      text: prepared.input.text,
      images: input.images ?? [],
      systemPrompt: prepared.systemPrompt ?? systemPrompt(),
      systemPromptOptions: this.#session.systemPromptOptions,
    });
    for await (const outcome of this.#runner.call(this.#extensions, "before_prompt", event, { signal })) {
      const { text, systemPrompt: changed, refuse, message } = resultOf<"before_prompt">(outcome);
      if (typeof refuse === "string") return { refuse };
      if (typeof text === "string") prepared.input = { ...prepared.input, text };
      if (typeof changed === "string") prepared.systemPrompt = changed;
      if (message !== undefined) prepared.messages = [...(prepared.messages ?? []), toCustomMessage(message)];
    }
    return prepared;
  }

  async context(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
    if (!this.#extensions.some((extension) => extension.handlersOf("context").length > 0)) return messages;
    let seen = messages;
    const event = (): HookEvents["context"]["event"] => ({ type: "context", messages: structuredClone([...seen]) });
    for await (const outcome of this.#runner.call(this.#extensions, "context", event)) {
      const { messages: changed } = resultOf<"context">(outcome);
      if (Array.isArray(changed)) seen = changed;
    }
    return seen;
  }

  /** If a handler fails, the call is refused, because the handler might have blocked it. The run continues. */
  async toolCall({ toolCall, params }: PendingToolCall, signal: AbortSignal): Promise<ToolCallVerdict | undefined> {
    let verdict: { params: unknown } | undefined;
    let shown: HookEvents["tool_call"]["event"] | undefined;
    const event = (): HookEvents["tool_call"]["event"] => {
      const input = structuredClone((verdict ?? { params }).params) as Record<string, unknown>;
      shown = { type: "tool_call", toolCallId: toolCall.id, toolName: toolCall.name, args: input, input };
      return shown;
    };
    for await (const outcome of this.#runner.call(this.#extensions, "tool_call", event, { signal })) {
      if ("failure" in outcome) {
        return { refuse: `Not run: the extension ${outcome.extension.path} checks calls and failed: ${outcome.failure}` };
      }
      const { block, reason, args } = resultOf<"tool_call">(outcome);
      if (block === true) return { refuse: reason || "Not run: an extension has blocked this call." };
      const changed = typeof args === "object" && args !== null ? args : changedInPlace(shown, (verdict ?? { params }).params);
      if (changed !== undefined) verdict = { params: structuredClone(changed) };
    }
    return verdict;
  }

  async toolResult(
    { toolCall, params }: PendingToolCall,
    outcome: ToolCallOutcome,
    signal: AbortSignal,
  ): Promise<ToolCallOutcome | undefined> {
    let { result, isError } = outcome;
    const event = (): HookEvents["tool_result"]["event"] => ({
      type: "tool_result",
      toolCallId: toolCall.id,
      toolName: toolCall.name,
      args: params as Record<string, unknown>,
      input: params as Record<string, unknown>,
      ...result,
      isError,
    });
    for await (const handled of this.#runner.call(this.#extensions, "tool_result", event, { signal })) {
      const changed = resultOf<"tool_result">(handled);
      // Text for people that was made of other content would show what the handler may have removed.
      if (Array.isArray(changed.content)) result = { content: changed.content, details: result.details };
      if (changed.display !== undefined) result = { ...result, display: changed.display };
      if (changed.details !== undefined) result = { ...result, details: changed.details };
      if (typeof changed.isError === "boolean") isError = changed.isError;
    }
    return { result, isError };
  }

  async beforeCompaction(preview: CompactionPreview, signal: AbortSignal): Promise<CompactionWish | undefined> {
    let wish: CompactionWish | undefined;
    const event = (): HookEvents["before_compaction"]["event"] => ({ type: "before_compaction", ...preview });
    for await (const outcome of this.#runner.call(this.#extensions, "before_compaction", event, { signal })) {
      const { cancel, summary, details } = resultOf<"before_compaction">(outcome) as Result<"before_compaction"> & {
        details?: unknown;
      };
      if (cancel === true) return { cancel };
      if (typeof summary === "string" && summary.trim() !== "") wish = { summary, ...(details === undefined ? {} : { details }) };
    }
    return wish;
  }

  async mayMove(move: SessionMove): Promise<boolean> {
    this.#move = { ...move, leafId: this.#reader.getLeafId(), file: this.#session.sessionFile };
    const event = (): HookEvents["session_switch"]["event"] => ({ type: "session_switch", ...move });
    for await (const outcome of this.#runner.call(this.#extensions, "session_switch", event)) {
      if (resultOf<"session_switch">(outcome).cancel === true) return false;
    }
    return true;
  }

  abort(): void {
    this.#commandsEnd.abort();
  }

  /** Safe to call twice. */
  async shutdown(reason: "quit" | "reload" = "quit"): Promise<void> {
    if (this.#isClosed) return;
    // A command that reloads continues.
    if (reason === "quit") this.abort();
    await this.#end({ type: "session_shutdown", reason });
  }

  /** Calls the last handlers of the extensions, once. */
  async #end(event: Extract<Notice, { type: "session_shutdown" }>): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all(
      this.#extensions.map(async (extension) => {
        for await (const _ of this.#runner.call([extension], event.type, () => event, { limitMs: shutdownLimitMs }));
      }),
    );
    // The components of the ended extensions would draw old data.
    if (event.reason !== "quit") this.#session.user.terminal?.reset();
  }

  /** Adds the fields that only extensions get. */
  #withFields(event: AgentEvent | SessionEvent): AgentEvent | SessionEvent {
    if (event.type === "agent_start") this.#turns = 0;
    if (event.type === "turn_start") {
      this.#turns += 1;
      return { ...event, ...{ turnIndex: this.#turns - 1, timestamp: Date.now() } };
    }
    return event.type === "turn_end" ? { ...event, ...{ turnIndex: Math.max(0, this.#turns - 1) } } : event;
  }

  async #notify(event: AgentEvent | SessionEvent | Notice): Promise<void> {
    for await (const _ of this.#runner.call(this.#extensions, event.type, () => event));
  }
}

/** The result of a handler; an empty object if it is not an object. Handlers in plain JavaScript may return anything. */
function resultOf<N extends keyof HookEvents>(outcome: object): Partial<Result<N>> {
  const { value } = outcome as { value?: unknown };
  return typeof value === "object" && value !== null ? (value as Partial<Result<N>>) : {};
}

const moveReasons = { new: "new", switch: "resume", fork: "fork", clone: "fork" } as const;

/** The arguments of a call that a handler has changed in place, or replaced in its event; undefined if they are the same. */
function changedInPlace(shown: HookEvents["tool_call"]["event"] | undefined, before: unknown): object | undefined {
  if (!shown) return undefined;
  const { args, input } = shown;
  for (const each of [input, args]) {
    if (typeof each === "object" && each !== null && !isDeepStrictEqual(each, before)) return each;
  }
  return undefined;
}

function toCustomMessage({ customType, content, display = true, details }: CustomMessageInput): CustomMessage {
  return { role: "custom", customType, content, display, ...(details === undefined ? {} : { details }), timestamp: Date.now() };
}
