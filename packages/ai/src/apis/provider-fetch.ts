import type { Dispatcher } from "undici";
import { AiError } from "../errors.ts";
import { hostOf, isLoopback, tryParseUrl } from "../url.ts";
import type { RequestContent } from "./request-content.ts";

/** Maximum number of redirects per request. */
const maxRedirects = 5;

/**
 * A `fetch` for model providers. It differs from the built-in one:
 *
 * - It has no timeout of 300 s for silent servers: a local model may take longer to read its prompt.
 * - It uses the proxy in `HTTP_PROXY` and `HTTPS_PROXY`, except for this machine and the hosts in `NO_PROXY`.
 * - It follows no redirect to another origin, because it would send credentials there. (The built-in one then removes `authorization`,
 *   but not the vendors' own headers.)
 *
 * @param content - Replaces the body of `init`. Default: that is sent.
 * @throws {AiError} `invalid_request` when the provider redirects elsewhere; the message has the address.
 */
export async function fetchFromProvider(
  url: string,
  init: RequestInit,
  provider: string,
  content?: RequestContent,
): Promise<Response> {
  let address = url;
  for (let redirects = 0; ; redirects += 1) {
    // A stream can be sent only once.
    const sent = content ? content.toInit(init) : init;
    const response = await fetchOnce(address, { ...sent, redirect: "manual" });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    address = followRedirect(response.status, { from: address, location, isLast: redirects === maxRedirects, provider });
  }
}

/** The next address. Only the same origin is allowed, and only the statuses that keep the method POST. */
function followRedirect(
  status: number,
  { from, location, isLast, provider }: { from: string; location: string; isLast: boolean; provider: string },
): string {
  const target = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isSafe = target?.origin === tryParseUrl(from)?.origin && (status === 307 || status === 308);
  if (target && isSafe && !isLast) return target.href;
  const where = target ? `${target.origin}${target.pathname}` : "an invalid address";
  const message = `${provider} redirects to ${where} with status ${status}; the redirect was not followed. If the address is correct, set it as the base URL.`;
  throw new AiError("invalid_request", message, { status });
}

async function fetchOnce(url: string, init: RequestInit): Promise<Response> {
  const settings = proxySettings();
  if (settings !== "" && !isLoopback(hostOf(url))) return (await loadProxyFetch(settings))(url, init);
  // The global dispatcher stays in use, because it may hold a proxy that Node (NODE_USE_ENV_PROXY) or the caller has set.
  return fetch(url, { ...init, dispatcher: patientDispatcher } as RequestInit);
}

const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * Passes each request to the dispatcher that `fetch` would use, but without timeouts. Node 26 has this dispatcher under the symbol ending
 * in 2 and a compatible wrapper under the one ending in 1; older versions have only 1. Runtimes without either ignore `dispatcher`.
 */
const patientDispatcher = {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const globals = globalThis as Record<symbol, unknown>;
    const dispatcher = globals[Symbol.for("undici.globalDispatcher.2")] ?? globals[Symbol.for("undici.globalDispatcher.1")];
    return (dispatcher as Dispatcher).dispatch({ ...options, ...noTimeouts }, handler);
  },
};

/** The proxy variables as one text; empty when no proxy is set. */
function proxySettings(): string {
  const { env } = process;
  const proxies = [env.http_proxy ?? env.HTTP_PROXY ?? "", env.https_proxy ?? env.HTTPS_PROXY ?? ""];
  if (proxies.every((proxy) => proxy === "")) return "";
  return [...proxies, env.no_proxy ?? env.NO_PROXY ?? ""].join("\n");
}

let proxyFetch: { settings: string; fetch: typeof fetch } | undefined;

/** Uses undici's `fetch` with undici's dispatcher: the built-in `fetch` accepts only dispatchers of its own version. */
async function loadProxyFetch(settings: string): Promise<typeof fetch> {
  // Bundled CommonJS has its exports under `default` only.
  const { EnvHttpProxyAgent, fetch: fetchWith } = (await import("undici")).default;
  if (proxyFetch?.settings !== settings) {
    const dispatcher = new EnvHttpProxyAgent(noTimeouts);
    const fetchThroughProxy = (url: string, init: object) => fetchWith(url, { ...init, dispatcher });
    proxyFetch = { settings, fetch: fetchThroughProxy as unknown as typeof fetch };
  }
  return proxyFetch.fetch;
}
