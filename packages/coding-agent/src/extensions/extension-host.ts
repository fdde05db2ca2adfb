import { resolve } from "node:path";
import type { AgentEvent, AgentMessage, PendingToolCall, ToolCallOutcome, ToolCallVerdict } from "@pikit/agent";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { BashResult } from "../protocol/data.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { BranchSummary } from "../run/compaction/branch-summary.ts";
import type { CompactionPreview, CompactionWish } from "../run/compaction/intercept.ts";
import { isOfCommand } from "./command-runs.ts";
import { forgetFailures } from "./culprits.ts";
import type { HookEvents, Notice, SessionMove } from "./events.ts";
import type { Extension } from "./extension.ts";
import { type Callers, callHandlers, isHandled, resultOf } from "./handler-results.ts";
import { HandlerRunner } from "./handler-runner.ts";
import type { PreparedPrompt, RequestHooks, SessionHooks, UserBashCall } from "./hooks.ts";
import { RegistryView } from "./model-registry-view.ts";
import { preparePrompt, receiveInput } from "./prompt-hooks.ts";
import { Registrations } from "./registrations.ts";
import { createRequestHooks } from "./request-hooks.ts";
import type { SessionAccess } from "./session-access.ts";
import { SessionReader } from "./session-reader.ts";
import type { SlashCommands } from "./slash-commands.ts";
import { changeToolResult, checkToolCall } from "./tool-hooks.ts";

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

/** The running extensions of a session. */
export class ExtensionHost implements SessionHooks {
  readonly #extensions: readonly Extension[];
  readonly #session: SessionAccess;
  readonly #runner: HandlerRunner;
  readonly #registrations: Registrations;
  readonly #callers: Callers;
  readonly #models: RegistryView;
  /** The messages whose `message_end` handlers were called. */
  readonly #finished = new WeakSet<AgentMessage>();
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
    this.#models = new RegistryView(() => session.registry);
    this.#runner = new HandlerRunner(
      {
        ...{ session, reader: this.#reader, models: this.#models },
        onAsking: (kind, title) => {
          const fields = { reason: "ui_prompt", kind, title } as const;
          void this.notify({ type: "ui_prompt_start", ...fields });
          return () => void this.notify({ type: "ui_prompt_end", ...fields });
        },
      },
      limitMs,
    );
    this.#callers = { extensions, session, runner: this.#runner };
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

  /** Reads the models that extensions use. Call it before they start. Never rejects. */
  async prepare(): Promise<void> {
    if (this.#extensions.some(({ usesModels }) => usesModels)) await this.#models.load();
  }

  /** Calls the start handlers of extensions, at their start or after a move of the session. */
  async start(reason: Extract<Notice, { type: "session_start" }>["reason"], previousSessionFile?: string | null): Promise<void> {
    await this.notify({ type: "session_start", reason, ...(previousSessionFile ? { previousSessionFile } : {}) });
    if (isHandled(this.#callers, "resources_discover")) await this.#discover(reason === "reload" ? reason : "startup");
    // For `getCommands` and `getSystemPrompt`, which do not wait. The first prompt reports a failure.
    if (this.#extensions.length > 0) void this.#session.readResources().catch(() => undefined);
  }

  /** Adds the skills and templates of extensions to the session. */
  async #discover(reason: "startup" | "reload"): Promise<void> {
    const skills: string[] = [];
    const templates: string[] = [];
    const event = () => ({ type: "resources_discover" as const, cwd: this.#session.cwd, reason });
    for await (const outcome of callHandlers(this.#callers, "resources_discover", event)) {
      const { skillPaths, promptPaths, themePaths } = resultOf<"resources_discover">(outcome);
      const toPaths = (paths: unknown) =>
        Array.isArray(paths) ? paths.map((path) => resolve(this.#session.cwd, String(path))) : [];
      skills.push(...toPaths(skillPaths));
      templates.push(...toPaths(promptPaths));
      this.#session.user.terminal?.addThemes(toPaths(themePaths));
    }
    if (skills.length + templates.length > 0) this.#session.addResources({ skills, templates });
  }

  async moved({ reason }: SessionMove): Promise<void> {
    const { leafId, file } = this.#move;
    if (reason === "branch") {
      const leaf = this.#reader.getLeafEntry();
      const summary = leaf?.type === "branch_summary" ? { summaryEntry: leaf, fromExtension: leaf.fromHook === true } : {};
      await this.notify({ type: "session_tree", newLeafId: this.#reader.getLeafId(), oldLeafId: leafId, ...summary });
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
    if (isOfCommand(event)) return;
    if (this.#isClosed || !isHandled(this.#callers, event.type)) return;
    if (event.type === "message_end" && this.#finished.has(event.message)) return;
    const told = this.notify(this.#withFields(event));
    // Not awaited for frequent events.
    return event.type === "message_update" || event.type === "tool_execution_update" ? undefined : told;
  }

  async beforeRun(): Promise<void> {
    forgetFailures(this.#extensions);
    const problems = this.#problems;
    this.#problems = [];
    for (const { path, error } of problems) await this.#runner.report(path, "load", error);
  }

  input(...received: Parameters<NonNullable<SessionHooks["input"]>>): Promise<PromptInput | undefined> {
    return receiveInput(this.#callers, ...received);
  }

  beforePrompt(...given: Parameters<NonNullable<SessionHooks["beforePrompt"]>>): Promise<PreparedPrompt | { refuse: string }> {
    return preparePrompt(this.#callers, ...given);
  }

  async context(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
    if (!isHandled(this.#callers, "context")) return messages;
    let seen = messages;
    const event = (): HookEvents["context"]["event"] => ({ type: "context", messages: structuredClone([...seen]) });
    for await (const outcome of callHandlers(this.#callers, "context", event)) {
      const { messages: changed } = resultOf<"context">(outcome);
      if (Array.isArray(changed)) seen = changed;
    }
    return seen;
  }

  async toolCall(call: PendingToolCall, signal: AbortSignal): Promise<ToolCallVerdict | undefined> {
    return isHandled(this.#callers, "tool_call") ? checkToolCall(this.#callers, call, signal) : undefined;
  }

  async toolResult(call: PendingToolCall, outcome: ToolCallOutcome, signal: AbortSignal): Promise<ToolCallOutcome | undefined> {
    return isHandled(this.#callers, "tool_result") ? changeToolResult(this.#callers, call, outcome, signal) : undefined;
  }

  requestHooks(): RequestHooks {
    return createRequestHooks(this.#callers);
  }

  async userBash(call: UserBashCall): Promise<BashResult | undefined> {
    if (!isHandled(this.#callers, "user_bash")) return undefined;
    return (await import("./user-bash.ts")).offerUserBash(this.#callers, call);
  }

  finishMessage(message: AgentMessage): void | Promise<void> {
    // The other messages are stored already.
    const isNew = message.role === "assistant" || message.role === "toolResult";
    return isNew && isHandled(this.#callers, "message_end") ? this.#finish(message) : undefined;
  }

  async #finish(message: AgentMessage): Promise<void> {
    this.#finished.add(message);
    const event = () => ({ type: "message_end" as const, message });
    for await (const outcome of callHandlers(this.#callers, "message_end", event)) {
      const { message: changed } = resultOf<"message_end">(outcome);
      if (changed !== undefined && changed.role === message.role) Object.assign(message, changed);
    }
  }

  async beforeCompaction(preview: CompactionPreview, signal: AbortSignal): Promise<CompactionWish | undefined> {
    let wish: CompactionWish | undefined;
    const event = (): HookEvents["before_compaction"]["event"] => ({ type: "before_compaction", ...preview });
    for await (const outcome of callHandlers(this.#callers, "before_compaction", event, { signal })) {
      const { cancel, summary, details } = resultOf<"before_compaction">(outcome) as {
        cancel?: boolean;
        summary?: string;
        details?: unknown;
      };
      if (cancel === true) return { cancel };
      if (typeof summary === "string" && summary.trim() !== "") wish = { summary, ...(details === undefined ? {} : { details }) };
    }
    return wish;
  }

  async mayMove(move: SessionMove): Promise<boolean | BranchSummary> {
    this.#move = { ...move, leafId: this.#reader.getLeafId(), file: this.#session.sessionFile };
    let made: BranchSummary | undefined;
    const event = (): HookEvents["session_switch"]["event"] => ({ type: "session_switch", ...move });
    for await (const outcome of callHandlers(this.#callers, "session_switch", event)) {
      const { cancel, summary } = resultOf<"session_switch">(outcome);
      if (cancel === true) return false;
      if (typeof summary?.summary === "string") made = { ...summary, fromHook: true };
    }
    return made ?? true;
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

  async notify(event: AgentEvent | SessionEvent | Notice): Promise<void> {
    for await (const _ of this.#runner.call(this.#extensions, event.type, () => event));
  }
}

const moveReasons = { new: "new", switch: "resume", fork: "fork", clone: "fork" } as const;
