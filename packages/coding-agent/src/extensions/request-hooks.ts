import { type Callers, callHandlers, isHandled } from "./handler-results.ts";
import type { RequestHooks } from "./hooks.ts";

/** See `SessionHooks.requestHooks`. */
export function createRequestHooks(callers: Callers): RequestHooks {
  return {
    ...(isHandled(callers, "before_provider_request") && { onPayload: (payload) => changePayload(callers, payload) }),
    ...(isHandled(callers, "before_provider_headers") && { onHeaders: (headers) => changeHeaders(callers, headers) }),
    ...(isHandled(callers, "after_provider_response") && {
      onResponse: ({ status, headers }) => tellResponse(callers, status, headers),
    }),
  };
}

async function changePayload(callers: Callers, payload: unknown): Promise<unknown> {
  let current = payload;
  const event = () => ({ type: "before_provider_request" as const, payload: current });
  for await (const outcome of callHandlers(callers, "before_provider_request", event)) {
    if ("value" in outcome && outcome.value !== undefined) current = outcome.value;
  }
  return current;
}

async function changeHeaders(callers: Callers, headers: Headers): Promise<void> {
  const shown: Record<string, string | null> = Object.fromEntries(headers);
  const event = () => ({ type: "before_provider_headers" as const, headers: shown });
  for await (const _ of callHandlers(callers, "before_provider_headers", event));
  for (const name of [...headers.keys()]) if (!Object.keys(shown).some((kept) => kept.toLowerCase() === name)) headers.delete(name);
  for (const [name, value] of Object.entries(shown)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
}

async function tellResponse({ extensions, runner }: Callers, status: number, headers: Record<string, string>): Promise<void> {
  const event = { type: "after_provider_response", status, headers } as const;
  for await (const _ of runner.call(extensions, event.type, () => event));
}
