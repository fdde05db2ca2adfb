import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** A tool, described by its server. */
export interface McpTool {
  name: string;
  title: string | undefined;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  /** Whether the server declares that calls change nothing. */
  isReadOnly: boolean;
}

/** The progress of a call. */
export interface McpProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface McpCall {
  tool: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  timeoutMs: number;
  /** Fields for `_meta` of the request. */
  meta?: Readonly<Record<string, string>> | undefined;
  onProgress(progress: McpProgress): void;
}

/** The reason why there is no result. */
export type McpFailure = "aborted" | "timeout" | "closed" | "refused" | "session_lost" | "bad_answer";

/** A call or a start has failed. The message begins with a lower-case letter. */
export class McpConnectionError extends Error {
  override readonly name = "McpConnectionError";
  readonly failure: McpFailure;

  constructor(failure: McpFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** The connection to a server that is ready. */
export interface McpConnection {
  /** The server's instructions for models. */
  readonly instructions: string | undefined;
  /** Resolves when the connection has ended, with a description of the end. */
  readonly closed: Promise<string>;
  /** @throws {McpConnectionError} */
  listTools(signal: AbortSignal): Promise<McpTool[]>;
  /** @throws {McpConnectionError} */
  call(call: McpCall): Promise<CallToolResult>;
  /** Ends the connection, and the process of a local server. Never rejects. */
  close(): Promise<void>;
}
