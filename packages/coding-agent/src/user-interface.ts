import type { RiskTier } from "./risk-tiers.ts";
import type { SessionTerminal } from "./terminal-interface.ts";

/**
 * The dialogs and notifications of a session for its user; each mode implements them. Approvals, extensions and limits use this interface and
 * do not depend on a mode.
 */
export interface UserInterface {
  /** The kind of user interface. Default: `print`, which is plain lines or nothing. */
  readonly mode?: "tui" | "rpc" | "json" | "print";
  /** Asks for yes or no. Default: no. */
  confirm(question: Confirmation, options?: DialogOptions): Promise<boolean>;
  /** Asks for one of `options`. Default: none. */
  select(question: { title: string; options: readonly string[] }, options?: DialogOptions): Promise<string | undefined>;
  /** Asks for a line of text. Default: none. */
  input(question: { title: string; placeholder?: string }, options?: DialogOptions): Promise<string | undefined>;
  /** Asks for a longer text. Default: none. */
  editor(question: { title: string; prefill?: string }, options?: DialogOptions): Promise<string | undefined>;
  /** Shows a message, without an answer. */
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Shows a status line, identified by a key; without text the line is removed. */
  setStatus(key: string, text?: string): void;
  /** Shows lines next to the editor, identified by a key; without lines they are removed. Default: above. */
  setWidget(key: string, lines?: readonly string[], placement?: "aboveEditor" | "belowEditor"): void;
  /** Sets the title of the window. */
  setTitle(title: string): void;
  /** Sets the text of the prompt editor. */
  setEditorText(text: string): void;
  /** Asks how to continue when a run has reached a limit. Default: stop. */
  clarify(question: Clarification, options?: DialogOptions): Promise<ClarificationAnswer>;
  /** Asks about a tool call, with more answers than yes and no. Optional: without it, `confirm` is asked. Default: no. */
  approve?(question: ApprovalQuestion, options?: DialogOptions): Promise<ApprovalAnswer>;
  /** The terminal that the user sits at; undefined if there is none, or it belongs to another program. */
  readonly terminal?: SessionTerminal | undefined;
}

/** A question for yes or no. */
export interface Confirmation {
  title: string;
  message: string;
  /** The risk tier of the tool call that waits for the answer; absent if the question is not about a tool call. */
  riskTier?: RiskTier;
}

/** A question about a tool call. `message` may shorten the call; `call` is complete. */
export interface ApprovalQuestion extends Confirmation {
  /** The id of the call, as in the events about it. There are no events about a call of a sub-task. */
  toolCallId?: string;
  /** The reasons for asking, one per line; empty if there are none. */
  reasons: string;
  /** The command, the diff or the arguments. In a diff, lines begin with `+`, `-` or a space. */
  call: string;
  isDiff: boolean;
  /** The rule that all answers but `once` and `no` make, such as `bash(git push:*)`; undefined if these answers are not possible. */
  sessionScope?: string;
  /** The file to which `always` and `forbid` write the rule; undefined if these answers are not possible. */
  ruleFile?: string;
}

/**
 * `session` also allows similar calls until the session ends, and `never` refuses them until then. `always` allows and `forbid` refuses them in
 * later sessions, too. `reason` is for the model.
 */
export type ApprovalAnswer = { decision: "once" | "session" | "always" } | { decision: "no" | "never" | "forbid"; reason?: string };

export interface DialogOptions {
  /** When aborted, the dialog resolves to its default. */
  signal?: AbortSignal;
  /** Milliseconds after which the dialog resolves to its default. Default: no limit. */
  timeoutMs?: number;
}

/** The reason why a run needs the user to continue. */
export interface Clarification {
  reason: "no_progress" | "too_many_failures" | "max_iterations" | "max_tool_calls";
  message: string;
  suggestions: readonly string[];
}

/** `continue` resets the counter of the limit and adds the hint as a user message. */
export type ClarificationAnswer = { action: "continue"; hint?: string } | { action: "stop" };

/** A user interface without a user: every dialog resolves to its default, and notifications are dropped. */
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

/** A replaceable user interface: the session keeps the slot, and the mode connects its own interface to it. */
export class UserSlot implements UserInterface {
  current: UserInterface;

  constructor(user: UserInterface) {
    this.current = user;
  }

  /** Replaces the current user interface. Returns a function that restores the previous one. */
  connect(user: UserInterface): () => void {
    const former = this.current;
    this.current = user;
    return () => {
      if (this.current === user) this.current = former;
    };
  }

  get mode(): NonNullable<UserInterface["mode"]> {
    return this.current.mode ?? "print";
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

  get terminal(): SessionTerminal | undefined {
    return this.current.terminal;
  }

  clarify(...args: Parameters<UserInterface["clarify"]>): Promise<ClarificationAnswer> {
    return this.current.clarify(...args);
  }

  approve(question: ApprovalQuestion, options?: DialogOptions): Promise<ApprovalAnswer> {
    return askForApproval(this.current, question, options);
  }
}

/** Asks about a tool call with `approve`, or with `confirm` if the user interface has only that. */
export async function askForApproval(
  user: UserInterface,
  question: ApprovalQuestion,
  options?: DialogOptions,
): Promise<ApprovalAnswer> {
  if (user.approve) return user.approve(question, options);
  const { title, message, riskTier } = question;
  const isYes = await user.confirm({ title, message, ...(riskTier ? { riskTier } : {}) }, options);
  return { decision: isYes === true ? "once" : "no" };
}

/** The answers that a question about a tool call can have. */
export function answersTo({ sessionScope, ruleFile }: ApprovalQuestion): ApprovalAnswer["decision"][] {
  const ofSession = sessionScope === undefined ? [] : (["session", "never"] as const);
  const lasting = sessionScope === undefined || ruleFile === undefined ? [] : (["always", "forbid"] as const);
  return ["once", "no", ...ofSession, ...lasting];
}

/** Whether a user is present to answer `confirm`. */
export function canConfirm(user: UserInterface): boolean {
  return user instanceof UserSlot ? canConfirm(user.current) : user.confirm !== absentUser.confirm;
}
