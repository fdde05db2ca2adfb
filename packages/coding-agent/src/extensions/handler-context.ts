import type { AgentMessage } from "@pikit/agent";
import type { Model, ThinkingLevel } from "@pikit/ai";
import { canConfirm } from "../user-interface.ts";
import type { CommandContext, ExtensionMode, MoveOptions, MoveResult, ReplacedSessionContext } from "./api-context.ts";
import type { ExtensionUi } from "./api-ui.ts";
import { type AskingListener, createExtensionUi } from "./extension-ui.ts";
import type { HandlerClock } from "./handler-clock.ts";
import type { ModelRegistryView } from "./model-registry-view.ts";
import { sendMessage, sendUserMessage } from "./send.ts";
import type { SessionAccess } from "./session-access.ts";
import type { SessionReader } from "./session-reader.ts";

/** The parts of all contexts of a session. */
export interface ContextParts {
  session: SessionAccess;
  reader: SessionReader;
  models: ModelRegistryView;
  onAsking: AskingListener;
}

/** The context of one call of a handler. Created for each event, so it does no work until it is used. */
export class HandlerContext implements CommandContext {
  readonly #parts: ContextParts;
  readonly #clock: HandlerClock;
  #ui: ExtensionUi | undefined;

  constructor(parts: ContextParts, clock: HandlerClock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  get #session(): SessionAccess {
    return this.#parts.session;
  }

  get ui(): ExtensionUi {
    this.#ui ??= createExtensionUi(this.#session.user, this.#clock, this.#parts.onAsking);
    return this.#ui;
  }

  get mode(): ExtensionMode {
    return this.#session.mode;
  }

  get hasUI(): boolean {
    return canConfirm(this.#session.user);
  }

  get cwd(): string {
    return this.#session.cwd;
  }

  get signal(): AbortSignal {
    return this.#clock.signal;
  }

  get model(): Model | undefined {
    return this.#session.model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#session.thinkingLevel;
  }

  get scopedModels(): CommandContext["scopedModels"] {
    return this.#session.scopedModels;
  }

  get modelRegistry(): ModelRegistryView {
    return this.#parts.models;
  }

  get sessionManager(): SessionReader {
    return this.#parts.reader;
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  get sessionFile(): string | null {
    return this.#session.sessionFile;
  }

  get messages(): readonly AgentMessage[] {
    return this.#session.messages;
  }

  // Getters, so that handlers can destructure the context.

  get lastEntry(): CommandContext["lastEntry"] {
    return (customType) => this.#session.lastEntry(customType);
  }

  get isIdle(): CommandContext["isIdle"] {
    return () => !this.#session.isStreaming;
  }

  get hasPendingMessages(): CommandContext["hasPendingMessages"] {
    return () => this.#session.hasQueued;
  }

  get isProjectTrusted(): CommandContext["isProjectTrusted"] {
    return () => this.#session.isTrusted;
  }

  get getContextUsage(): CommandContext["getContextUsage"] {
    return () => this.#session.contextUsage;
  }

  get getSystemPrompt(): CommandContext["getSystemPrompt"] {
    return () => this.#session.systemPrompt;
  }

  get getSystemPromptOptions(): CommandContext["getSystemPromptOptions"] {
    return () => this.#session.systemPromptOptions;
  }

  get abort(): CommandContext["abort"] {
    return () => this.#session.abort();
  }

  get shutdown(): CommandContext["shutdown"] {
    return () => this.#session.shutdown();
  }

  get waitForIdle(): CommandContext["waitForIdle"] {
    return () => this.#session.waitForIdle();
  }

  get compact(): CommandContext["compact"] {
    return ({ customInstructions, onComplete, onError } = {}) => {
      const work = async () => {
        try {
          const result = await this.#session.compact(customInstructions);
          onComplete?.(result);
          return result;
        } catch (error) {
          if (!onError) throw error;
          onError(error instanceof Error ? error : new Error(String(error)));
          return undefined;
        }
      };
      const compaction = work();
      compaction.catch(() => {}); // most callers do not wait for it
      return compaction;
    };
  }

  get newSession(): CommandContext["newSession"] {
    return ({ parentSession, setup, ...options } = {}) =>
      this.#move(
        this.#session.newSession({ ...(parentSession === undefined ? {} : { parentSession }), ...(setup ? { setup } : {}) }),
        options,
      );
  }

  get switchSession(): CommandContext["switchSession"] {
    return (path, options = {}) => this.#move(this.#session.switchSession(path), options);
  }

  get fork(): CommandContext["fork"] {
    return (entryId, { position = "before", ...options } = {}) => this.#move(this.#session.fork(entryId, position), options);
  }

  get navigateTree(): CommandContext["navigateTree"] {
    return (targetId, options = {}) => this.#move(this.#session.navigate(targetId, options), {});
  }

  get reload(): CommandContext["reload"] {
    return () => this.#session.reload();
  }

  async #move(move: Promise<boolean>, { withSession }: MoveOptions): Promise<MoveResult> {
    if (!(await move)) return { cancelled: true };
    await withSession?.(new MovedContext(this.#parts, this.#clock));
    return { cancelled: false };
  }
}

/** The context after a move of the session. */
class MovedContext extends HandlerContext implements ReplacedSessionContext {
  readonly #session: SessionAccess;

  constructor(parts: ContextParts, clock: HandlerClock) {
    super(parts, clock);
    this.#session = parts.session;
  }

  get sendMessage(): ReplacedSessionContext["sendMessage"] {
    return (message, options) => sendMessage(this.#session, message, options);
  }

  get sendUserMessage(): ReplacedSessionContext["sendUserMessage"] {
    return (content, options) => sendUserMessage(this.#session, content, options);
  }
}
