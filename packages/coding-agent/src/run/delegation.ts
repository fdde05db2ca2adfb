import { type AgentEvent, type AgentMessage, ToolError } from "@pikit/agent";
import { emptyUsage, type Usage } from "@pikit/ai";
import { isAbortNote } from "../conversation/messages.ts";
import { addUsage, usageOf } from "../conversation/stats.ts";
import type { LimitName, SessionEvent } from "../protocol/events.ts";
import type { RunTask, TaskOutcome, TaskProgress } from "../tools/delegate/task.ts";
import type { RunLimits } from "./limits.ts";

/** Maximum depth of sub-tasks: a session, its sub-task, and a sub-task of that. The last has no `delegate` tool. */
export const maxDelegationDepth = 2;

/** A session for a sub-task, such as an `AgentSession`. */
export interface TaskSession {
  readonly messages: readonly AgentMessage[];
  readonly limits: { readonly reached: LimitName | undefined };
  subscribe(listener: (event: AgentEvent | SessionEvent) => void): () => void;
  prompt(text: string, options: { signal: AbortSignal }): Promise<void>;
  lastAssistantText(): string | null;
  dispose(): Promise<void>;
}

/** The options of a sub-task's session. Folder, trust, approvals and user interface are those of the delegating session. */
export interface TaskSessionRequest {
  /** Names of the delegating session's tools. */
  tools: readonly string[];
  /** 1 for a sub-task, 2 for a sub-task of one. */
  depth: number;
  limits: RunLimits;
  /** The call of `delegate`. */
  toolCallId: string;
}

export interface TaskRunnerOptions {
  /** The depth of the delegating session; 0 for the session of a user. */
  depth: number;
  /** The current tools of the delegating session. */
  toolNames(): readonly string[];
  /** Creates a session in memory. */
  openSession(request: TaskSessionRequest): Promise<TaskSession>;
  /** The remaining limits of the delegating run. */
  remainingLimits(): RunLimits;
  /** Adds to the usage of the delegating run. Called after each model call. */
  countUsage(usage: Usage): void;
}

const note = "(You do this for another agent, which sees nothing but your last message: put all that it needs to know there.)";

/** Creates the function with which the `delegate` tool runs sub-tasks. */
export function createTaskRunner(options: TaskRunnerOptions): RunTask {
  return async ({ task, toolCallId, tools: wanted, signal, onProgress }) => {
    const depth = options.depth + 1;
    const tools = chooseTools(wanted, options.toolNames(), depth);
    const limits = options.remainingLimits();
    if (isSpent(limits)) throw new ToolError("limit", "The sub-task was not started: this run has reached its cost limit.");
    const session = await options.openSession({ tools, depth, limits, toolCallId }).catch(cannotBegin);
    const watch = new TaskWatch(tools, options, onProgress);
    session.subscribe((event) => watch.see(event));
    try {
      await session
        .prompt(`${task}\n\n${note}`, { signal: AbortSignal.any([signal, watch.overspent]) })
        .catch((error: unknown) => cannotBegin(error));
      const text = session.lastAssistantText() ?? "";
      return { ...watch.counts, text, failure: findFailure(session, watch.overspent.aborted) };
    } finally {
      await session.dispose();
    }
  };
}

/** The tools of a sub-task: a subset of those of its parent. */
function chooseTools(wanted: readonly string[] | undefined, parent: readonly string[], depth: number): readonly string[] {
  if (depth > maxDelegationDepth) throw new ToolError("too_deep", "Sub-tasks cannot be nested deeper. Do this task yourself.");
  const available = depth < maxDelegationDepth ? parent : parent.filter((name) => name !== "delegate");
  const unknown = wanted?.find((name) => !available.includes(name));
  if (unknown !== undefined) {
    const names = available.join(", ") || "none";
    throw new ToolError("unknown_tool", `A sub-task cannot have the tool "${unknown}". It may have: ${names}.`);
  }
  return [...new Set(wanted ?? available)];
}

function cannotBegin(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new ToolError("failed", `The sub-task could not start: ${reason}`, { cause: error });
}

function isSpent({ maxCostUsd }: RunLimits): boolean {
  return maxCostUsd !== undefined && maxCostUsd <= 0;
}

function findFailure(session: TaskSession, isOverspent: boolean): TaskOutcome["failure"] {
  const last = session.messages.findLast(({ role }) => role === "assistant");
  const answer = last?.role === "assistant" ? last : undefined;
  if (isOverspent) return { code: "limit", reason: "it was ended because this run has reached its cost limit" };
  if (session.limits.reached !== undefined) return { code: "limit", reason: `it was ended at its limit ${session.limits.reached}` };
  if (answer?.stopReason === "error") return { code: "failed", reason: answer.errorMessage ?? "the model gave no answer" };
  const isOver = answer && answer.stopReason !== "aborted" && !answer.content.some(({ type }) => type === "toolCall");
  return isOver ? undefined : { code: "aborted", reason: "it was aborted" };
}

/** Counts the work of a sub-task, and aborts it when all sub-tasks together have reached the cost limit. */
class TaskWatch {
  readonly #options: TaskRunnerOptions;
  readonly #tools: readonly string[];
  readonly #onProgress: (progress: TaskProgress) => void;
  readonly #overspent = new AbortController();
  #usage = emptyUsage();
  #turns = 0;
  #toolCalls = 0;

  constructor(tools: readonly string[], options: TaskRunnerOptions, onProgress: (progress: TaskProgress) => void) {
    this.#tools = tools;
    this.#options = options;
    this.#onProgress = onProgress;
  }

  /** Aborted when the cost limit of the delegating run allows no further call. */
  get overspent(): AbortSignal {
    return this.#overspent.signal;
  }

  get counts(): Omit<TaskProgress, "status"> {
    return { tools: this.#tools, turns: this.#turns, toolCalls: this.#toolCalls, usage: this.#usage };
  }

  see(event: AgentEvent | SessionEvent): void {
    if (event.type === "message_end") this.#seeMessage(event.message);
    else if (event.type === "auto_compaction_end" && event.result) this.#addUsage(event.result.usage);
    else if (event.type === "tool_execution_start") {
      this.#toolCalls += 1;
      this.#tell(`${event.toolName}${describeArguments(event.args)}`);
    }
  }

  #seeMessage(message: AgentMessage): void {
    // The usage of an answer, or of a sub-task of this one.
    const used = usageOf(message);
    if (used !== undefined) this.#addUsage(used);
    if (message.role !== "assistant" || isAbortNote(message)) return;
    this.#turns += 1;
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text.trim() !== "") this.#tell(oneLine(text));
    // An answer without calls ends the sub-task anyway.
    const goesOn = message.content.some(({ type }) => type === "toolCall");
    if (goesOn && isSpent(this.#options.remainingLimits())) this.#overspent.abort();
  }

  #addUsage(used: unknown): void {
    const usage = addUsage(emptyUsage(), used);
    this.#usage = addUsage(this.#usage, usage);
    this.#options.countUsage(usage);
  }

  #tell(status: string): void {
    this.#onProgress({ status, ...this.counts });
  }
}

/** A short description of a call: its first string argument. */
function describeArguments(args: Record<string, unknown>): string {
  const text = Object.values(args).find((value) => typeof value === "string");
  return typeof text === "string" ? `: ${oneLine(text)}` : "";
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
