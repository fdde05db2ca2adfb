import type { NetConnectOpts } from "node:net";
import { join } from "node:path";

/** Where the server of an address listens: a socket file in the folder that `host` names, or a port. */
export function targetOf(address: string): NetConnectOpts {
  const url = new URL(address);
  const port = Number(url.port || 5432);
  const host = url.searchParams.get("host") ?? url.hostname;
  return host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}

/** The same database through a port of this machine. */
export function throughPort(address: string, port: number): string {
  const url = new URL(address);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.href;
}
