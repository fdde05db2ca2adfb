import type { AgentMessage, AgentState, FailedAnswer, RequestOptions } from "@pikit/agent";
import { emptyUsage, isSilentOverflow, type Model } from "@pikit/ai";
import { createCompactionSummary, isFailed, isSinceCompaction } from "../../conversation/compaction-summary.ts";
import type { EntryContent, SessionEntry } from "../../conversation/entries.ts";
import { SessionError } from "../../errors.ts";
import type { CompactionDetails, CompactionResult, ContextUsage } from "../../protocol/data.ts";
import type { CompactionEvent } from "../../protocol/events.ts";
import type { AutoRetry } from "../auto-retry.ts";
import { contextUsageOf, estimateContext, estimateMessage, measureContext } from "./context-size.ts";
import type { CompactionPlan } from "./cut-point.ts";
import type { CompactionPreview, CompactionWish } from "./intercept.ts";
import { type CompactionSettings, isPastThreshold, leastWorthwhile, scaleBudget, summaryLimit } from "./policy.ts";

export type CompactionEntry = Extract<EntryContent, { type: "compaction" }>;

export interface CompactorOptions {
  settings: CompactionSettings;
  /**
   * The agent's. Its messages are the context of the active branch, the last compaction's summary first; a compaction replaces those at
   * their beginning, in place, and leaves alone what is added at their end meanwhile.
   */
  state: AgentState;
  /** The active branch in path order, from the first entry that the last compaction kept, or from further back. */
  readBranch(): readonly SessionEntry[] | Promise<readonly SessionEntry[]>;
  /** An id that no entry of the session has. */
  newEntryId(): string;
  /** The first entry of the active branch behind this one that is in the context; undefined when there is none. */
  nextInContext(entryId: string): string | undefined;
  /** Stores the entry under an id. What it throws fails the compaction; a store that is only behind must not throw. */
  append(entry: CompactionEntry, id: string): Promise<void>;
  requestOptions(model: Model): RequestOptions | Promise<RequestOptions>;
  /** Of its own: a compaction may fall into the retries of an answer. */
  retry: Pick<AutoRetry, "shouldRetry" | "observe">;
  emit(event: CompactionEvent): void | Promise<void>;
  /** Asked after the start was told: whether to go on, and with which summary. Default: with one that the model writes. */
  intercept?: ((preview: CompactionPreview, signal: AbortSignal) => Promise<CompactionWish | undefined>) | undefined;
}

type Reason = "manual" | "threshold" | "overflow";
type Planning = typeof import("./cut-point.ts");

/** What a compaction is to do. */
interface Job {
  reason: Reason;
  instructions?: string | undefined;
  /** Whether the model is asked again afterwards. */
  willRetry?: boolean;
  signal?: AbortSignal | undefined;
  /** Chooses what is summarised; undefined when there is nothing, and nobody is told of the compaction then. */
  plan(branch: readonly SessionEntry[], model: Model, planning: Planning): CompactionPlan | undefined;
}

/**
 * Summarises the older part of a conversation when it comes near the end of the model's window, when the provider says that it is too
 * long, or when somebody asks for it. One compaction at a time; one that fails or is aborted changes nothing.
 */
export class Compactor {
  readonly #options: CompactorOptions;
  #enabled: boolean;
  #current: AbortController | undefined;
  /** Resolves when the last compaction that was begun has ended and its end has been told. */
  #ended = Promise.resolve();
  /** Whether the overflow that is being dealt with has been answered by a compaction already. */
  #hasRecovered = false;
  /** Whether a compaction of this run has failed, so that the next turn does not try again. */
  #hasFailed = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#enabled = options.settings.enabled;
  }

  get isCompacting(): boolean {
    return this.#current !== undefined;
  }

  /** Whether a conversation is compacted by itself. */
  get enabled(): boolean {
    return this.#enabled;
  }

  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
  }

  /** How full the window of the chosen model is; undefined without a model. */
  get contextUsage(): ContextUsage | undefined {
    const { state } = this.#options;
    return state.model && contextUsageOf(state, state.model.contextWindow);
  }

  /**
   * Compacts now, however short the conversation is. Only while no run is going.
   *
   * @param instructions - What the summary is to look at in particular.
   * @throws {SessionError} `busy` while a compaction is going, `no_model`, `nothing_to_compact` without a model call, `aborted`,
   *   `compaction_failed` with the reason. The conversation is unchanged then.
   */
  async compact(instructions?: string, signal?: AbortSignal): Promise<CompactionResult> {
    if (this.#current) throw new SessionError("busy", "A compaction is already going. Wait until it has ended, or abort it first.");
    if (!this.#options.state.model) throw new SessionError("no_model", "No model is chosen to write the summary.");
    const outcome = await this.#perform({
      reason: "manual",
      instructions,
      signal,
      plan: (branch, { contextWindow }, { planOnRequest }) =>
        planOnRequest(branch, scaleBudget(this.#options.settings, contextWindow).keepRecentTokens),
    });
    if (!outcome) {
      throw new SessionError(
        "nothing_to_compact",
        "There is nothing to compact: no prompt has been answered since the beginning or the last compaction.",
      );
    }
    if ("result" in outcome) return outcome.result;
    if (outcome.aborted) throw new SessionError("aborted", "The compaction was aborted. The conversation is unchanged.");
    throw new SessionError("compaction_failed", `The conversation could not be compacted: ${outcome.errorMessage}`);
  }

  /** Stops the compaction that is going, if any, and resolves when it has ended. */
  async abort(): Promise<void> {
    if (!this.#current) return;
    this.#current.abort();
    await this.#ended;
  }

  /** Resolves when no compaction is going, listeners of its last event included. */
  async waitForIdle(): Promise<void> {
    let ended: Promise<void>;
    do {
      ended = this.#ended;
      await ended;
    } while (ended !== this.#ended);
  }

  /** Makes room for messages that have been accepted, and waits for the compaction that is going. Call it before the prompt's run. */
  async beforeRun(incoming: readonly AgentMessage[], signal: AbortSignal): Promise<void> {
    await this.waitForIdle();
    this.#hasFailed = false;
    this.#hasRecovered = false;
    const incomingTokens = incoming.reduce((sum, message) => sum + estimateMessage(message), 0);
    await this.#compactIfNeeded(incomingTokens, signal);
  }

  /** Makes room before the next model call of a run. Call it after a turn that did not fail, if the run goes on. */
  async betweenTurns(signal: AbortSignal): Promise<void> {
    this.#hasRecovered = false;
    await this.#compactIfNeeded(0, signal);
  }

  /** Makes room after a run, so that the next prompt need not wait. Call it between `agent_end` and `agent_settled`. */
  async afterRun(signal: AbortSignal): Promise<void> {
    const last = this.#options.state.messages.at(-1);
    if (last && !isFailed(last)) await this.#compactIfNeeded(0, signal);
  }

  /**
   * Deals with an answer that failed because the conversation is too long: compacts it, once until an answer succeeds. Call it where a
   * failure is not retried otherwise.
   *
   * @returns Whether to ask again.
   */
  async recover({ answer, failure }: FailedAnswer, signal: AbortSignal): Promise<boolean> {
    const isOverflow = failure?.code === "context_overflow" || failure?.code === "request_too_large";
    if (!isOverflow || !this.#enabled || this.#hasRecovered || !this.#isOfCurrentModel(answer)) return false;
    this.#hasRecovered = true;
    const outcome = await this.#perform({
      reason: "overflow",
      willRetry: true,
      signal,
      plan: (branch, model, planning) => this.#planRecovery(branch, model, planning),
    });
    return outcome !== undefined && "result" in outcome && !signal.aborted;
  }

  async #compactIfNeeded(incomingTokens: number, signal: AbortSignal): Promise<void> {
    const { settings, state } = this.#options;
    const { model, messages } = state;
    if (!this.#enabled || !model || this.#hasFailed || this.#current || signal.aborted) return;
    const tokens = measureContext(state).tokens + incomingTokens;
    const answer = messages.findLast(({ role }) => role === "assistant");
    const overflowed =
      answer?.role === "assistant" &&
      isSilentOverflow(answer, model) &&
      this.#isOfCurrentModel(answer) &&
      isSinceCompaction(answer, messages);
    if (!overflowed && !isPastThreshold(tokens, settings, model.contextWindow)) return;
    const budget = scaleBudget(settings, model.contextWindow);
    const outcome = await this.#perform({
      reason: overflowed ? "overflow" : "threshold",
      signal,
      plan: (branch, _model, { planCompaction }) => {
        const plan = planCompaction(branch, budget.keepRecentTokens, state.messages.length);
        return plan && plan.summarisedTokens >= leastWorthwhile(budget) ? plan : undefined;
      },
    });
    this.#hasFailed = outcome !== undefined && !("result" in outcome);
  }

  /** Keeps what is usual; only as much as must be where even that would be too long. */
  #planRecovery(branch: readonly SessionEntry[], model: Model, { planCompaction }: Planning): CompactionPlan | undefined {
    const { settings, state } = this.#options;
    const window = this.#windowOf(model);
    const budget = scaleBudget(settings, window);
    const plan = planCompaction(branch, budget.keepRecentTokens);
    const room = window - 2 * budget.reserveTokens - estimateContext({ ...state, messages: [] });
    return plan && plan.keptTokens <= room ? plan : (planCompaction(branch, 0) ?? plan);
  }

  /** What a request may hold. What was too long just now is the most that it can be, whatever the model's entry says. */
  #windowOf({ contextWindow }: Model): number {
    const { tokens } = measureContext(this.#options.state);
    return contextWindow > 0 ? Math.min(contextWindow, tokens) : tokens;
  }

  #isOfCurrentModel({ provider, model }: { provider: string; model: string }): boolean {
    const current = this.#options.state.model;
    return current?.provider === provider && current.id === model;
  }

  /** Does a job from its first event to its last; undefined when there was nothing to do. Never rejects. */
  async #perform(job: Job): Promise<Outcome | undefined> {
    const controller = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#current = controller;
    this.#ended = ended;
    const abort = () => controller.abort();
    job.signal?.addEventListener("abort", abort, { once: true });
    if (job.signal?.aborted) abort();
    let isTold = false;
    // One after the other, under each name that it has.
    const tell = async (...events: CompactionEvent[]) => {
      for (const event of events) await this.#options.emit(event);
    };
    let outcome: Outcome | undefined;
    try {
      const result = await this.#compact(job, controller.signal, async () => {
        isTold = true;
        await tell(...startEvents(job.reason));
      });
      outcome = result && { result };
    } catch (error) {
      const aborted = controller.signal.aborted;
      outcome = { aborted, errorMessage: error instanceof Error ? error.message : String(error) };
    } finally {
      job.signal?.removeEventListener("abort", abort);
      this.#current = undefined;
    }
    if (outcome && isTold) await tell(...endEvents(job, outcome));
    resolve();
    return outcome;
  }

  async #compact(job: Job, signal: AbortSignal, onStart: () => Promise<void>): Promise<CompactionResult | undefined> {
    const { state, settings, requestOptions, retry } = this.#options;
    const { model } = state;
    const before = measureContext(state);
    const branch = await this.#options.readBranch();
    // Most sessions are never compacted.
    const [planning, { collectFiles }, { summarize }, { completeSummary, findOpenRequest, writtenPart }] = await Promise.all([
      import("./cut-point.ts"),
      import("./file-lists.ts"),
      import("./summarize.ts"),
      import("./summary-text.ts"),
    ]);
    const plan = model && job.plan(branch, model, planning);
    if (!plan) return undefined;
    await onStart();
    signal.throwIfAborted();
    const window = job.reason === "overflow" ? this.#windowOf(model) : model.contextWindow;
    const request = findOpenRequest(plan);
    const wish = await this.#options.intercept?.(
      toPreview(job, plan, before.tokens, plan.previous && writtenPart(plan.previous)),
      signal,
    );
    if (wish && "cancel" in wish) this.#current?.abort();
    signal.throwIfAborted();
    const offered = wish && "summary" in wish ? { text: wish.summary, usage: emptyUsage() } : undefined;
    const { text, usage } =
      offered ??
      (await summarize({
        messages: plan.summarised,
        previousSummary: plan.previous ? writtenPart(plan.previous) : "",
        instructions: job.instructions ?? "",
        isSplit: request !== undefined,
        model,
        contextWindow: window,
        maxTokens: summaryLimit(scaleBudget(settings, window), model.maxTokens),
        thinkingLevel: state.thinkingLevel,
        requestOptions,
        retry,
        signal,
      }));
    signal.throwIfAborted();
    const details: CompactionDetails = {
      ...collectFiles(plan.summarised, plan.previous?.details),
      ...(request === undefined ? {} : { request }),
    };
    const summary = completeSummary(text, details);
    const id = this.#options.newEntryId();
    // What was added since the branch was read is kept too. Without any, everything before the entry itself is left out.
    const firstKeptEntryId = this.#options.nextInContext(plan.lastSummarisedEntryId) ?? id;
    const tokensBefore = before.tokens;
    const timestamp = Date.now();
    await this.#options.append({ type: "compaction", summary, firstKeptEntryId, tokensBefore, usage, details }, id);
    const replaced = plan.summarised.length + (plan.previous ? 1 : 0);
    const kept = state.messages.slice(replaced);
    state.messages.splice(0, replaced, createCompactionSummary({ summary, tokensBefore, timestamp }, kept));
    return { summary, tokensBefore, firstKeptEntryId, estimatedTokensAfter: estimateContext(state), usage, details };
  }
}

type Outcome = { result: CompactionResult } | { aborted: boolean; errorMessage: string };

function toPreview(
  { reason, instructions }: Job,
  { summarised }: CompactionPlan,
  tokensBefore: number,
  previousSummary: string | undefined,
): CompactionPreview {
  return {
    reason,
    messages: structuredClone(summarised),
    tokensBefore,
    ...(instructions === undefined ? {} : { instructions }),
    ...(previousSummary === undefined ? {} : { previousSummary }),
  };
}

/** One that starts by itself is told under the name that it had first, then under the one that every compaction has. */
function startEvents(reason: Reason): CompactionEvent[] {
  if (reason === "manual") return [{ type: "compaction_start", reason }];
  return [
    { type: "auto_compaction_start", reason },
    { type: "compaction_start", reason },
  ];
}

function endEvents({ reason, willRetry = false, signal }: Job, outcome: Outcome): CompactionEvent[] {
  const fields =
    "result" in outcome
      ? { result: outcome.result, aborted: false, willRetry: willRetry && signal?.aborted !== true }
      : {
          result: null,
          aborted: outcome.aborted,
          willRetry: false,
          ...(outcome.aborted ? {} : { errorMessage: outcome.errorMessage }),
        };
  if (reason === "manual") return [{ type: "compaction_end", reason, ...fields }];
  return [
    { type: "auto_compaction_end", reason, ...fields },
    { type: "compaction_end", reason, ...fields },
  ];
}
