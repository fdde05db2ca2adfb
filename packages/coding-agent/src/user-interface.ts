import type { RiskTier } from "./risk-tiers.ts";

/**
 * The questions that a session may have for whoever uses it, and how each mode answers them. Approvals, extensions and limits ask
 * through this interface and know no mode.
 */
export interface UserInterface {
  /** A yes or no. Default: no. */
  confirm(question: Confirmation, options?: DialogOptions): Promise<boolean>;
  /** One of `options`. Default: none. */
  select(question: { title: string; options: readonly string[] }, options?: DialogOptions): Promise<string | undefined>;
  /** A line of text. Default: none. */
  input(question: { title: string; placeholder?: string }, options?: DialogOptions): Promise<string | undefined>;
  /** A longer text. Default: none. */
  editor(question: { title: string; prefill?: string }, options?: DialogOptions): Promise<string | undefined>;
  /** Tells something and waits for nothing. */
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Shows a line of state under a key; without text it goes away. */
  setStatus(key: string, text?: string): void;
  /** Shows some lines beside the editor under a key; without lines they go away. Default: above. */
  setWidget(key: string, lines?: readonly string[], placement?: "aboveEditor" | "belowEditor"): void;
  /** Names the window. */
  setTitle(title: string): void;
  /** Puts a text where the user types the next prompt. */
  setEditorText(text: string): void;
  /** How to go on where a run has reached a limit. Default: stop. */
  clarify(question: Clarification, options?: DialogOptions): Promise<ClarificationAnswer>;
}

/** What a yes or no is asked for. */
export interface Confirmation {
  title: string;
  message: string;
  /** How far the tool call reaches that waits for the answer; absent where the question is about something else. */
  riskTier?: RiskTier;
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
  setStatus() {},
  setWidget() {},
  setTitle() {},
  setEditorText() {},
  clarify: async () => ({ action: "stop" }),
};

/** Whoever is there now: a session keeps one of these, and the mode that shows the session takes its place in it. */
export class UserSlot implements UserInterface {
  current: UserInterface;

  constructor(user: UserInterface) {
    this.current = user;
  }

  /** Asks this one from now on, in place of the one before. Returns the function that puts that one back. */
  connect(user: UserInterface): () => void {
    const former = this.current;
    this.current = user;
    return () => {
      if (this.current === user) this.current = former;
    };
  }

  confirm(...args: Parameters<UserInterface["confirm"]>): Promise<boolean> {
    return this.current.confirm(...args);
  }

  select(...args: Parameters<UserInterface["select"]>): Promise<string | undefined> {
    return this.current.select(...args);
  }

  input(...args: Parameters<UserInterface["input"]>): Promise<string | undefined> {
    return this.current.input(...args);
  }

  editor(...args: Parameters<UserInterface["editor"]>): Promise<string | undefined> {
    return this.current.editor(...args);
  }

  notify(...args: Parameters<UserInterface["notify"]>): void {
    this.current.notify(...args);
  }

  setStatus(...args: Parameters<UserInterface["setStatus"]>): void {
    this.current.setStatus(...args);
  }

  setWidget(...args: Parameters<UserInterface["setWidget"]>): void {
    this.current.setWidget(...args);
  }

  setTitle(...args: Parameters<UserInterface["setTitle"]>): void {
    this.current.setTitle(...args);
  }

  setEditorText(...args: Parameters<UserInterface["setEditorText"]>): void {
    this.current.setEditorText(...args);
  }

  clarify(...args: Parameters<UserInterface["clarify"]>): Promise<ClarificationAnswer> {
    return this.current.clarify(...args);
  }
}

/** Whether somebody is there who can say yes or no. */
export function canConfirm(user: UserInterface): boolean {
  return user instanceof UserSlot ? canConfirm(user.current) : user.confirm !== absentUser.confirm;
}
