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
import type { CommandContainer } from "../exec/container.ts";
import { isExecutable } from "../exec/find-program.ts";
import { assertWorkingFolder } from "../exec/working-folder.ts";
import { untilAborted } from "../until-aborted.ts";
import { packageVersion } from "../version.ts";
import { type McpCall, type McpConnection, McpConnectionError, type McpTool } from "./connection.ts";
import { readTools } from "./read-tools.ts";
import type { McpTarget } from "./server-config.ts";

/** Disables the timeout of the SDK, which is a minute by default; our timeouts use abort signals. */
const maxTimeoutMs = 2 ** 31 - 1;
/** Maximum characters of a server's error text. */
const maxQuoted = 300;
/** Maximum pages of a list of tools. */
const maxPages = 100;

export interface ConnectOptions {
  target: McpTarget;
  /** The folder of the session: sent to the server as its root, and the default working folder of its process. */
  cwd: string;
  /** The mark that identifies the processes of a local server. */
  mark: string;
  /** Something around a local server, such as a sandbox. Default: none. */
  container?: CommandContainer | undefined;
  /** An abort ends the attempt and the started processes. */
  signal: AbortSignal;
  /** Called when the server reports that its tools have changed. */
  onToolsChanged(): void;
}

type EndingTransport = Transport & { describeEnd(): string };

/**
 * Starts a server or connects to it, and initialises the protocol.
 *
 * @throws {McpConnectionError} After a failure, no started process is left.
 */
export async function connect(options: ConnectOptions): Promise<McpConnection> {
  const { cwd, signal } = options;
  signal.throwIfAborted();
  const transport = await createTransport(options);
  // Disables the SDK's validation of structured results, which compiles the schemas of each server.
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
  // Errors outside of requests; requests report their own errors.
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
      // A repeated cursor would make the loop endless.
      if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return readTools(tools);
  }

  call({ tool, arguments: args, meta, signal, timeoutMs, onProgress }: McpCall): Promise<CallToolResult> {
    const params = { name: tool, arguments: args, ...(meta && { _meta: meta }) };
    return this.#request((options) => this.#client.request({ method: "tools/call", params }, CallToolResultSchema, options), {
      signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: onProgress,
    });
  }

  async close(): Promise<void> {
    await this.#transport.close().catch(() => undefined);
  }

  /** Makes a request with its own signal, because the SDK does not remove its listener from the signal. */
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

async function createTransport({ target, cwd, mark, container }: ConnectOptions): Promise<EndingTransport> {
  if (target.kind === "http") return new (await import("./http-transport.ts")).HttpTransport(target);
  const folder = resolve(cwd, target.cwd ?? ".");
  await assertWorkingFolder(folder);
  // Without variables that look like secrets; a server gets only the secrets in its settings.
  const env = { ...createCommandEnvironment({ passKeys: false }), ...target.env };
  const program = await findProgram(target.command, folder, env.PATH);
  const entered = await container?.enter({ command: [program, ...target.args], cwd: folder, env });
  const { StdioTransport } = await import("./stdio-transport.ts");
  // The keys of its settings are meant for the server.
  const variables = entered ? { ...entered.env, ...target.env } : env;
  return new StdioTransport({ ...{ program, args: target.args, cwd: folder, mark, entered }, env: variables });
}

/** Finds the absolute path of a program: relative to the folder if it contains a slash, otherwise in the search path. */
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
  // Servers use the same code for their own errors.
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
  // Servers lose sessions, for example after a restart; the client must start a new one.
  if ((status === 404 || status === 400) && transport.sessionId !== undefined) {
    return new McpConnectionError("session_lost", `the server no longer knows the session (HTTP ${status})${text}`, options);
  }
  if (status === 401 || status === 403) {
    const advice = "Put what it asks for into the headers of its settings";
    return new McpConnectionError("refused", `the server refused the request (HTTP ${status})${text}. ${advice}`, options);
  }
  return new McpConnectionError("refused", `the server answered with HTTP ${status}${text}`, options);
}
