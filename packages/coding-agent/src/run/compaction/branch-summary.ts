import type { AgentMessage } from "@pikit/agent";
import type { Model, ThinkingLevel, Usage } from "@pikit/ai";
import { SessionError } from "../../errors.ts";
import type { CompactionDetails } from "../../protocol/data.ts";
import { collectFiles } from "./file-lists.ts";
import { type CompactionBudget, scaleBudget, summaryLimit } from "./policy.ts";
import { type SummaryRequest, summarize } from "./summarize.ts";
import { completeSummary } from "./summary-text.ts";

/** The summary of a branch that the session has left. */
export interface BranchSummary {
  summary: string;
  details?: unknown;
  usage?: Usage;
  /** Whether an extension has written it. */
  fromHook?: boolean;
}

export interface BranchSummaryRequest extends Pick<SummaryRequest, "requestOptions" | "retry" | "signal"> {
  /** The messages after the point at which the branches part. */
  messages: readonly AgentMessage[];
  /** Further instructions; empty if there are none. */
  instructions: string;
  model: Model | undefined;
  thinkingLevel: ThinkingLevel;
  budget: CompactionBudget;
}

/**
 * Summarises a branch with the model.
 *
 * @throws {SessionError} `no_model`.
 * @throws {AiError} When a request fails after its retries; `aborted` after an abort.
 */
export async function summariseBranch(request: BranchSummaryRequest): Promise<BranchSummary> {
  const { messages, model, budget } = request;
  if (!model) throw new SessionError("no_model", "No model is chosen to write the summary. Choose one with set_model or --model.");
  const { text, usage } = await summarize({
    ...request,
    ...{ model, previousSummary: "", isSplit: false, contextWindow: model.contextWindow },
    maxTokens: summaryLimit(scaleBudget(budget, model.contextWindow), model.maxTokens),
  });
  const details: CompactionDetails = collectFiles(messages, undefined);
  return { summary: completeSummary(text, details), details, usage };
}
