/** The parsed URL; undefined when `text` is not a URL. (Node 20 has no `URL.parse`.) */
export function tryParseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // not a URL
  }
}

/** The host name of a base URL in lower case, without a port; empty when `baseUrl` is not a URL. */
export function hostOf(baseUrl: string): string {
  return tryParseUrl(baseUrl)?.hostname.toLowerCase() ?? "";
}

/** Whether `host` is `domain` or a subdomain of it. */
export function isHostOf(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** Whether a host name means this machine. IPv6 addresses may be in brackets, as in URLs. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || /^127(?:\.\d{1,3}){3}$/.test(host) || /^\[?::1\]?$/.test(host);
}
