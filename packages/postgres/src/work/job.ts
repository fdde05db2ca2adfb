import type { CreateAgentSessionOptions, ImageContent } from "@pikit/coding-agent";
import { SessionError, UsageError } from "@pikit/coding-agent/errors";

/** The options of a session that a job can have: those that are plain data. */
export interface JobOptions
  extends Pick<
    CreateAgentSessionOptions,
    | "cwd"
    | "name"
    | "provider"
    | "thinkingLevel"
    | "tools"
    | "approval"
    | "readOnly"
    | "systemPrompt"
    | "appendSystemPrompt"
    | "contextFiles"
    | "limits"
    | "retry"
    | "compaction"
    | "mcp"
    | "offline"
  > {
  /** The name of a model: `id`, `provider/id`, either with `:level`. */
  model?: string;
}

/** A prompt for a session, to be run by a worker. */
export interface JobRequest {
  /** The session. Default: a new one. If there is none with this id, it is created with this id. */
  sessionId?: string;
  prompt: string;
  images?: readonly ImageContent[];
  /** The options of the session. They override those of a worker that gives its options as an object. */
  options?: JobOptions;
  /** Anything that the worker's function for the session's options needs. JSON. */
  data?: object;
  /**
   * Makes the job unique in its queue: a second job with this key is not added, as long as the first one is kept. Maximum length: 1,000
   * characters.
   */
  key?: string;
  /** Jobs of other sessions with a smaller number wait longer. An integer. Default: 0. */
  priority?: number;
  /** The earliest start. Default: now. */
  startAfter?: Date;
  /** The latest end. A job that waits then is not run; a run is aborted then, and in any case after 23 hours. Default: none. */
  deadline?: Date;
}

/** The reason why a job has ended. */
export type JobOutcome =
  /** The run has ended with an answer of the model. */
  | "completed"
  /** The run has ended with an error of the model, or could not begin. `error` says why. */
  | "failed"
  /** The deadline has passed. */
  | "expired";

/** The result of a job that has ended. */
export interface JobResult {
  outcome: JobOutcome;
  /** Why it has failed, for people. */
  error?: string;
  /** The text of the last answer, cut after 64,000 characters. The session has all of it. */
  answer?: string;
  /** The tokens of the job, those of runs that were interrupted included. */
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number };
  /** US dollars. */
  costUsd: number;
}

/** A job as every process with the database can read it. */
export interface Job {
  id: string;
  sessionId: string;
  key?: string;
  /**
   * - `waiting`: for its time, for earlier jobs of its session, or for a worker
   * - `running`: a worker has it
   * - `ended`: it has a `result`
   * - `cancelled`: `cancel` was called before it had ended
   */
  state: "waiting" | "running" | "ended" | "cancelled";
  priority: number;
  createdAt: Date;
  startAfter: Date;
  deadline?: Date;
  /** The start of the latest attempt. */
  startedAt?: Date;
  endedAt?: Date;
  request: Pick<JobRequest, "prompt" | "images" | "options" | "data">;
  result?: JobResult;
}

/** The data of a job as pg-boss keeps it. */
export interface StoredJob {
  sessionId: string;
  key?: string;
  /** ISO 8601. */
  deadline?: string;
  /** The rest of the request as JSON text, because `jsonb` refuses some strings, such as those with the character 0. */
  request: string;
}

/** Hours after which a run is aborted, with the outcome `expired`. pg-boss gives a job no more. */
export const maxRunHours = 23;

/** Maximum characters of the request as JSON. */
const maxRequest = 64 * 1024 * 1024;

/** Maximum characters of a key. */
const maxKey = 1_000;

/** Maximum characters of the answer in a result, and of an error. */
const maxAnswer = 64_000;

const sessionIdPattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;

/**
 * Checks a request.
 *
 * @throws {UsageError} `invalid_session_id`, `invalid_arguments`.
 * @throws {SessionError} `invalid_input` when the prompt is empty or too large.
 */
export function toStoredJob(request: JobRequest, sessionId: string): StoredJob {
  const { prompt, images = [], options, data, key, priority = 0, deadline } = request;
  if (!sessionIdPattern.test(sessionId)) {
    throw new UsageError(
      "invalid_session_id",
      `"${sessionId.slice(0, 200)}" cannot be a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit at both ends.`,
    );
  }
  if (key !== undefined && (key === "" || key.length > maxKey)) {
    throw new UsageError(
      "invalid_arguments",
      `The key of a job must have 1 to ${maxKey} characters, but this one has ${key.length}.`,
    );
  }
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000_000) {
    throw new UsageError(
      "invalid_arguments",
      `The priority of a job must be an integer from -1000000 to 1000000, but it is ${priority}.`,
    );
  }
  if (prompt.trim() === "" && images.length === 0) {
    throw new SessionError("invalid_input", "The prompt of the job is empty. Give a text or an image.");
  }
  const text = JSON.stringify({ prompt, images, options, data });
  if (text.length > maxRequest) {
    throw new SessionError(
      "invalid_input",
      `The job is too large: ${text.length} characters of JSON, but at most ${maxRequest} are allowed. Give smaller images, or names of files.`,
    );
  }
  return {
    sessionId,
    // A key may have any characters; the id of the job is made from all of them.
    ...(key === undefined ? {} : { key: readableText(key) }),
    ...(deadline === undefined ? {} : { deadline: deadline.toISOString() }),
    request: text,
  };
}

/** Cuts a text for a `jsonb` column, which refuses the character 0 and lone surrogates. */
export function readableText(text: string): string {
  return text.slice(0, maxAnswer).replaceAll("\0", "\ufffd").toWellFormed();
}

/** Reads the part of a request that is kept as text. */
export function readRequest({ request }: StoredJob): Job["request"] {
  return JSON.parse(request) as Job["request"];
}
