import { type AgentToolResult, ToolError } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import { createThrottle } from "../output/throttle.ts";
import { formatSize, HeadCollector } from "../output/truncate.ts";
import type { DelegateParameters } from "./parameters.ts";
import type { RunTask, TaskOutcome, TaskProgress } from "./task.ts";

/** The interval between two updates about a sub-task. */
const updateIntervalMs = 100;
/** Maximum number of steps in the details. */
const shownSteps = 20;

/** The work and the usage of a sub-task; `usage.cost.total` is in US dollars. */
export interface DelegateDetails extends Omit<TaskProgress, "status"> {
  task: string;
  /** The last steps, oldest first. */
  steps: string[];
}

/** An event of a sub-task. The order is `started`, any number of `progress`, then `finished` or `failed`. */
export type DelegationEvent =
  | { type: "started"; description: string }
  | { type: "progress"; status: string }
  | { type: "finished"; summary: string }
  | { type: "failed"; message: string };

export type DelegationObserver = (toolCallId: string, event: DelegationEvent) => void;

export interface DelegateToolOptions {
  /** Runs the task in its own session; see `createTaskRunner`. */
  runTask: RunTask;
  /** Called with each event at once, before the throttled updates. */
  onDelegation?: DelegationObserver | undefined;
}

interface DelegateCall extends DelegateToolOptions {
  toolCallId: string;
  signal: AbortSignal;
  onUpdate(partialResult: AgentToolResult<DelegateDetails>): void;
}

/** Executes one call of `delegate`. */
export async function runDelegate(
  { task, tools }: DelegateParameters,
  { toolCallId, signal, onUpdate, runTask, onDelegation }: DelegateCall,
): Promise<AgentToolResult<DelegateDetails>> {
  const tell = (event: DelegationEvent) => onDelegation?.(toolCallId, event);
  const steps: string[] = [];
  let latest: TaskProgress | undefined;
  const updates = createThrottle(updateIntervalMs, () => latest && onUpdate(toUpdate(task, steps, latest)));
  tell({ type: "started", description: task });
  try {
    const outcome = await runTask({
      task,
      toolCallId,
      tools,
      signal,
      onProgress(progress) {
        latest = progress;
        steps.push(progress.status);
        if (steps.length > shownSteps) steps.shift();
        tell({ type: "progress", status: progress.status });
        updates.request();
      },
    });
    const result = toResult(task, steps, outcome);
    tell({ type: "finished", summary: outcome.text });
    return result;
  } catch (error) {
    tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    updates.stop();
  }
}

function toUpdate(task: string, steps: readonly string[], progress: TaskProgress): AgentToolResult<DelegateDetails> {
  const { status: _status, ...counts } = progress;
  return { content: [{ type: "text", text: steps.join("\n") }], details: { task, ...counts, steps: [...steps] } };
}

function toResult(task: string, steps: readonly string[], outcome: TaskOutcome): AgentToolResult<DelegateDetails> {
  const { text, failure, ...counts } = outcome;
  const details: DelegateDetails = { task, ...counts, steps: [...steps] };
  const words = cutText(text);
  if (failure) {
    const said = words === "" ? "It returned no text." : `Its last text:\n${words}`;
    throw new ToolError(failure.code, `The sub-task failed: ${failure.reason}. ${said}\n\n${describeCost(outcome)}`, {
      details,
    });
  }
  return {
    content: [{ type: "text", text: `${words || "(The sub-task returned no text.)"}\n\n${describeCost(outcome)}` }],
    details,
  };
}

function cutText(text: string): string {
  const head = new HeadCollector();
  for (const line of text.trim().split("\n")) if (!head.add(line)) break;
  const { lines, truncatedBy } = head.selection;
  if (truncatedBy === null) return lines.join("\n");
  const { maxLines, maxBytes } = defaultOutputLimits;
  const limit = truncatedBy === "lines" ? `${maxLines} lines` : formatSize(maxBytes);
  return `${lines.join("\n")}\n[The answer was cut at ${limit}.]`;
}

function describeCost({ turns, toolCalls, usage }: TaskOutcome): string {
  const tokens = usage.totalTokens.toLocaleString("en-US");
  return `[Sub-task: ${count(turns, "turn")}, ${count(toolCalls, "tool call")}, ${tokens} tokens, $${usage.cost.total.toFixed(4)}]`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
