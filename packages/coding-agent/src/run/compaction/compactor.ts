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

type CompactionEntry = Extract<EntryContent, { type: "compaction" }>;

export interface CompactorOptions {
  settings: CompactionSettings;
  /**
   * The agent's state. Its messages are the context of the active branch, with the last compaction's summary first. A compaction replaces
   * the first messages, in place; it does not change messages that are added at the end meanwhile.
   */
  state: AgentState;
  /** The active branch in path order, from the first entry that the last compaction kept, or an earlier one. */
  readBranch(): readonly SessionEntry[] | Promise<readonly SessionEntry[]>;
  /** An unused entry id. */
  newEntryId(): string;
  /** The first entry after this one on the active branch that belongs to the context; undefined if there is none. */
  nextInContext(entryId: string): string | undefined;
  /** Stores the entry with this id. If it throws, the compaction fails. It must not throw if entries are only delayed. */
  append(entry: CompactionEntry, id: string): Promise<void>;
  requestOptions(model: Model): RequestOptions | Promise<RequestOptions>;
  /** Separate from the retries of answers, because a compaction may happen between those. */
  retry: Pick<AutoRetry, "shouldRetry" | "observe">;
  emit(event: CompactionEvent): void | Promise<void>;
  /** Called after the start event. Its result can cancel the compaction or give the summary. Default: the model writes it. */
  intercept?: ((preview: CompactionPreview, signal: AbortSignal) => Promise<CompactionWish | undefined>) | undefined;
}

type Reason = "manual" | "threshold" | "overflow";
type Planning = typeof import("./cut-point.ts");

/** The task of one compaction. */
interface Job {
  reason: Reason;
  instructions?: string | undefined;
  /** Whether the failed model call is repeated afterwards. */
  willRetry?: boolean;
  signal?: AbortSignal | undefined;
  /** Chooses the messages to summarise. Undefined if there are none; then no event is emitted. */
  plan(branch: readonly SessionEntry[], model: Model, planning: Planning): CompactionPlan | undefined;
}

/**
 * Summarises the older part of a conversation: when the context window is nearly full, when the provider reports that the conversation is
 * too long, or on request. One compaction at a time. A failed or aborted compaction changes nothing.
 */
export class Compactor {
  readonly #options: CompactorOptions;
  #enabled: boolean;
  #current: AbortController | undefined;
  /** Resolves when the latest compaction has ended and its end events are emitted. */
  #ended = Promise.resolve();
  /** Whether a compaction was already made for the current overflow. */
  #hasRecovered = false;
  /** Whether a compaction of this run has failed. Then later turns do not try again. */
  #hasFailed = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#enabled = options.settings.enabled;
  }

  get isCompacting(): boolean {
    return this.#current !== undefined;
  }

  /** Whether automatic compaction is on. */
  get enabled(): boolean {
    return this.#enabled;
  }

  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
  }

  /** The use of the current model's context window; undefined without a model. */
  get contextUsage(): ContextUsage | undefined {
    const { state } = this.#options;
    return state.model && contextUsageOf(state, state.model.contextWindow);
  }

  /**
   * Compacts now, however short the conversation is. Call it only while no run is active.
   *
   * @param instructions - Further instructions for the summary.
   * @throws {SessionError} `busy` during another compaction, `no_model`, `nothing_to_compact` without a model call, `aborted`,
   *   `compaction_failed` with the reason. The conversation is unchanged then.
   */
  async compact(instructions?: string, signal?: AbortSignal): Promise<CompactionResult> {
    if (this.#current) throw new SessionError("busy", "A compaction is already running. Wait until it has ended, or abort it.");
    if (!this.#options.state.model)
      throw new SessionError("no_model", "No model is chosen to write the summary. Choose one with set_model or --model.");
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

  /** Aborts the current compaction, if any, and resolves when it has ended. */
  async abort(): Promise<void> {
    if (!this.#current) return;
    this.#current.abort();
    await this.#ended;
  }

  /** Resolves when no compaction is active and the listeners of its last event have finished. */
  async waitForIdle(): Promise<void> {
    let ended: Promise<void>;
    do {
      ended = this.#ended;
      await ended;
    } while (ended !== this.#ended);
  }

  /** Waits for the current compaction, then makes room for accepted messages. Call it before the prompt's run. */
  async beforeRun(incoming: readonly AgentMessage[], signal: AbortSignal): Promise<void> {
    await this.waitForIdle();
    this.#hasFailed = false;
    this.#hasRecovered = false;
    const incomingTokens = incoming.reduce((sum, message) => sum + estimateMessage(message), 0);
    await this.#compactIfNeeded(incomingTokens, signal);
  }

  /** Makes room before the next model call of a run. Call it after a successful turn, if the run continues. */
  async betweenTurns(signal: AbortSignal): Promise<void> {
    this.#hasRecovered = false;
    await this.#compactIfNeeded(0, signal);
  }

  /** Makes room after a run, so that the next prompt does not wait. Call it between `agent_end` and `agent_settled`. */
  async afterRun(signal: AbortSignal): Promise<void> {
    const last = this.#options.state.messages.at(-1);
    if (last && !isFailed(last)) await this.#compactIfNeeded(0, signal);
  }

  /**
   * Compacts the conversation if an answer failed because it is too long. Does so once until an answer succeeds. Call it if nothing else
   * retries the failure.
   *
   * @returns Whether to repeat the model call.
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

  /** Keeps the usual amount, or only the necessary minimum if the usual amount would still be too long. */
  #planRecovery(branch: readonly SessionEntry[], model: Model, { planCompaction }: Planning): CompactionPlan | undefined {
    const { settings, state } = this.#options;
    const window = this.#windowOf(model);
    const budget = scaleBudget(settings, window);
    const plan = planCompaction(branch, budget.keepRecentTokens);
    const room = window - 2 * budget.reserveTokens - estimateContext({ ...state, messages: [] });
    return plan && plan.keptTokens <= room ? plan : (planCompaction(branch, 0) ?? plan);
  }

  /** The tokens that fit a request: at most those of the request that was too long, whatever the model's entry says. */
  #windowOf({ contextWindow }: Model): number {
    const { tokens } = measureContext(this.#options.state);
    return contextWindow > 0 ? Math.min(contextWindow, tokens) : tokens;
  }

  #isOfCurrentModel({ provider, model }: { provider: string; model: string }): boolean {
    const current = this.#options.state.model;
    return current?.provider === provider && current.id === model;
  }

  /** Runs a job from its first event to its last. Undefined if there was nothing to do. Never rejects. */
  async #perform(job: Job): Promise<Outcome | undefined> {
    const controller = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#current = controller;
    this.#ended = ended;
    const abort = () => controller.abort();
    job.signal?.addEventListener("abort", abort, { once: true });
    if (job.signal?.aborted) abort();
    let isTold = false;
    // One after another, for each name of the event.
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
    // Loaded on demand: most sessions are never compacted.
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
      {
        ...toPreview(job, plan, before.tokens, plan.previous && writtenPart(plan.previous)),
        ...{
          firstKeptEntryId: this.#options.nextInContext(plan.lastSummarisedEntryId) ?? "",
          settings: scaleBudget(settings, window),
        },
      },
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
    const ofHook =
      wish && "summary" in wish ? { fromHook: true, ...(wish.details === undefined ? {} : { details: wish.details }) } : {};
    const details: CompactionDetails = {
      ...collectFiles(plan.summarised, plan.previous?.details),
      ...(request === undefined ? {} : { request }),
    };
    const summary = completeSummary(text, details);
    const id = this.#options.newEntryId();
    // Entries that were added since the branch was read are kept too. Without any, nothing before the compaction entry is kept.
    const firstKeptEntryId = this.#options.nextInContext(plan.lastSummarisedEntryId) ?? id;
    const tokensBefore = before.tokens;
    const timestamp = Date.now();
    await this.#options.append({ type: "compaction", summary, firstKeptEntryId, tokensBefore, usage, details, ...ofHook }, id);
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
): Omit<CompactionPreview, "firstKeptEntryId" | "settings"> {
  return {
    reason,
    messages: structuredClone(summarised),
    tokensBefore,
    ...(instructions === undefined ? {} : { instructions }),
    ...(previousSummary === undefined ? {} : { previousSummary }),
  };
}

/** An automatic compaction has two start events: the older name first, then the name that every compaction has. */
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
