import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import type { AgentSessionEvent } from "../../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../../src/session/options.ts";
import { createGate, throughGate } from "../../helpers/gate.ts";
import { nextEvent, openSession } from "../../helpers/sessions.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { outline, textOfTokens } from "./helpers.ts";

const workspace = useWorkspace();

interface Played {
  answers?: ScriptedAnswer[];
  /** Called for each summary; a promise holds it. */
  summary?: () => ScriptedAnswer | Promise<ScriptedAnswer>;
  /** US dollars per token of input. Default 0. */
  dollars?: number;
}

/** A session with three finished prompts of 1,000 tokens and more, and a window of 10,000: both budgets are 2,500. */
async function openLong(
  { answers = [], summary = () => ({ text: "Summary" }), dollars = 0 }: Played,
  options: CreateAgentSessionOptions = {},
) {
  const first: ScriptedAnswer[] = ["one", "two", "three"].map((name) => ({ text: textOfTokens(1000, name), usage: { input: 10 } }));
  const script = [...first, ...answers];
  let index = 0;
  const model = createScriptedModel({
    script: ({ systemPrompt = "" }) => {
      if (systemPrompt.startsWith("You write the memory")) return summary();
      index += 1;
      return script[index - 1] ?? { text: "Done", usage: { input: 10 } };
    },
    overrides: {
      ...{ contextWindow: 10_000, maxTokens: 4000 },
      cost: { input: dollars * 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  });
  const { session, events } = await openSession(workspace, { model, systemPrompt: "Be brief.", tools: [], ...options });
  for (const name of ["one", "two", "three"]) await session.prompt(textOfTokens(1000, name));
  events.length = 0;
  return { session, events };
}

function told(events: AgentSessionEvent[]): string[] {
  return outline(events as Parameters<typeof outline>[0]);
}

describe("in a session", () => {
  test("CP-016 compacts when asked, says so, and goes on from the summary, also after the file is opened again", async () => {
    const { session, events } = await openLong({});
    const result = await session.compact({ instructions: "Only numbers" });
    expect(told(events)).toEqual(["compaction_start manual", "compaction_end manual done"]);
    expect(session.messages[0]).toMatchObject({ role: "compactionSummary", summary: result.summary });
    expect(session.state()).toMatchObject({
      isCompacting: false,
      autoCompactionEnabled: true,
      messageCount: session.messages.length,
    });
    await session.prompt("Next");
    const before = session.messages.map(({ role }) => role);
    const file = session.sessionFile as string;
    await session.dispose();
    const { session: again } = await openSession(workspace, { session: { path: file }, model: "demo/tour" });
    expect(again.messages.map(({ role }) => role)).toEqual(before);
    expect(again.messages[0]).toMatchObject({ role: "compactionSummary", summary: result.summary });
  });

  test("the only turn can be summarised: the file says so in the terms of its format, and is opened again as it was", async () => {
    const model = createScriptedModel({ script: [{ text: "Answer" }, { text: "Summary" }, { text: "Next answer" }] });
    const { session } = await openSession(workspace, { model });
    await session.prompt("Short");
    const { firstKeptEntryId } = await session.compact();
    const lines = await workspace.sessionLines();
    expect(lines.at(-1)).toMatchObject({ type: "compaction", id: firstKeptEntryId, firstKeptEntryId });
    await session.prompt("Next");
    const messages = JSON.parse(JSON.stringify(session.messages));
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["compactionSummary", "user", "assistant"]);
    const file = session.sessionFile as string;
    await session.dispose();
    const { session: again } = await openSession(workspace, { session: { path: file }, model: "demo/tour" });
    expect(again.messages.slice(1)).toEqual(messages.slice(1));
    expect(again.messages[0]).toMatchObject({ role: "compactionSummary", summary: "Summary" });
    await again.history.clone();
    expect(again.messages.map(({ role }) => role)).toEqual(["compactionSummary", "user", "assistant"]);
  });

  test("CP-015 a run that is going is aborted first", async () => {
    const gate = createGate();
    const { session, events } = await openLong({ answers: [throughGate] }, { customTools: [gate.tool] });
    const { settled } = await session.submit("Go");
    await gate.reached;
    await session.compact();
    await settled;
    const lines = told(events);
    expect(lines.indexOf("agent_settled")).toBeLessThan(lines.indexOf("compaction_start manual"));
    expect(lines.at(-1)).toBe("compaction_end manual done");
    expect(session.isStreaming).toBe(false);
  });

  test("CP-015 abort ends a compaction, and nothing is changed", async () => {
    const { session, events } = await openLong({ summary: () => new Promise(() => {}) });
    const before = [...session.messages];
    const started = nextEvent(session, ({ type }) => type === "compaction_start");
    const refused = expect(session.compact()).rejects.toMatchObject({ code: "aborted" });
    await started;
    expect(session.state().isCompacting).toBe(true);
    await session.abort();
    await refused;
    expect(told(events)).toEqual(["compaction_start manual", "compaction_end manual aborted"]);
    expect(session.messages).toEqual(before);
    expect(session.state().isCompacting).toBe(false);
  });

  test("CP-014 a prompt during a compaction is accepted, and runs when it has ended", async () => {
    const go = Promise.withResolvers<ScriptedAnswer>();
    const { session, events } = await openLong({ summary: () => go.promise });
    const started = nextEvent(session, ({ type }) => type === "compaction_start");
    const compacting = session.compact();
    await started;
    const { settled } = await session.submit("Next");
    expect(session.isStreaming).toBe(true);
    expect((await workspace.sessionLines()).at(-1)?.message).toMatchObject({ role: "user", content: "Next" });
    go.resolve({ text: "Summary" });
    await Promise.all([compacting, settled]);
    expect(told(events)).toEqual([
      ...["compaction_start manual", "compaction_end manual done"],
      ...["agent_start", "turn_start", "user", "assistant stop", "agent_end", "agent_settled"],
    ]);
    expect(session.messages.filter(({ role }) => role === "user").at(-1)).toMatchObject({ content: "Next" });
    expect(session.messages.filter((message) => message.role === "user" && message.content === "Next")).toHaveLength(1);
  });

  test("CP-001 a threshold compaction after the last turn runs between agent_end and agent_settled, and counts as streaming", async () => {
    const { session, events } = await openLong({ answers: [{ text: "Done", usage: { input: 9000 } }] });
    let during: boolean | undefined;
    session.subscribe(({ type }) => {
      if (type === "auto_compaction_start") during = session.isStreaming && session.state().isCompacting;
    });
    await session.prompt("Go");
    expect(told(events).slice(-4)).toEqual([
      ...["agent_end", "auto_compaction_start threshold", "auto_compaction_end threshold done", "agent_settled"],
    ]);
    expect(during).toBe(true);
  });

  test("CP-011 ER-023 an overflow is compacted and asked again inside the run", async () => {
    const overflow = { error: { status: 400, message: "prompt is too long: 12,000 tokens > 10,000 maximum" } };
    const { session, events } = await openLong({ answers: [overflow] });
    await session.prompt("Go");
    expect(told(events)).toEqual([
      ...["agent_start", "turn_start", "user", "assistant error"],
      ...["auto_compaction_start overflow", "auto_compaction_end overflow done, will retry"],
      ...["turn_start", "assistant stop", "agent_end", "agent_settled"],
    ]);
  });

  test("what a compaction inside a run costs counts against maxCostUsd of the run", async () => {
    const gate = createGate();
    gate.open();
    const overflow = { error: { status: 400, message: "prompt is too long: 12,000 tokens > 10,000 maximum" }, usage: { input: 0 } };
    const { session, events } = await openLong(
      {
        answers: [overflow, { ...throughGate, usage: { input: 1 } }],
        summary: () => ({ text: "Summary", usage: { input: 2 } }),
        dollars: 1,
      },
      { customTools: [gate.tool], limits: { maxCostUsd: 2.5 } },
    );
    await session.prompt("Go");
    // The answer alone, one dollar, would not have ended the run.
    expect(events.filter(({ type }) => type === "limit_reached")).toEqual([
      { type: "limit_reached", limit: "max-cost", value: 2.5 },
    ]);
    expect(session.messages.at(-1)).toMatchObject({ role: "toolResult" });
  });

  test("ER-023 off, an overflow surfaces once", async () => {
    const overflow = { error: { status: 400, message: "prompt is too long: 12,000 tokens > 10,000 maximum" } };
    const { session, events } = await openLong({ answers: [overflow] });
    session.compaction.setEnabled(false);
    await session.prompt("Go");
    expect(told(events)).toEqual(["agent_start", "turn_start", "user", "assistant error", "agent_end", "agent_settled"]);
    expect(session.state().autoCompactionEnabled).toBe(false);
  });

  test("a session that is disposed of during a compaction has ended it", async () => {
    const { session, events } = await openLong({ summary: () => new Promise(() => {}) });
    const started = nextEvent(session, ({ type }) => type === "compaction_start");
    const refused = expect(session.compact()).rejects.toMatchObject({ code: "aborted" });
    await started;
    await session.dispose();
    await refused;
    expect(told(events).at(-1)).toBe("compaction_end manual aborted");
  });
});
