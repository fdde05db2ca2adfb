import type { ExtensionEventName, HookEvents } from "./events.ts";
import type { Extension } from "./extension.ts";
import type { CallOptions, HandlerOutcome, HandlerRunner } from "./handler-runner.ts";
import type { SessionAccess } from "./session-access.ts";

/** The parts that call the handlers of a session. */
export interface Callers {
  extensions: readonly Extension[];
  runner: HandlerRunner;
  session: SessionAccess;
}

type Result<N extends keyof HookEvents> = Partial<HookEvents[N]["result"]>;

/** Whether an extension has a handler for an event. */
export function isHandled({ extensions }: Callers, name: ExtensionEventName): boolean {
  return extensions.some((extension) => extension.handlersOf(name).length > 0);
}

/** Calls the handlers of an event one after another, see `HandlerRunner.call`. */
export function callHandlers<N extends keyof HookEvents>(
  { extensions, runner }: Callers,
  name: N,
  event: () => HookEvents[N]["event"],
  options?: CallOptions,
): AsyncGenerator<HandlerOutcome> {
  return runner.call(extensions, name, event, options);
}

/** The result of a handler; an empty object if it is not an object. Handlers in plain JavaScript may return anything. */
export function resultOf<N extends keyof HookEvents>(outcome: HandlerOutcome): Result<N> {
  const { value } = outcome as { value?: unknown };
  return typeof value === "object" && value !== null ? (value as Result<N>) : {};
}
