import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolError } from "@pikit/agent";
import type { FileAccess } from "../files/file-access.ts";
import { findServed } from "./find-served.ts";
import { createListing } from "./listing.ts";
import { sendFile } from "./send-file.ts";

const loopback = "127.0.0.1";

/** A running server for a folder. */
export interface RunningPreview {
  port: number;
  /** Ends with a slash. */
  url: string;
  /** Ends all connections. Resolves when the port is free. */
  stop(): Promise<void>;
}

/**
 * Serves a folder to this machine only.
 *
 * @param root - With links resolved.
 * @param port - 0 for any free port.
 * @throws {ToolError} `port_in_use`, or `failed` if the system refuses.
 */
export async function startPreview(files: FileAccess, root: string, port: number): Promise<RunningPreview> {
  const server = createServer((request, response) => {
    answer(files, root, request, response).catch(() => fail(response));
  });
  // The server does not keep the process alive.
  server.unref();
  await listen(server, port);
  const actual = (server.address() as AddressInfo).port;
  return {
    port: actual,
    url: `http://${loopback}:${actual}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(toToolError(cause, port)));
    server.listen(port, loopback, () => {
      server.removeAllListeners("error");
      // Later errors concern single connections; the preview continues.
      server.on("error", () => {});
      resolve();
    });
  });
}

function toToolError(cause: NodeJS.ErrnoException, port: number): ToolError {
  if (cause.code === "EADDRINUSE") {
    return new ToolError(
      "port_in_use",
      `Port ${port} is in use by another program. Give another port, or none to get a free one.`,
      {
        cause,
      },
    );
  }
  const reason = cause.code === "EACCES" ? "this user may not use it" : cause.message;
  return new ToolError("failed", `Cannot serve on port ${port}: ${reason}. Give no port to get a free one.`, { cause });
}

async function answer(files: FileAccess, root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The folder changes while the user views it, and other sites must not use its files.
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  if (!isForThisServer(request)) return refuse(response, 421, "This server answers to 127.0.0.1 and localhost only.");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return refuse(response, 405, "Only GET and HEAD are answered.");
  }
  const [urlPath = "/", query] = (request.url ?? "/").split(/\?(.*)/s);
  const found = await findServed(files, root, urlPath);
  if (found === undefined || (found.type === "file" && urlPath.endsWith("/")))
    return refuse(response, 404, "There is nothing here.");
  if (found.type === "file") return sendFile(files, found, request, response);
  if (!urlPath.endsWith("/")) {
    // Only one slash, because two would start a host name.
    const location = `/${urlPath.replace(/^\/+/, "")}/${query === undefined ? "" : `?${query}`}`;
    response.writeHead(301, { Location: location }).end();
    return undefined;
  }
  const index = await findServed(files, root, `${urlPath}index.html`);
  if (index?.type === "file") return sendFile(files, index, request, response);
  const page = createListing(urlPath, await files.readdir(found.path));
  response.setHeader("Content-Security-Policy", "default-src 'none'");
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Length": Buffer.byteLength(page) });
  response.end(request.method === "HEAD" ? undefined : page);
  return undefined;
}

/** Refuses other host names that resolve to this machine (DNS rebinding). */
function isForThisServer({ headers, socket }: IncomingMessage): boolean {
  const { port } = socket.address() as AddressInfo;
  return (
    headers.host === `${loopback}:${port}` ||
    headers.host?.toLowerCase() === `localhost:${port}` ||
    (port === 80 && headers.host === loopback)
  );
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}

function fail(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else refuse(response, 500, "This could not be read.");
}
