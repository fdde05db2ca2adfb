import { asExtension } from "./culprits.ts";
import type { ExtensionEventName } from "./events.ts";
import type { Extension } from "./extension.ts";
import { HandlerClock } from "./handler-clock.ts";
import { HandlerContext } from "./handler-context.ts";
import type { SessionAccess } from "./session-access.ts";

/** What a handler gave; `failure` says why it gave nothing. */
export type HandlerOutcome = { extension: Extension; value: unknown } | { extension: Extension; failure: string };

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds. Default: the runner's. */
  limitMs?: number;
}

/** Calls what extensions have given, so that nothing of it can stop the session: failures are told as `extension_error`. */
export class HandlerRunner {
  readonly #session: SessionAccess;
  readonly #limitMs: number;

  /** @param limitMs - How long a handler may take that is given no other limit. */
  constructor(session: SessionAccess, limitMs: number) {
    this.#session = session;
    this.#limitMs = limitMs;
  }

  /** Calls the handlers of an event one after another, as the results are read: each can see what came of those before. */
  async *call(
    extensions: readonly Extension[],
    name: ExtensionEventName,
    event: () => object,
    options?: CallOptions,
  ): AsyncGenerator<HandlerOutcome> {
    for (const extension of extensions) {
      for (const handler of extension.handlersOf(name)) {
        yield await this.run(extension, name, (context) => handler(event(), context), options);
      }
    }
  }

  /** Does one piece of an extension's work. */
  async run(
    extension: Extension,
    name: string,
    work: (context: HandlerContext) => unknown,
    { signal, limitMs = this.#limitMs }: CallOptions = {},
  ): Promise<HandlerOutcome> {
    const clock = new HandlerClock(limitMs);
    try {
      return {
        extension,
        value: await clock.limit(() => asExtension(extension, () => work(new HandlerContext(this.#session, clock))), signal),
      };
    } catch (error) {
      const failure = describe(error);
      await this.report(extension.path, name, failure);
      return { extension, failure };
    }
  }

  /** Tells that an extension has failed. */
  async report(extensionPath: string, event: string, error: string): Promise<void> {
    // A handler of errors that fails is not told of its own failure again.
    if (event !== "extension_error") await this.#session.emit({ type: "extension_error", extensionPath, event, error });
  }
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || "It failed without a message.";
}
