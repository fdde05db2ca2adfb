import type { AgentMessage } from "@pikit/agent";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readBranch } from "../../../src/conversation/context.ts";
import type { SessionEntry } from "../../../src/conversation/entries.ts";
import type { CompactionEvent } from "../../../src/protocol/events.ts";
import { assistantMessage, userMessage } from "../../helpers/messages.ts";
import { findViolations } from "../../helpers/outgoing.ts";
import {
  add,
  answer,
  type Compacted,
  createBulkTool,
  createCompacted,
  isEcho,
  outline,
  path,
  textAt,
  textOfTokens,
  usageOf,
  user,
  work,
} from "./helpers.ts";

// With a window of 10,000 tokens both budgets are 2500, and the threshold is 7500.
const long = [user(1000, "one"), answer(1000), user(1000, "two"), answer(1000), user(1000, "three"), answer(1000)];
const overflow = { error: { status: 400, message: "prompt is too long: 1200 tokens > 1000 maximum" } };
const callBulk = { toolCalls: [{ name: "bulk" }] };

function ends({ events }: Compacted): CompactionEvent[] {
  return events
    .filter((event, index) => !isEcho(event, events[index - 1]))
    .filter((event) => event.type === "auto_compaction_end" || event.type === "compaction_end");
}

function compactionsIn(entries: readonly SessionEntry[]) {
  return entries.filter((entry) => entry.type === "compaction");
}

function rolesOf(messages: readonly AgentMessage[]): string[] {
  return messages.map(({ role }) => role);
}

/** What the protocol's schemas have against the events of compactions. */
function violations({ events }: Compacted): string[] {
  return events.flatMap((event) => (event.type.includes("compaction") ? findViolations(JSON.parse(JSON.stringify(event))) : []));
}

describe("manual", () => {
  test("CP-016 CP-018 gives the result, stores the entry, and begins the context with the summary", async () => {
    const read = work(1000, { id: "1", name: "read", path: "./a.ts" }, { id: "2", name: "edit", path: "b.ts" });
    const session = createCompacted({ entries: path(user(1000, "one"), ...read, ...long) });
    const { agent, compactor, entries, events } = session;
    const before = [...agent.state.messages];
    const result = await compactor.compact("Only the tests");
    expect(result).toEqual({
      summary: "Summary 2\n\n<read-files>\na.ts\n</read-files>\n\n<modified-files>\nb.ts\n</modified-files>",
      tokensBefore: expect.any(Number),
      firstKeptEntryId: "e9",
      estimatedTokensAfter: expect.any(Number),
      usage: expect.objectContaining({ output: expect.any(Number) }),
      details: { readFiles: ["a.ts"], modifiedFiles: ["b.ts"] },
    });
    expect(result.estimatedTokensAfter).toBeLessThan(result.tokensBefore / 2);
    const { estimatedTokensAfter: _, ...stored } = result;
    expect(entries.at(-1)).toMatchObject({ type: "compaction", ...stored });
    expect(agent.state.messages[0]).toEqual({
      role: "compactionSummary",
      summary: result.summary,
      tokensBefore: result.tokensBefore,
      timestamp: expect.any(Number),
    });
    expect(agent.state.messages.slice(1)).toEqual(before.slice(8));
    expect(events).toEqual([
      { type: "compaction_start", reason: "manual" },
      { type: "compaction_end", reason: "manual", result, aborted: false, willRetry: false },
    ]);
    expect(violations(session)).toEqual([]);
    expect(textAt(session.summaryRequests[0], 0)).toContain("<focus>\nOnly the tests\n</focus>");
  });

  test.each([
    ["an empty conversation", []],
    ["a prompt without an answer", [user(1000), assistantMessage("", { content: [], stopReason: "aborted" })]],
  ])("CP-006 %s is an error without an event or a model call", async (_what, messages) => {
    const session = createCompacted({ entries: path(...messages) });
    await expect(session.compactor.compact()).rejects.toMatchObject({ name: "SessionError", code: "nothing_to_compact" });
    expect(session.events).toEqual([]);
    expect(session.summaryRequests).toEqual([]);
    expect(session.compactor.isCompacting).toBe(false);
  });

  test("one short answered prompt is summarised whole, and nothing is kept but what was added meanwhile", async () => {
    const session = createCompacted({ entries: path(user(1, "hi"), answer(1)) });
    const result = await session.compactor.compact();
    expect(result).toMatchObject({ summary: "Summary 1", firstKeptEntryId: "e3", details: { readFiles: [], modifiedFiles: [] } });
    expect(session.entries.at(-1)).toMatchObject({ type: "compaction", id: "e3", firstKeptEntryId: "e3" });
    expect(rolesOf(session.agent.state.messages)).toEqual(["compactionSummary"]);
    expect(outline(session.events)).toEqual(["compaction_start manual", "compaction_end manual done"]);
    await expect(session.compactor.compact()).rejects.toMatchObject({ code: "nothing_to_compact" });
    await session.prompt("Next");
    expect(session.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
    await session.compactor.compact();
    expect(textAt(session.summaryRequests[1], 0)).toContain("<previous-summary>\nSummary 1\n</previous-summary>");
    expect(readBranch(session.entries).messages).toMatchObject([{ role: "compactionSummary", summary: "Summary 2" }]);
  });

  test("a prompt that is accepted while the only turn is summarised is kept", async () => {
    const session = createCompacted({
      entries: path(user(1), answer(1)),
      summaries: () => {
        add(session.entries, { type: "message", message: userMessage("accepted meanwhile") });
        return { text: "Summary" };
      },
    });
    expect(await session.compactor.compact()).toMatchObject({ firstKeptEntryId: "e3" });
    expect(readBranch(session.entries).messages).toMatchObject([{ role: "compactionSummary" }, { content: "accepted meanwhile" }]);
  });

  test("what precedes the last turn is summarised, however short; a last turn that is long is divided", async () => {
    const short = createCompacted({
      entries: path(user(1, "one"), answer(1), user(1, "two"), answer(1), user(1, "three"), answer(1)),
    });
    expect(await short.compactor.compact()).toMatchObject({ firstKeptEntryId: "e5" });
    expect(textAt(short.summaryRequests[0], 0).match(/^(one|two|three) /gm)).toEqual(["one ", "two "]);
    const works = [1, 2, 3].flatMap((id) => work(2000, { id: `${id}` }));
    const divided = createCompacted({ entries: path(user(1, "one"), answer(1), user(1, "two"), ...works) });
    expect(await divided.compactor.compact()).toMatchObject({ firstKeptEntryId: "e6", details: { request: expect.any(String) } });
  });

  test("a prompt that no answer has dealt with is the last turn", async () => {
    const failed = assistantMessage("", { content: [], stopReason: "error", errorMessage: "gone" });
    const session = createCompacted({ entries: path(user(1, "one"), answer(1), user(1, "two"), failed) });
    expect(await session.compactor.compact()).toMatchObject({ firstKeptEntryId: "e3" });
    expect(rolesOf(session.agent.state.messages)).toEqual(["compactionSummary", "user", "assistant"]);
  });

  test("CP-006 a second time right after the first", async () => {
    const session = createCompacted({ entries: path(...long) });
    await session.compactor.compact();
    await expect(session.compactor.compact()).rejects.toMatchObject({ code: "nothing_to_compact" });
    expect(session.summaryRequests).toHaveLength(1);
  });

  test("CP-007 CP-018 the next one continues the summary and the lists, modified wins, and the context uses only the newest", async () => {
    const edits = work(500, { id: "1", name: "read", path: "a.ts" }, { id: "2", name: "read", path: "b.ts" });
    const session = createCompacted({ entries: path(user(500, "zero"), ...edits, ...long) });
    await session.compactor.compact();
    const requestsBefore = session.summaryRequests.length;
    for (const message of [
      ...work(1000, { id: "3", name: "write", path: "a.ts" }, { id: "4", name: "edit", path: "gone.ts", isError: true }),
      ...long,
    ]) {
      session.agent.state.messages.push(message);
      add(session.entries, { type: "message", message });
    }
    const { details, summary } = await session.compactor.compact();
    expect(details).toEqual({ readFiles: ["b.ts"], modifiedFiles: ["a.ts"] });
    const requests = session.summaryRequests.slice(requestsBefore).map((request) => textAt(request, 0));
    expect(requests[0]).toContain(`<previous-summary>\nSummary ${requestsBefore}\n</previous-summary>`);
    expect(requests[0]).not.toContain("read-files");
    expect(requests.join("\n").match(/^(one|two|three) /gm)).toEqual(["three ", "one ", "two "]);
    expect(rolesOf(session.agent.state.messages).filter((role) => role === "compactionSummary")).toHaveLength(1);
    expect(session.agent.state.messages[0]).toMatchObject({ summary });
  });

  test.each([
    ["empty", {}, "The model's summary was empty."],
    ["only blanks", { text: " \n\t " }, "The model's summary was empty."],
    ["an error", { error: { status: 400, message: "No." } }, "400 from script: No."],
  ])("CP-010 %s: an unusable summary changes nothing", async (_what, summary, errorMessage) => {
    const session = createCompacted({ entries: path(...long), summaries: () => summary });
    const before = [...session.agent.state.messages];
    await expect(session.compactor.compact()).rejects.toMatchObject({
      code: "compaction_failed",
      message: expect.stringContaining(errorMessage),
    });
    expect(ends(session)).toEqual([
      { type: "compaction_end", reason: "manual", result: null, aborted: false, willRetry: false, errorMessage },
    ]);
    expect(session.agent.state.messages).toEqual(before);
    expect(session.entries).toHaveLength(6);
    expect(session.compactor.isCompacting).toBe(false);
  });

  test("CP-010 a failure that passes is retried by the retry policy, and paid for", async () => {
    const session = createCompacted({
      entries: path(...long),
      summaries: (_context, index) => (index === 0 ? { error: { status: 529, message: "busy" } } : { text: "At last" }),
    });
    expect(await session.compactor.compact()).toMatchObject({ summary: "At last" });
    expect(outline(session.events)).toEqual([
      ...["compaction_start manual", "auto_retry_start", "auto_retry_end", "compaction_end manual done"],
    ]);
  });

  test("CP-010 a store that refuses the entry fails the compaction", async () => {
    const append = () => Promise.reject(new Error("disk full"));
    const session = createCompacted({ entries: path(...long), append });
    await expect(session.compactor.compact()).rejects.toMatchObject({ message: expect.stringContaining("disk full") });
    expect(rolesOf(session.agent.state.messages)).not.toContain("compactionSummary");
  });

  test.each(["abort()", "the signal"])("CP-010 CP-015 %s ends it at once", async (how) => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<void>();
    const session = createCompacted({
      entries: path(...long),
      summaries: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const compacting = session.compactor.compact(undefined, controller.signal);
    const refused = expect(compacting).rejects.toMatchObject({ code: "aborted" });
    await asked.promise;
    expect(session.compactor.isCompacting).toBe(true);
    if (how === "abort()") await session.compactor.abort();
    else controller.abort();
    await refused;
    expect(ends(session)).toEqual([{ type: "compaction_end", reason: "manual", result: null, aborted: true, willRetry: false }]);
    expect(session.entries).toHaveLength(6);
    expect(session.compactor.isCompacting).toBe(false);
  });

  test("CP-014 a second compaction at the same time is refused; a prompt waits and runs afterwards", async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const session = createCompacted({
      entries: path(...long),
      summaries: async () => {
        asked.resolve();
        await go.promise;
        return { text: "Summary" };
      },
    });
    const compacting = session.compactor.compact();
    await asked.promise;
    await expect(session.compactor.compact()).rejects.toMatchObject({ code: "busy" });
    const prompting = session.prompt("Next");
    go.resolve();
    await Promise.all([compacting, prompting]);
    expect(outline(session.events)).toEqual([
      ...["compaction_start manual", "compaction_end manual done"],
      ...["agent_start", "turn_start", "user", "assistant stop", "agent_end", "agent_settled"],
    ]);
    expect(rolesOf(session.agent.state.messages)).toEqual(["compactionSummary", "user", "assistant", "user", "assistant"]);
    expect(textAt(session.requests[0], 0)).toContain("<summary>\nSummary\n</summary>");
  });

  test("without a model it is refused", async () => {
    const session = createCompacted({ entries: path(...long) });
    session.agent.state.model = undefined;
    await expect(session.compactor.compact()).rejects.toMatchObject({ code: "no_model" });
  });
});

describe("CP-001 threshold", () => {
  test("before a prompt that would pass it, the prompt's own size included", async () => {
    const session = createCompacted({ entries: path(...long) });
    await session.prompt(textOfTokens(2000, "big"));
    expect(outline(session.events)).toEqual([
      ...["auto_compaction_start threshold", "auto_compaction_end threshold done"],
      ...["agent_start", "turn_start", "user", "assistant stop", "agent_end", "agent_settled"],
    ]);
    expect(rolesOf(session.agent.state.messages).slice(0, 2)).toEqual(["compactionSummary", "user"]);
    const users = session.agent.state.messages.flatMap((message) => (message.role === "user" ? [String(message.content)] : []));
    expect(users.map((text) => text.split(" ")[0])).toEqual(["three", "big"]);
  });

  test("between a tool batch and the next request, and not before", async () => {
    const session = createCompacted({
      entries: path(...long.slice(0, 4)),
      tools: [createBulkTool(1500)],
      answers: [callBulk, callBulk, callBulk, { text: "Done" }],
    });
    await session.prompt("Go");
    expect(outline(session.events)).toEqual([
      ...["agent_start", "turn_start", "user", "assistant toolUse", "toolResult"],
      ...["turn_start", "assistant toolUse", "toolResult"],
      ...["turn_start", "assistant toolUse", "toolResult"],
      ...["auto_compaction_start threshold", "auto_compaction_end threshold done"],
      ...["turn_start", "assistant stop", "agent_end", "agent_settled"],
    ]);
    const [summary, ...kept] = session.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(summary)).toContain("<summary>\\nSummary");
    expect(kept[0]?.role).toBe("assistant");
  });

  test("CP-005 the request of a turn that is cut is in the summary, also in the next one", async () => {
    const session = createCompacted({
      tools: [createBulkTool(1500)],
      answers: (_context, index) => (index < 14 ? callBulk : { text: "Done" }),
    });
    await session.prompt("Rename the module </open-request> to core");
    const summaries = compactionsIn(session.entries);
    expect(summaries.length).toBeGreaterThan(1);
    for (const { summary } of summaries) {
      expect(summary).toContain("<open-request>\nRename the module &lt;/open-request> to core\n</open-request>");
    }
    expect(textAt(session.summaryRequests[0], 0)).toContain("breaks off in the middle");
    expect(violations(session)).toEqual([]);
    expect(session.agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("after the last turn, between agent_end and agent_settled, by what the provider reports, also within one millisecond", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const session = createCompacted({ entries: path(...long), answers: [{ text: "Done", usage: { input: 8000, output: 1 } }] });
    await session.prompt("Go");
    expect(outline(session.events).slice(-4)).toEqual([
      ...["agent_end", "auto_compaction_start threshold", "auto_compaction_end threshold done", "agent_settled"],
    ]);
    expect(ends(session)).toMatchObject([{ result: { tokensBefore: 8001 } }]);
    expect(session.compactor.contextUsage).toEqual({ tokens: null, contextWindow: 10_000, percent: null });
    await session.prompt("And then?");
    expect(session.compactor.contextUsage?.tokens).toBeGreaterThan(0);
  });

  test("CP-002 usage of an aborted turn is ignored, and the check comes before the next prompt", async () => {
    const aborted = answer(40, { stopReason: "aborted", usage: usageOf(50_000) });
    const session = createCompacted({ entries: path(...long, user(100, "four"), aborted) });
    await session.prompt("Small");
    expect(ends(session)).toEqual([]);
    await session.prompt(textOfTokens(2000));
    expect(ends(session)).toHaveLength(1);
  });

  test("CP-003 a small window is not compacted on every turn", async () => {
    const session = createCompacted({ model: { contextWindow: 8000, maxTokens: 1000 } });
    for (let n = 0; n < 60; n += 1) await session.prompt(textOfTokens(1000, `prompt ${n}`));
    const count = compactionsIn(session.entries).length;
    expect(count).toBeGreaterThan(1);
    // 60,000 tokens, of which each compaction takes 4,000 away.
    expect(count).toBeLessThan(18);
  });

  test("CP-003 not even where the system prompt alone is past the threshold", async () => {
    const session = createCompacted();
    session.agent.state.systemPrompt = textOfTokens(8000);
    for (let n = 0; n < 20; n += 1) await session.prompt(textOfTokens(200, `prompt ${n}`));
    expect(compactionsIn(session.entries).length).toBeLessThan(6);
  });

  test("CP-003 an unknown window has no threshold", async () => {
    const session = createCompacted({ model: { contextWindow: 0 }, entries: path(...long, ...long, ...long) });
    await session.prompt("Go");
    expect(ends(session)).toEqual([]);
  });

  test("off, nothing is compacted by itself, until it is on again", async () => {
    const session = createCompacted({ entries: path(...long, ...long), settings: { enabled: false } });
    await session.prompt("Go");
    expect(ends(session)).toEqual([]);
    session.compactor.setEnabled(true);
    await session.prompt("Go");
    expect(ends(session)).toHaveLength(1);
  });

  test("CP-010 one that fails is not tried again in the same run, and the run goes on", async () => {
    const session = createCompacted({
      entries: path(...long),
      tools: [createBulkTool(1500)],
      answers: [callBulk, callBulk, callBulk, { text: "Done" }],
      summaries: () => ({}),
    });
    await session.prompt("Go");
    expect(session.summaryRequests).toHaveLength(1);
    expect(session.agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
    await session.prompt("Again");
    expect(session.summaryRequests).toHaveLength(2);
    expect(outline(session.events).filter((line) => line.includes("_end"))).not.toContain("auto_compaction_end threshold done");
  });

  test("CP-013 an aborted one has its end event", async () => {
    const controller = new AbortController();
    const session = createCompacted({
      entries: path(...long, ...long),
      summaries: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    await session.prompt("Go", controller.signal);
    expect(ends(session)).toEqual([
      { type: "auto_compaction_end", reason: "threshold", result: null, aborted: true, willRetry: false },
    ]);
  });
});

describe("CP-011 overflow", () => {
  test("ER-023 the failed answer leaves the context, the conversation is compacted, and the same is asked once more", async () => {
    const session = createCompacted({ entries: path(...long), answers: [overflow, { text: "Done" }] });
    await session.prompt("Go");
    expect(outline(session.events)).toEqual([
      ...["agent_start", "turn_start", "user", "assistant error"],
      ...["auto_compaction_start overflow", "auto_compaction_end overflow done, will retry"],
      ...["turn_start", "assistant stop", "agent_end", "agent_settled"],
    ]);
    const retried = session.requests[1]?.messages ?? [];
    expect(JSON.stringify(retried[0])).toContain("<summary>\\nSummary");
    expect(retried.at(-2)).toMatchObject({ role: "user", content: "Go" });
    // The request builders leave failed answers out.
    expect(retried.at(-1)).toMatchObject({ role: "assistant", stopReason: "error", content: [] });
  });

  test("a second overflow ends with one error and no loop", async () => {
    const session = createCompacted({ entries: path(...long), answers: [overflow, overflow, { text: "never" }] });
    await session.prompt("Go");
    expect(outline(session.events).slice(4)).toEqual([
      ...["auto_compaction_start overflow", "auto_compaction_end overflow done, will retry"],
      ...["turn_start", "assistant error", "agent_end", "agent_settled"],
    ]);
    expect(session.agent.state.messages.at(-1)).toMatchObject({ errorMessage: expect.stringContaining("prompt is too long") });
  });

  test("after an answer that succeeded it may happen again", async () => {
    const session = createCompacted({
      entries: path(...long),
      tools: [createBulkTool(1500)],
      answers: [overflow, callBulk, callBulk, overflow, { text: "Done" }],
    });
    await session.prompt("Go");
    expect(ends(session)).toHaveLength(2);
    expect(session.agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("ER-023 with compaction disabled it surfaces once", async () => {
    const session = createCompacted({ entries: path(...long), answers: [overflow], settings: { enabled: false } });
    await session.prompt("Go");
    expect(outline(session.events)).toEqual([
      ...["agent_start", "turn_start", "user", "assistant error", "agent_end", "agent_settled"],
    ]);
  });

  test("a conversation of which nothing can be summarised surfaces without a model call", async () => {
    const session = createCompacted({ answers: [overflow] });
    await session.prompt(textOfTokens(20000));
    expect(session.summaryRequests).toEqual([]);
    expect(outline(session.events).slice(-3)).toEqual(["assistant error", "agent_end", "agent_settled"]);
  });

  test("results that fill the window are summarised too, so that the session does not stay stuck", async () => {
    const session = createCompacted({ tools: [createBulkTool(30000)], answers: [callBulk, overflow, { text: "Done" }] });
    await session.prompt("Read it all");
    expect(ends(session)).toMatchObject([{ reason: "overflow", willRetry: true, result: { firstKeptEntryId: "e4" } }]);
    const [summary, ...rest] = session.requests[2]?.messages ?? [];
    expect(JSON.stringify(summary)).toContain("Read it all");
    expect(rest).toMatchObject([{ stopReason: "error" }]);
    expect(session.agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("ER-010 too many bytes are treated alike: compacted once, then surfaced", async () => {
    const tooLarge = { error: { status: 413, message: "Payload Too Large" } };
    const session = createCompacted({ entries: path(...long), answers: [tooLarge, tooLarge, { text: "never" }] });
    await session.prompt("Go");
    expect(ends(session)).toHaveLength(1);
    expect(session.requests).toHaveLength(2);
  });

  test("CP-003 an unknown window is recovered all the same", async () => {
    const session = createCompacted({ model: { contextWindow: 0 }, entries: path(...long), answers: [overflow, { text: "Done" }] });
    await session.prompt("Go");
    expect(ends(session)).toMatchObject([{ reason: "overflow", willRetry: true }]);
  });

  test("CP-012 an overflow of another model than the chosen one triggers nothing", async () => {
    const session = createCompacted({
      entries: path(...long),
      answers: () => {
        const { model } = session.agent.state;
        if (model) session.agent.state.model = { ...model, id: "other" };
        return overflow;
      },
    });
    await session.prompt("Go");
    expect(ends(session)).toEqual([]);
    expect(session.requests).toHaveLength(1);
  });

  test("CP-012 one from before the last compaction triggers nothing at the next prompt", async () => {
    const session = createCompacted({ entries: path(...long), answers: [overflow, overflow, { text: "Done" }] });
    await session.prompt("Go");
    await session.prompt("Again");
    expect(ends(session)).toHaveLength(1);
  });

  test("ER-012 a silent overflow is compacted after the turn, and its answer stands", async () => {
    const session = createCompacted({
      entries: path(...long),
      answers: [{ text: "Done", usage: { input: 9000, cacheRead: 2000 } }],
    });
    await session.prompt("Go");
    expect(outline(session.events).slice(2)).toEqual([
      ...["user", "assistant stop", "agent_end", "auto_compaction_start overflow", "auto_compaction_end overflow done"],
      "agent_settled",
    ]);
    expect(session.requests).toHaveLength(1);
    expect(session.agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  });

  test("CP-013 a failed summary retries nothing, and the overflow surfaces", async () => {
    const session = createCompacted({ entries: path(...long), answers: [overflow, { text: "never" }], summaries: () => ({}) });
    await session.prompt("Go");
    expect(outline(session.events).slice(-4)).toEqual([
      ...["auto_compaction_start overflow", "auto_compaction_end overflow failed: The model's summary was empty."],
      ...["agent_end", "agent_settled"],
    ]);
    expect(violations(session)).toEqual([]);
  });

  test("CP-013 an abort during the summary retries nothing", async () => {
    const session = createCompacted({
      entries: path(...long),
      answers: [overflow, { text: "never" }],
      summaries: () => {
        session.agent.abort();
        return new Promise(() => {});
      },
    });
    await session.prompt("Go");
    expect(ends(session)).toEqual([
      { type: "auto_compaction_end", reason: "overflow", result: null, aborted: true, willRetry: false },
    ]);
    expect(session.requests).toHaveLength(1);
  });
});

test("CP-014 what is added to the conversation during a compaction stays at its end", async () => {
  const session = createCompacted({
    entries: path(...long),
    summaries: () => {
      const message = userMessage("added meanwhile");
      session.agent.state.messages.push(message);
      add(session.entries, { type: "message", message });
      return { text: "Summary" };
    },
  });
  await session.compactor.compact();
  expect(rolesOf(session.agent.state.messages)).toEqual(["compactionSummary", "user", "assistant", "user"]);
  expect(session.agent.state.messages.at(-1)).toMatchObject({ content: "added meanwhile" });
});
