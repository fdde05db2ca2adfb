import { AiError } from "../errors.ts";
import type { Model, StopReason } from "../types.ts";
import type { MessageSummary } from "./request-summary.ts";

/** Written in the first line; a file of another version is rejected. */
export const formatVersion = 1;

/** The fields of a model in a recording: all except its headers. */
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
 * One line of a recording. All lines of a model call have the call's number in `stream`; lines of concurrent calls may alternate. `ms` is
 * the time in milliseconds since the start of the call.
 */
export type RecordingLine = { type: "recording"; version: number } | CallLine;

export type CallLine =
  /** The start of a call. Its first `kept` messages are the same as in the previous request line and are not repeated. */
  | { type: "request"; stream: number; model: RecordedModel; tools: string[]; kept: number; messages: MessageSummary[] }
  | { type: "response"; stream: number; ms: number; status: number; headers: Record<string, string> }
  | EventLine
  /** The body of a response that is not an event stream. */
  | { type: "body"; stream: number; ms: number; text: string }
  /** `close`: the server ended the body. `cut`: the connection broke. Neither is written if the reader stopped first. */
  | { type: "close" | "cut"; stream: number; ms: number }
  /** The end of the answer. Missing if the process was killed before it. */
  | { type: "end"; stream: number; ms: number; stopReason: StopReason; error?: RecordedError };

/** One event of the response, as on the wire. */
export interface EventLine {
  type: "event";
  stream: number;
  ms: number;
  event?: string;
  data: string;
}

/** Converts an error for a recording. */
export function toRecordedError({ code, message, retryable, status, retryAfterMs }: AiError): RecordedError {
  return {
    code,
    message,
    retryable,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Restores the error that the caller got during the recording. */
export function fromRecordedError({ code, message, ...options }: RecordedError): AiError {
  return new AiError(code, message, options);
}

/** Creates an error of a recording or of its use; a retry does not help. */
export function recordingError(message: string, cause?: unknown): AiError {
  return new AiError("unsupported", message, { retryable: false, cause });
}
