import { AiError } from "../errors.ts";
import type { Model, StopReason } from "../types.ts";
import type { MessageSummary } from "./request-summary.ts";

/** Written in the first line; a file of another version is refused. */
export const formatVersion = 1;

/** What a recording keeps of a model: everything but its headers. */
export type RecordedModel = Pick<
  Model,
  "id" | "name" | "api" | "provider" | "baseUrl" | "reasoning" | "input" | "contextWindow" | "maxTokens" | "cost" | "compat"
>;

/** An `AiError` without its cause. */
export interface RecordedError {
  code: AiError["code"];
  message: string;
  retryable: boolean;
  status?: number;
  retryAfterMs?: number;
}

/**
 * One line of a recording. All lines of a model call have its number in `stream`; lines of calls that were made at the same time may
 * alternate. `ms` are milliseconds since the call began.
 */
export type RecordingLine = { type: "recording"; version: number } | CallLine;

export type CallLine =
  /** A call begins. `kept` of its messages, from the first on, are those of the request line before. */
  | { type: "request"; stream: number; model: RecordedModel; tools: string[]; kept: number; messages: MessageSummary[] }
  | { type: "response"; stream: number; ms: number; status: number; headers: Record<string, string> }
  | EventLine
  /** The body of a response that is no event stream. */
  | { type: "body"; stream: number; ms: number; text: string }
  /** The server ended the body, or the connection broke. Neither when the reader had enough. */
  | { type: "close" | "cut"; stream: number; ms: number }
  /** The answer is over. Missing when the process was killed before. */
  | { type: "end"; stream: number; ms: number; stopReason: StopReason; error?: RecordedError };

/** One event of the response, as the wire has it. */
export interface EventLine {
  type: "event";
  stream: number;
  ms: number;
  event?: string;
  data: string;
}

/** What can be kept of an error. */
export function toRecordedError({ code, message, retryable, status, retryAfterMs }: AiError): RecordedError {
  return {
    code,
    message,
    retryable,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The error as the caller saw it when it was recorded. */
export function fromRecordedError({ code, message, ...options }: RecordedError): AiError {
  return new AiError(code, message, options);
}

/** An error of a recording or of its use; waiting does not help. */
export function recordingError(message: string, cause?: unknown): AiError {
  return new AiError("unsupported", message, { retryable: false, cause });
}
