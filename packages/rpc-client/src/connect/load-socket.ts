import type { OpenSocket } from "./socket.ts";

/**
 * Loads the WebSocket of this runtime. That of Node has no backpressure, and Node 20 has none, so the package `ws` is used there. It does not
 * work on Bun, whose `node:http` gives no access to an upgraded connection.
 */
export async function loadSocket(): Promise<OpenSocket> {
  if (process.versions.bun === undefined) return (await import("./node-socket.ts")).openSocket;
  return (await import("./bun-socket.ts")).openSocket;
}
