import type { AgentMessage } from "@pikit/agent";
import type { Model } from "@pikit/ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../../ai/src/api-adapter.ts";
import { anthropicWriter } from "../../../../ai/src/apis/anthropic-messages/request.ts";
import { googleWriter } from "../../../../ai/src/apis/google-generative-ai/request.ts";
import { completionsWriter } from "../../../../ai/src/apis/openai-completions/request.ts";
import { responsesWriter } from "../../../../ai/src/apis/openai-responses/request.ts";
import { testModel } from "../../../../ai/test/helpers/models.ts";
import { anthropicRules, chatRules, googleRules, responsesRules, type WireRules } from "../../../../ai/test/helpers/wire-rules.ts";
import { isFailed } from "../../../src/conversation/compaction-summary.ts";
import { readBranch } from "../../../src/conversation/context.ts";
import type { SessionEntry } from "../../../src/conversation/entries.ts";
import { toModelMessages } from "../../../src/conversation/messages.ts";
import { estimateMessage } from "../../../src/run/compaction/context-size.ts";
import { type CompactionPlan, planCompaction, planOnRequest } from "../../../src/run/compaction/cut-point.ts";
import { anyBranch } from "./branches.ts";
import { add, createCompacted } from "./helpers.ts";

const numRuns = process.env.PIKIT_LONG === "1" ? 20_000 : 300;
const sampling = { seed: 6, numRuns };

interface Target {
  model: Model;
  createBody: (request: ApiRequest) => unknown;
  rules: WireRules;
}

function target(api: string, createBody: Target["createBody"], rules: WireRules): Target {
  return { model: testModel(api, "http://localhost", { id: `model of ${api}`, reasoning: true }), createBody, rules };
}

const targets = [
  target("anthropic-messages", anthropicWriter.createBody, anthropicRules),
  target("openai-completions", completionsWriter.createBody, chatRules()),
  target("openai-responses", responsesWriter.createBody, responsesRules),
  target("google-generative-ai", googleWriter.createBody, googleRules),
];
const branches = anyBranch(targets.map(({ model }) => model));
const keepTokens = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constant(0));

/** Runs `check` for random branches of which something can be compacted, by itself and because somebody asks for it. */
function forBranches(check: (plan: CompactionPlan, branch: SessionEntry[], keep: number, isAsked: boolean) => void): void {
  fc.assert(
    fc.property(branches, keepTokens, fc.boolean(), (branch, keep, isAsked) => {
      const plan = (isAsked ? planOnRequest : planCompaction)(branch, keep);
      if (plan) check(plan, branch, keep, isAsked);
    }),
    sampling,
  );
}

/** The context once the plan has been carried out. */
function contextAfter({ firstKeptEntryId }: CompactionPlan, branch: readonly SessionEntry[]): AgentMessage[] {
  const entries = [...branch];
  const id = "compaction";
  add(entries, { type: "compaction", summary: "Summary", firstKeptEntryId: firstKeptEntryId ?? id, tokensBefore: 1 }, id);
  return readBranch(entries).messages;
}

describe.each(targets)("CP-016 $model.api", ({ model, createBody, rules }) => {
  test("whatever the branch, the compacted context is valid", () => {
    forBranches((plan, branch) => {
      const context = { messages: toModelMessages(contextAfter(plan, branch)) };
      const body = createBody({ model, context, options: { reasoning: "low" } });
      rules(JSON.parse(JSON.stringify(body)));
    });
  });
});

test("CP-004 CP-007 at least the budget is kept, and no message is lost, doubled or moved", () => {
  forBranches((plan, branch, keep, isAsked) => {
    const { messages } = readBranch(branch);
    const before = plan.previous ? messages.slice(1) : messages;
    expect([...plan.summarised, ...plan.kept]).toEqual(before);
    expect(contextAfter(plan, branch).slice(1)).toEqual(plan.kept);
    const keptTokens = plan.kept.reduce((sum, message) => sum + estimateMessage(message), 0);
    if (!isAsked) expect(keptTokens).toBeGreaterThanOrEqual(keep);
    expect(plan.summarised.some((message) => estimateMessage(message) > 0)).toBe(true);
  });
});

test("CP-004 a call and its result are on the same side, and the kept part does not begin with a result", () => {
  forBranches(({ summarised, kept }) => {
    expect(kept[0]?.role).not.toBe("toolResult");
    const calls = new Set(
      summarised.flatMap((message) =>
        message.role === "assistant" && !isFailed(message)
          ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
          : [],
      ),
    );
    for (const message of kept) if (message.role === "toolResult") expect(calls.has(message.toolCallId)).toBe(false);
  });
});

test("CP-005 the kept part begins with a request unless the turn is longer than the budget", () => {
  forBranches(({ summarised, kept }, _branch, keep) => {
    if (keep === 0 || kept.length === 0 || kept[0]?.role === "user") return;
    const next = kept.findIndex(({ role }) => role === "user");
    const start = summarised.findLastIndex(({ role }) => role === "user");
    // Without a start the turn was cut before.
    if (start < 0) return;
    const turn = [...summarised.slice(start), ...kept.slice(0, next < 0 ? kept.length : next)];
    expect(turn.reduce((sum, message) => sum + estimateMessage(message), 0)).toBeGreaterThan(keep);
  });
});

test("the agent's context after a compaction is what the stored branch says", async () => {
  await fc.assert(
    fc.asyncProperty(branches, async (entries) => {
      const { agent, compactor } = createCompacted({ entries, model: { contextWindow: 1000 } });
      const begin = entries.length;
      await compactor.compact().catch((error: { code: string }) => expect(error.code).toBe("nothing_to_compact"));
      expect(agent.state.messages.map(withoutTime)).toEqual(readBranch(entries).messages.map(withoutTime));
      expect(entries.length - begin).toBeLessThanOrEqual(1);
    }),
    { ...sampling, numRuns: numRuns / 5 },
  );
});

function withoutTime(message: AgentMessage): AgentMessage {
  return message.role === "compactionSummary" ? { ...message, timestamp: 0 } : message;
}
