import { basename, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type {
  jsonSchemaValidator as JsonSchemaValidatorProvider,
  JsonSchemaValidatorResult,
} from "@modelcontextprotocol/sdk/validation/types.js";
import { createCommandEnvironment } from "../exec/command-environment.ts";
import { isExecutable } from "../exec/find-program.ts";
import { assertWorkingFolder } from "../exec/working-folder.ts";
import { untilAborted } from "../until-aborted.ts";
import { packageVersion } from "../version.ts";
import { type McpCall, type McpConnection, McpConnectionError, type McpTool } from "./connection.ts";
import { readTools } from "./read-tools.ts";
import type { McpTarget } from "./server-config.ts";

/** The SDK's own limits are a minute; ours come as signals. */
const maxTimeoutMs = 2 ** 31 - 1;
/** Characters of what a server says when it refuses a request. */
const maxQuoted = 300;
/** Pages of one list of tools. */
const maxPages = 100;

export interface ConnectOptions {
  target: McpTarget;
  /** The session's folder: told to the server, and where it works when the settings name no other. */
  cwd: string;
  /** By what the processes of a server that is started here are known. */
  mark: string;
  /** Its abort ends the attempt and what was started for it. */
  signal: AbortSignal;
  /** Called when the server says that its tools have changed. */
  onToolsChanged(): void;
}

type EndingTransport = Transport & { describeEnd(): string };

/**
 * Starts a server, or reaches it, and agrees with it on the protocol.
 *
 * @throws {McpConnectionError} Nothing that was started is left then.
 */
export async function connect(options: ConnectOptions): Promise<McpConnection> {
  const { cwd, signal } = options;
  signal.throwIfAborted();
  const transport = await createTransport(options);
  // The SDK's own checks of structured results compile each server's schemas; results are read as they come instead.
  const jsonSchemaValidator: JsonSchemaValidatorProvider = {
    getValidator:
      <T>() =>
      (input: unknown): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }),
  };
  const client = new Client({ name: "pikit", version: packageVersion() }, { capabilities: { roots: {} }, jsonSchemaValidator });
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) || cwd }],
  }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onToolsChanged());
  // What happens beside requests; those that fail because of it say so themselves.
  client.onerror = (error) => {
    if (error.message.startsWith("Maximum reconnection attempts")) void transport.close();
  };
  const closed = new Promise<string>((settle) => {
    client.onclose = () => settle(transport.describeEnd());
  });
  try {
    await untilAborted(client.connect(transport, { signal, timeout: maxTimeoutMs }), signal);
  } catch (error) {
    await transport.close();
    signal.throwIfAborted();
    throw toConnectionError(error, transport, signal);
  }
  return new SdkConnection(client, transport, closed);
}

class SdkConnection implements McpConnection {
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #transport: EndingTransport;

  constructor(client: Client, transport: EndingTransport, closed: Promise<string>) {
    this.#client = client;
    this.#transport = transport;
    this.closed = closed;
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  async listTools(signal: AbortSignal): Promise<McpTool[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: unknown[] = [];
    const seen = new Set<unknown>();
    for (let cursor: unknown; seen.size < maxPages; ) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const page = await this.#request(
        (options) => this.#client.request({ method: "tools/list", ...params } as never, ResultSchema, options),
        { signal },
      );
      tools.push(...(Array.isArray(page.tools) ? page.tools : []));
      cursor = page.nextCursor;
      // A server that names a page again would never come to an end.
      if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return readTools(tools);
  }

  call({ tool, arguments: args, signal, timeoutMs, onProgress }: McpCall): Promise<CallToolResult> {
    return this.#request(
      (options) =>
        this.#client.request({ method: "tools/call", params: { name: tool, arguments: args } }, CallToolResultSchema, options),
      { signal, timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress: onProgress },
    );
  }

  async close(): Promise<void> {
    await this.#transport.close().catch(() => undefined);
  }

  /** Makes a request with a signal of its own, since the SDK leaves its listener on the one that it is given. */
  async #request<T>(make: (options: RequestOptions) => Promise<T>, options: RequestOptions & { signal: AbortSignal }): Promise<T> {
    const { signal } = options;
    const controller = new AbortController();
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await make({ timeout: maxTimeoutMs, ...options, signal: controller.signal });
    } catch (error) {
      throw toConnectionError(error, this.#transport, signal);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}

async function createTransport({ target, cwd, mark }: ConnectOptions): Promise<EndingTransport> {
  if (target.kind === "http") return new (await import("./http-transport.ts")).HttpTransport(target);
  const folder = resolve(cwd, target.cwd ?? ".");
  await assertWorkingFolder(folder);
  // Not what is named like a secret: a server gets those that its settings give it.
  const env = { ...createCommandEnvironment({ passKeys: false }), ...target.env };
  const program = await findProgram(target.command, folder, env.PATH);
  return new (await import("./stdio-transport.ts")).StdioTransport({ program, args: target.args, cwd: folder, env, mark });
}

/** The absolute path of a program: relative to the folder when it has a slash, else in a folder of the search path. */
async function findProgram(command: string, folder: string, searchPath = ""): Promise<string> {
  const candidates = command.includes("/")
    ? [resolve(folder, command)]
    : searchPath.split(":").flatMap((path) => (isAbsolute(path) ? [join(path, command)] : []));
  for (const path of candidates) if (await isExecutable(path)) return path;
  const place = command.includes("/") ? "" : " in the folders of PATH";
  throw new McpConnectionError("refused", `the program ${command} was not found${place}`);
}

function toConnectionError(error: unknown, transport: EndingTransport, signal: AbortSignal): McpConnectionError {
  const { code, message, name } = error as { code?: unknown; message: string; name: string };
  const options = { cause: error };
  if (signal.aborted) return new McpConnectionError("aborted", "it was aborted", options);
  if (code === ErrorCode.RequestTimeout) return new McpConnectionError("timeout", "there was no result in time", options);
  // Servers use the same code for errors of their own.
  if (code === ErrorCode.ConnectionClosed && /: (?:Connection closed|The connection ended\b.*)$/.test(message)) {
    return new McpConnectionError("closed", transport.describeEnd(), options);
  }
  if (name === "ZodError" || name === "$ZodError") {
    return new McpConnectionError("bad_answer", "the server's answer does not have the form that the protocol asks for", options);
  }
  if (typeof code === "number" && code >= 400) return toHttpError(code, message, transport, options);
  const { cause } = error as { cause?: { code?: unknown; message?: string } };
  const detail = cause?.code ?? cause?.message;
  return new McpConnectionError("refused", detail === undefined ? message : `${message} (${detail})`, options);
}

function toHttpError(status: number, message: string, transport: EndingTransport, options: ErrorOptions): McpConnectionError {
  const said = message.replace(/^.*?Error POSTing to endpoint: /s, "").trim();
  const text = said === "" ? "" : `: ${said.slice(0, maxQuoted)}`;
  // Servers forget sessions, when they are restarted for example; the client is to begin another one.
  if ((status === 404 || status === 400) && transport.sessionId !== undefined) {
    return new McpConnectionError("session_lost", `the server no longer knows the session (HTTP ${status})${text}`, options);
  }
  if (status === 401 || status === 403) {
    const advice = "Put what it asks for into the headers of its settings";
    return new McpConnectionError("refused", `the server refused the request (HTTP ${status})${text}. ${advice}`, options);
  }
  return new McpConnectionError("refused", `the server answered with HTTP ${status}${text}`, options);
}
