import type { AgentMessage } from "@pikit/agent";
import type { Model } from "@pikit/ai";
import type { CommandContext, ExtensionUi } from "./api.ts";
import { createExtensionUi } from "./extension-ui.ts";
import type { HandlerClock } from "./handler-clock.ts";
import type { SessionAccess } from "./session-access.ts";

/** The context of one call of a handler. Created for each event, so it does no work until it is used. */
export class HandlerContext implements CommandContext {
  readonly #session: SessionAccess;
  readonly #clock: HandlerClock;
  #ui: ExtensionUi | undefined;

  constructor(session: SessionAccess, clock: HandlerClock) {
    this.#session = session;
    this.#clock = clock;
  }

  get ui(): ExtensionUi {
    this.#ui ??= createExtensionUi(this.#session.user, this.#clock);
    return this.#ui;
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

  get isIdle(): boolean {
    return !this.#session.isStreaming;
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
    return (instructions) => this.#session.compact(instructions);
  }

  get newSession(): CommandContext["newSession"] {
    return () => this.#session.newSession();
  }

  get switchSession(): CommandContext["switchSession"] {
    return (path) => this.#session.switchSession(path);
  }
}
