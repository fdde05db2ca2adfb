import type { FinishedTurn } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import type { LimitEvent, LimitName } from "../protocol/events.ts";
import { untilAborted } from "../until-aborted.ts";
import type { Clarification, ClarificationAnswer, UserInterface } from "../user-interface.ts";

/** The limits of a run, counted from each accepted prompt. A field that is absent sets no limit. */
export interface RunLimits {
  /** Model calls. */
  maxTurns?: number;
  /** US dollars. */
  maxCostUsd?: number;
  /** Milliseconds. The run is aborted at this time, whatever it is doing. */
  maxTimeMs?: number;
  maxToolCalls?: number;
  /** Failed tool calls in a row. */
  maxFailuresInARow?: number;
  /** Identical tool calls with identical results in a row. */
  maxRepeats?: number;
}

export interface LimitsOptions {
  limits: RunLimits;
  user: UserInterface;
  emit(event: LimitEvent): void | Promise<void>;
  /** Whether a queued message would continue the run. */
  isMoreQueued(): boolean;
  /** Sends a message of the user before the next model call. */
  addHint(text: string): void;
}

/** The longest delay of a timer, in milliseconds. A timer with a longer one fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The questions to the user for limits that the user may lift. */
const questions: Partial<Record<LimitName, Clarification>> = {
  "max-turns": ask("max_iterations", "The run has reached its limit of model calls."),
  "max-tool-calls": ask("max_tool_calls", "The run has reached its limit of tool calls."),
  "too-many-failures": ask("too_many_failures", "Tool calls keep failing."),
  "no-progress": ask("no_progress", "The agent repeats the same call with the same result."),
};

/** Counts the usage of a run and ends it before the first call past a limit, unless the user chooses to continue. */
export class LimitGuard {
  readonly #options: LimitsOptions;
  #used = { turns: 0, costUsd: 0, toolCalls: 0, failures: 0, repeats: 0 };
  #lastCall = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reached: LimitName | undefined;

  constructor(options: LimitsOptions) {
    this.#options = options;
  }

  /** The limit that ended the last run; undefined if none did. */
  get reached(): LimitName | undefined {
    return this.#reached;
  }

  /** The limits for a sub-task of the run. The time is left out, because the end of the run aborts the sub-task. */
  get remaining(): RunLimits {
    const { maxTimeMs: _maxTimeMs, maxCostUsd, ...limits } = this.#options.limits;
    if (maxCostUsd === undefined) return limits;
    return { ...limits, maxCostUsd: Math.max(0, maxCostUsd - this.#used.costUsd) };
  }

  /**
   * Starts counting for a new run.
   *
   * @param abortRun - Called when the run has reached its time limit.
   */
  start(abortRun: () => void): void {
    this.#used = { turns: 0, costUsd: 0, toolCalls: 0, failures: 0, repeats: 0 };
    this.#lastCall = "";
    this.#reached = undefined;
    const { maxTimeMs } = this.#options.limits;
    if (maxTimeMs === undefined) return;
    this.#timer = setTimeout(
      () => {
        void this.#tell("max-time");
        abortRun();
      },
      Math.min(maxTimeMs, maxTimerMs),
    );
  }

  /** Call it when the run has ended. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#lastCall = "";
  }

  /** Counts the cost of an answer. Failed answers count too. */
  countCost({ usage }: Pick<AssistantMessage, "usage">): void {
    this.#used.costUsd += usage.cost.total;
  }

  /** Counts a tool call and refuses it if it is past the limit. */
  checkCall(): { refuse: string } | undefined {
    this.#used.toolCalls += 1;
    const { maxToolCalls = Number.POSITIVE_INFINITY } = this.#options.limits;
    if (this.#used.toolCalls <= maxToolCalls) return undefined;
    return { refuse: `Not run: this run has reached its limit of ${maxToolCalls} tool calls.` };
  }

  /** Counts a turn. Returns `stop` if the run must end. */
  async afterTurn({ answer, toolResults }: FinishedTurn, signal: AbortSignal): Promise<"stop" | undefined> {
    this.#used.turns += 1;
    this.countCost(answer);
    const calls = answer.content.filter((block) => block.type === "toolCall");
    for (const [index, result] of toolResults.entries()) {
      this.#used.failures = result.isError ? this.#used.failures + 1 : 0;
      if (this.#options.limits.maxRepeats === undefined) continue;
      const { name, arguments: args } = calls[index] ?? {};
      const call = JSON.stringify([name, args, result.content]);
      this.#used.repeats = call === this.#lastCall ? this.#used.repeats + 1 : 1;
      this.#lastCall = call;
    }
    // Without tool calls and queued messages the run ends anyway.
    const limit = toolResults.length > 0 || this.#options.isMoreQueued() ? this.#findReached() : undefined;
    if (limit === undefined) return undefined;
    const question = questions[limit];
    const answered = question ? await this.#clarify(question, signal) : undefined;
    if (signal.aborted) return "stop";
    if (answered?.action === "continue") {
      this.#reset(limit);
      if (answered.hint?.trim()) this.#options.addHint(answered.hint);
      return undefined;
    }
    await this.#tell(limit);
    return "stop";
  }

  /** The user's answer; undefined after an abort, even if the user interface ignores the signal. */
  async #clarify(question: Clarification, signal: AbortSignal): Promise<ClarificationAnswer | undefined> {
    try {
      return await untilAborted(this.#options.user.clarify(question, { signal }), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #findReached(): LimitName | undefined {
    const { limits } = this.#options;
    const { turns, costUsd, toolCalls, failures, repeats } = this.#used;
    if (turns >= (limits.maxTurns ?? Number.POSITIVE_INFINITY)) return "max-turns";
    if (costUsd >= (limits.maxCostUsd ?? Number.POSITIVE_INFINITY)) return "max-cost";
    if (toolCalls > (limits.maxToolCalls ?? Number.POSITIVE_INFINITY)) return "max-tool-calls";
    if (failures >= (limits.maxFailuresInARow ?? Number.POSITIVE_INFINITY)) return "too-many-failures";
    if (repeats >= (limits.maxRepeats ?? Number.POSITIVE_INFINITY)) return "no-progress";
    return undefined;
  }

  #reset(limit: LimitName): void {
    if (limit === "max-turns") this.#used.turns = 0;
    if (limit === "max-tool-calls") this.#used.toolCalls = 0;
    if (limit === "too-many-failures") this.#used.failures = 0;
    if (limit === "no-progress") this.#used.repeats = 0;
  }

  async #tell(limit: LimitName): Promise<void> {
    this.#reached = limit;
    const { maxTurns, maxCostUsd, maxTimeMs, maxToolCalls, maxFailuresInARow, maxRepeats } = this.#options.limits;
    const values: Record<LimitName, number | undefined> = {
      "max-turns": maxTurns,
      "max-cost": maxCostUsd,
      "max-time": maxTimeMs === undefined ? undefined : maxTimeMs / 1000,
      "max-tool-calls": maxToolCalls,
      "too-many-failures": maxFailuresInARow,
      "no-progress": maxRepeats,
    };
    await this.#options.emit({ type: "limit_reached", limit, value: values[limit] ?? 0 });
  }
}

function ask(reason: Clarification["reason"], message: string): Clarification {
  return { reason, message, suggestions: ["Continue", "Continue with a hint", "Stop"] };
}
