import { type AgentEvent, type AgentMessage, ToolError } from "@pikit/agent";
import { emptyUsage, type Usage } from "@pikit/ai";
import { isAbortNote } from "../conversation/messages.ts";
import { addUsage, usageOf } from "../conversation/stats.ts";
import type { LimitName, SessionEvent } from "../protocol/events.ts";
import type { RunTask, TaskOutcome, TaskProgress } from "../tools/delegate/task.ts";
import type { RunLimits } from "./limits.ts";

/** How deep sub-tasks go: a session, its sub-task, and one of that. The last has no `delegate`. */
export const maxDelegationDepth = 2;

/** A session that works on a sub-task; an `AgentSession` is one. */
export interface TaskSession {
  readonly messages: readonly AgentMessage[];
  readonly limits: { readonly reached: LimitName | undefined };
  subscribe(listener: (event: AgentEvent | SessionEvent) => void): () => void;
  prompt(text: string, options: { signal: AbortSignal }): Promise<void>;
  lastAssistantText(): string | null;
  dispose(): Promise<void>;
}

/** What the session of a sub-task is made with. Folder, trust, approvals and who is asked are those of the session that delegates. */
export interface TaskSessionRequest {
  /** Names of tools that the delegating session has. */
  tools: readonly string[];
  /** 1 for a sub-task, 2 for a sub-task of one. */
  depth: number;
  limits: RunLimits;
}

export interface TaskRunnerOptions {
  /** How deep the delegating session is itself; 0 for one that a user talks to. */
  depth: number;
  /** The tools that the delegating session has now. */
  toolNames(): readonly string[];
  /** Makes a fresh session in memory. */
  openSession(request: TaskSessionRequest): Promise<TaskSession>;
  /** What the delegating run may still use up. */
  remainingLimits(): RunLimits;
  /** Adds to what the delegating run has used, as soon as it is used. */
  countUsage(usage: Usage): void;
}

const note = "(You do this for another agent, which sees nothing but your last message: put all that it needs to know there.)";

/** Makes what the `delegate` tool runs tasks with. */
export function createTaskRunner(options: TaskRunnerOptions): RunTask {
  return async ({ task, tools: wanted, signal, onProgress }) => {
    const depth = options.depth + 1;
    const tools = chooseTools(wanted, options.toolNames(), depth);
    const limits = options.remainingLimits();
    if (isSpent(limits))
      throw new ToolError("limit", "The sub-task was not begun: this run has used up the money that it may cost.");
    const session = await options.openSession({ tools, depth, limits }).catch(cannotBegin);
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
  if (depth > maxDelegationDepth) throw new ToolError("too_deep", "Sub-tasks go no deeper. Do this one yourself.");
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
  throw new ToolError("failed", `The sub-task could not begin: ${reason}`, { cause: error });
}

function isSpent({ maxCostUsd }: RunLimits): boolean {
  return maxCostUsd !== undefined && maxCostUsd <= 0;
}

function findFailure(session: TaskSession, isOverspent: boolean): TaskOutcome["failure"] {
  const last = session.messages.findLast(({ role }) => role === "assistant");
  const answer = last?.role === "assistant" ? last : undefined;
  if (isOverspent) return { code: "limit", reason: "it was ended because this run has used up the money that it may cost" };
  if (session.limits.reached !== undefined) return { code: "limit", reason: `it was ended at its limit ${session.limits.reached}` };
  if (answer?.stopReason === "error") return { code: "failed", reason: answer.errorMessage ?? "the model gave no answer" };
  const isOver = answer && answer.stopReason !== "aborted" && !answer.content.some(({ type }) => type === "toolCall");
  return isOver ? undefined : { code: "aborted", reason: "it was aborted" };
}

/** Counts what a session does, and says when siblings together have used up the money. */
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

  /** Aborted when the delegating run has no money left for a next call. */
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
    // An answer's, or what a sub-task of this one has used.
    const used = usageOf(message);
    if (used !== undefined) this.#addUsage(used);
    if (message.role !== "assistant" || isAbortNote(message)) return;
    this.#turns += 1;
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text.trim() !== "") this.#tell(oneLine(text));
    // An answer without calls ends the sub-task by itself, and is paid for.
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

/** What a call is about: its first text. */
function describeArguments(args: Record<string, unknown>): string {
  const text = Object.values(args).find((value) => typeof value === "string");
  return typeof text === "string" ? `: ${oneLine(text)}` : "";
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
