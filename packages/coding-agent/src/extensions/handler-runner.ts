import { asExtension } from "./culprits.ts";
import type { ExtensionEventName } from "./events.ts";
import type { Extension } from "./extension.ts";
import { HandlerClock } from "./handler-clock.ts";
import { type ContextParts, HandlerContext } from "./handler-context.ts";

/** The result of a handler, or the message of its failure. */
export type HandlerOutcome = { extension: Extension; value: unknown } | { extension: Extension; failure: string };

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds. Default: the runner's. */
  limitMs?: number;
}

/** Calls the code of extensions. Failures are emitted as `extension_error` and do not stop the session. */
export class HandlerRunner {
  readonly #parts: ContextParts;
  readonly #limitMs: number;

  /** @param limitMs - The default time limit of a handler. */
  constructor(parts: ContextParts, limitMs: number) {
    this.#parts = parts;
    this.#limitMs = limitMs;
  }

  /** Calls the handlers of an event one after another while the results are read, so that each event can contain the earlier results. */
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

  /** Calls one function of an extension. */
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
        value: await clock.limit(() => asExtension(extension, () => work(this.createContext(clock))), signal),
      };
    } catch (error) {
      const failure = describeFailure(error);
      await this.report(extension.path, name, failure);
      return { extension, failure };
    }
  }

  /** Creates the context of one call. */
  createContext(clock: HandlerClock): HandlerContext {
    return new HandlerContext(this.#parts, clock);
  }

  /** Emits an `extension_error`. */
  async report(extensionPath: string, event: string, error: string): Promise<void> {
    // A failure of an error handler is not reported, because the handler would be called again.
    if (event !== "extension_error") await this.#parts.session.emit({ type: "extension_error", extensionPath, event, error });
  }
}

/** The message of an error of an extension; never empty. */
export function describeFailure(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || "It failed without a message.";
}
