import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../../errors.ts";
import { inHeader, isWildcard } from "./http/access.ts";
import { createHttpServer } from "./http/http-server.ts";
import { readAddress } from "./http/server-address.ts";
import type { ServeOptions } from "./serve-options.ts";
import { ServerState } from "./server-state.ts";
import { openRoots } from "./sessions/open-roots.ts";

/** A server that listens. */
export interface RunningServer {
  /** The address for clients on this machine, such as `http://127.0.0.1:4711`. */
  url: string;
  /** Loads the modules for the first requests. Call it when the start is over. Never rejects. */
  warmUp(): Promise<void>;
  /**
   * Takes no new work, waits for active runs, at most for the grace period, stores and closes everything, and closes the server. Meanwhile
   * the server answers that it is ending.
   */
  close(): Promise<void>;
}

/**
 * Starts a server for sessions over HTTP. Only the modules that listening needs are loaded before it listens.
 *
 * @throws {UsageError} When a root is not a folder, when the address cannot be used, or when the announced address is none.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const roots = openRoots(options.roots);
  const { host, port, limits, times } = options;
  const announce = checkAddress(options.announce);
  const state = new ServerState({ ...options, announce }, roots);
  const server = createHttpServer({
    maxConnections: limits.maxConnections,
    times,
    onRequest: (request, response) => state.answer(request, response),
    onUpgrade: (request, socket, head) => state.upgrade(request, socket, head),
    toAnswer: (error) => state.toAnswer(error),
  });
  await listen(server, host, port);
  const url = urlOf(server, host);
  state.announce(announce ?? (isWildcard(host) ? undefined : url));
  return { url, warmUp: () => state.warmUp(), close: () => state.close(server) };
}

/** @throws {UsageError} */
function checkAddress(text: string | undefined): string | undefined {
  const address = readAddress(text);
  if (text === undefined || address !== undefined) return address;
  const problem = `--announce must be the address of this server for clients, such as http://10.0.0.5:4711, but is "${text}".`;
  throw new UsageError("invalid_arguments", problem);
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (error) {
    throw new UsageError("config_unavailable", describeFailure(error as NodeJS.ErrnoException, host, port));
  }
  // For example too many open files. The open connections stay.
  server.on("error", () => undefined);
}

function describeFailure({ code = "unknown" }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") return `Port ${port} of ${host} is in use. Give another one with --port, or 0 for any free port.`;
  if (code === "EACCES") return `Port ${port} of ${host} may not be used by this user. Give one above 1023 with --port.`;
  return `Cannot listen on ${host}, port ${port}: ${code}. Give an address of this machine with --host.`;
}

function urlOf(server: Server, host: string): string {
  const { address, port, family } = server.address() as AddressInfo;
  const reachable = isWildcard(host) ? (family === "IPv6" ? "::1" : "127.0.0.1") : address;
  return `http://${inHeader(reachable)}:${port}`;
}
