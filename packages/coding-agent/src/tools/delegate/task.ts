import type { Usage } from "@pikit/ai";

/** A sub-task, as the `delegate` tool hands it on. */
export interface Task {
  /** What is to be done, in words. */
  task: string;
  /** Default: all that the delegating session has. */
  tools?: readonly string[] | undefined;
  signal: AbortSignal;
  /** Told of each step. */
  onProgress(progress: TaskProgress): void;
}

/** What a sub-task has done and used so far. */
export interface TaskProgress {
  /** What it does now, in a line. */
  status: string;
  tools: readonly string[];
  turns: number;
  toolCalls: number;
  usage: Usage;
}

/** How a sub-task ended. `text` is its last words, also when it failed. */
export interface TaskOutcome extends Omit<TaskProgress, "status"> {
  text: string;
  /** Why it is not done; undefined when it is. */
  failure: { code: "failed" | "aborted" | "limit"; reason: string } | undefined;
}

/**
 * Works on a task in a session of its own and resolves however it ends.
 *
 * @throws {ToolError} `unknown_tool`, `too_deep`, `limit`, `failed`: it could not begin.
 */
export type RunTask = (task: Task) => Promise<TaskOutcome>;
