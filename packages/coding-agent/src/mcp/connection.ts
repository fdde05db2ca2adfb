import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** A tool as its server describes it. */
export interface McpTool {
  name: string;
  title: string | undefined;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  /** Whether the server says that a call changes nothing. */
  isReadOnly: boolean;
}

/** How far a call has come. */
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
  onProgress(progress: McpProgress): void;
}

/** Why there is no result. */
export type McpFailure = "aborted" | "timeout" | "closed" | "refused" | "session_lost" | "bad_answer";

/** A call, or a start, that failed. The message begins with a lower-case letter. */
export class McpConnectionError extends Error {
  override readonly name = "McpConnectionError";
  readonly failure: McpFailure;

  constructor(failure: McpFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** A server that is ready. */
export interface McpConnection {
  /** What the server says about its use. */
  readonly instructions: string | undefined;
  /** Resolves when the connection is over, with how it ended. */
  readonly closed: Promise<string>;
  /** @throws {McpConnectionError} */
  listTools(signal: AbortSignal): Promise<McpTool[]>;
  /** @throws {McpConnectionError} */
  call(call: McpCall): Promise<CallToolResult>;
  /** Ends it, and the process of a server that was started here. Never rejects. */
  close(): Promise<void>;
}
