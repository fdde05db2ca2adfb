import type { Dispatcher } from "undici";
import { AiError } from "../errors.ts";
import { hostOf, isLoopback, tryParseUrl } from "../url.ts";

/** Most redirects that one request follows. */
const maxRedirects = 5;

/**
 * `fetch` as a model provider needs it:
 *
 * - without the 300 s after which the built-in one gives up on silent servers; a local model may read its prompt for longer;
 * - through the proxy that `HTTP_PROXY` and `HTTPS_PROXY` name, except for this machine and what `NO_PROXY` lists;
 * - only to the host that it was meant for: a redirect to another one would carry credentials there. (The built-in one takes
 *   `authorization` off then, but no header of the vendors' own.)
 *
 * @throws {AiError} `invalid_request` when the provider redirects elsewhere; the message has the address.
 */
export async function fetchFromProvider(url: string, init: RequestInit, provider: string): Promise<Response> {
  let address = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetchOnce(address, { ...init, redirect: "manual" });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    address = followRedirect(response.status, { from: address, location, isLast: redirects === maxRedirects, provider });
  }
}

/** The next address: on the same host, and only for the statuses that keep a POST what it is. */
function followRedirect(
  status: number,
  { from, location, isLast, provider }: { from: string; location: string; isLast: boolean; provider: string },
): string {
  const target = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isSafe = target?.origin === tryParseUrl(from)?.origin && (status === 307 || status === 308);
  if (target && isSafe && !isLast) return target.href;
  const where = target ? `${target.origin}${target.pathname}` : "an address that is none";
  const message = `${provider} redirects to ${where} with status ${status}, which is not followed. If it is right, make it the base URL.`;
  throw new AiError("invalid_request", message, { status });
}

async function fetchOnce(url: string, init: RequestInit): Promise<Response> {
  const settings = proxySettings();
  if (settings !== "" && !isLoopback(hostOf(url))) return (await loadProxyFetch(settings))(url, init);
  // A proxy of Node's own (NODE_USE_ENV_PROXY) or of the caller sits in the global dispatcher, and stays in use.
  return fetch(url, { ...init, dispatcher: patientDispatcher } as RequestInit);
}

const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * Hands each request to the dispatcher that `fetch` would use, without its time limits. Node 26 keeps that one under the second name
 * and a compatible wrapper under the first; older versions have only the first. Runtimes without either ignore `dispatcher`.
 */
const patientDispatcher = {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const globals = globalThis as Record<symbol, unknown>;
    const dispatcher = globals[Symbol.for("undici.globalDispatcher.2")] ?? globals[Symbol.for("undici.globalDispatcher.1")];
    return (dispatcher as Dispatcher).dispatch({ ...options, ...noTimeouts }, handler);
  },
};

/** The proxy variables as one text; empty when no proxy is named. */
function proxySettings(): string {
  const { env } = process;
  const proxies = [env.http_proxy ?? env.HTTP_PROXY ?? "", env.https_proxy ?? env.HTTPS_PROXY ?? ""];
  if (proxies.every((proxy) => proxy === "")) return "";
  return [...proxies, env.no_proxy ?? env.NO_PROXY ?? ""].join("\n");
}

let proxyFetch: { settings: string; fetch: typeof fetch } | undefined;

/** The proxy's dispatcher comes with a `fetch` of its own: the built-in one accepts only dispatchers of its own version. */
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
