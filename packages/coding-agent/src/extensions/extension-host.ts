import type { AgentEvent, AgentMessage, PendingToolCall, ToolCallOutcome, ToolCallVerdict } from "@pikit/agent";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { CompactionPreview, CompactionWish } from "../run/compaction/intercept.ts";
import { forgetFailures } from "./culprits.ts";
import type { HookEvents, Notice, SessionMove } from "./events.ts";
import type { Extension } from "./extension.ts";
import { HandlerRunner } from "./handler-runner.ts";
import type { PreparedPrompt, SessionHooks } from "./hooks.ts";
import { Registrations } from "./registrations.ts";
import type { SessionAccess } from "./session-access.ts";
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
}

type Result<N extends keyof HookEvents> = HookEvents[N]["result"];

/** The running extensions of a session. */
export class ExtensionHost implements SessionHooks {
  readonly #extensions: readonly Extension[];
  readonly #runner: HandlerRunner;
  readonly #registrations: Registrations;
  #problems: ExtensionHostOptions["problems"];
  /** Aborts the running commands. */
  #commandsEnd = new AbortController();
  #isClosed = false;

  constructor({ extensions, session, commands, limitMs, problems }: ExtensionHostOptions) {
    this.#extensions = extensions;
    this.#runner = new HandlerRunner(session, limitMs);
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
  start(reason: Extract<Notice, { type: "session_start" }>["reason"]): Promise<void> {
    return this.#notify({ type: "session_start", reason });
  }

  moved(reason: SessionMove["reason"]): Promise<void> {
    return this.start(reason);
  }

  observe(event: AgentEvent | SessionEvent): void | Promise<void> {
    if (this.#isClosed || !this.#extensions.some((extension) => extension.handlersOf(event.type).length > 0)) return;
    const told = this.#notify(event);
    // Not awaited for frequent events.
    return event.type === "message_update" || event.type === "tool_execution_update" ? undefined : told;
  }

  async beforeRun(): Promise<void> {
    forgetFailures(this.#extensions);
    const problems = this.#problems;
    this.#problems = [];
    for (const { path, error } of problems) await this.#runner.report(path, "load", error);
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
    });
    for await (const outcome of this.#runner.call(this.#extensions, "before_prompt", event, { signal })) {
      const { text, systemPrompt: changed, refuse } = resultOf<"before_prompt">(outcome);
      if (typeof refuse === "string") return { refuse };
      if (typeof text === "string") prepared.input = { ...prepared.input, text };
      if (typeof changed === "string") prepared.systemPrompt = changed;
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
    const event = (): HookEvents["tool_call"]["event"] => ({
      type: "tool_call",
      toolCallId: toolCall.id,
      toolName: toolCall.name,
      args: structuredClone((verdict ?? { params }).params) as Record<string, unknown>,
    });
    for await (const outcome of this.#runner.call(this.#extensions, "tool_call", event, { signal })) {
      if ("failure" in outcome) {
        return { refuse: `Not run: the extension ${outcome.extension.path} checks calls and failed: ${outcome.failure}` };
      }
      const { block, reason, args } = resultOf<"tool_call">(outcome) as { block?: unknown; reason?: string; args?: object };
      if (block === true) return { refuse: reason || "Not run: an extension has blocked this call." };
      if (typeof args === "object" && args !== null) verdict = { params: structuredClone(args) };
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
      const { cancel, summary } = resultOf<"before_compaction">(outcome);
      if (cancel === true) return { cancel };
      if (typeof summary === "string" && summary.trim() !== "") wish = { summary };
    }
    return wish;
  }

  async mayMove(move: SessionMove): Promise<boolean> {
    const event = (): HookEvents["session_switch"]["event"] => ({ type: "session_switch", ...move });
    for await (const outcome of this.#runner.call(this.#extensions, "session_switch", event)) {
      if (resultOf<"session_switch">(outcome).cancel === true) return false;
    }
    return true;
  }

  abort(): void {
    this.#commandsEnd.abort();
    this.#commandsEnd = new AbortController();
  }

  /** Safe to call twice. */
  async shutdown(reason: "end" | "reload" = "end"): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.abort();
    await Promise.all(
      this.#extensions.map(async (extension) => {
        const event = (): Notice => ({ type: "shutdown", reason });
        for await (const _ of this.#runner.call([extension], "shutdown", event, { limitMs: shutdownLimitMs }));
      }),
    );
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
