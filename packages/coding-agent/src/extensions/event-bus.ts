import type { EventBus } from "./api.ts";

type Handler = (data: unknown) => unknown;

/**
 * Creates the event bus of a session's extensions.
 *
 * @param report - Called with the error of a handler. The other handlers are still called.
 */
export function createEventBus(report: (channel: string, error: unknown) => void): EventBus {
  const handlers = new Map<string, readonly Handler[]>();
  const handlersOf = (channel: string) => handlers.get(channel) ?? [];
  return {
    emit(channel, data) {
      for (const handler of handlersOf(channel)) {
        // Asynchronous handlers fail later.
        void (async () => handler(data))().catch((error: unknown) => report(channel, error));
      }
    },
    on(channel, handler) {
      const added: Handler = (data) => (handler as Handler)(data);
      handlers.set(channel, [...handlersOf(channel), added]);
      return () => {
        const left = handlersOf(channel).filter((each) => each !== added);
        if (left.length > 0) handlers.set(channel, left);
        else handlers.delete(channel);
      };
    },
  };
}
