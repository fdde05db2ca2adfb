import type { Usage } from "@pikit/ai";

/** A sub-task of the `delegate` tool. */
interface Task {
  /** The task for the model, in words. */
  task: string;
  /** The call of `delegate`. */
  toolCallId: string;
  /** Names of tools. Default: all tools of the delegating session. */
  tools?: readonly string[] | undefined;
  signal: AbortSignal;
  /** Called after each step. */
  onProgress(progress: TaskProgress): void;
}

/** The work and the usage of a sub-task so far. */
export interface TaskProgress {
  /** The current step, in one line. */
  status: string;
  tools: readonly string[];
  turns: number;
  toolCalls: number;
  usage: Usage;
}

/** The outcome of a sub-task. `text` is its last text, even if it failed. */
export interface TaskOutcome extends Omit<TaskProgress, "status"> {
  text: string;
  /** The reason of a failure; undefined if the task is done. */
  failure: { code: "failed" | "aborted" | "limit"; reason: string } | undefined;
}

/**
 * Runs a task in its own session. Resolves for every outcome of a started task.
 *
 * @throws {ToolError} `unknown_tool`, `too_deep`, `limit` or `failed`: the task could not start.
 */
export type RunTask = (task: Task) => Promise<TaskOutcome>;
