/**
 * The questions that a session may have for whoever uses it, and how each mode answers them. Approvals, extensions and limits ask
 * through this interface and know no mode.
 */
export interface UserInterface {
  /** A yes or no. Default: no. */
  confirm(question: { title: string; message: string }, options?: DialogOptions): Promise<boolean>;
  /** One of `options`. Default: none. */
  select(question: { title: string; options: readonly string[] }, options?: DialogOptions): Promise<string | undefined>;
  /** A line of text. Default: none. */
  input(question: { title: string; placeholder?: string }, options?: DialogOptions): Promise<string | undefined>;
  /** A longer text. Default: none. */
  editor(question: { title: string; prefill?: string }, options?: DialogOptions): Promise<string | undefined>;
  /** Tells something and waits for nothing. */
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** How to go on where a run has reached a limit. Default: stop. */
  clarify(question: Clarification, options?: DialogOptions): Promise<ClarificationAnswer>;
}

export interface DialogOptions {
  /** Its abort resolves the dialog with its default. */
  signal?: AbortSignal;
  /** Milliseconds until the dialog resolves with its default. Default: none. */
  timeoutMs?: number;
}

/** Why a run cannot go on by itself. */
export interface Clarification {
  reason: "no_progress" | "too_many_failures" | "max_iterations" | "max_tool_calls";
  message: string;
  suggestions: readonly string[];
}

/** `continue` goes on with the limit's counter at zero, and with the hint as a message of the user. */
export type ClarificationAnswer = { action: "continue"; hint?: string } | { action: "stop" };

/** Nobody is there: every question is answered with its default. */
export const absentUser: UserInterface = {
  confirm: async () => false,
  select: async () => undefined,
  input: async () => undefined,
  editor: async () => undefined,
  notify() {},
  clarify: async () => ({ action: "stop" }),
};
