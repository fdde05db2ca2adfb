import { createScriptedModel } from "@pikit/ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Agent, type AgentEvent, ToolError } from "../src/index.ts";
import { checkGrammar } from "./helpers/event-grammar.ts";
import { textOf, toScriptedCall, user } from "./helpers/gated-agent.ts";
import type { CallKind } from "./helpers/reference-agent.ts";
import { createEchoTool } from "./helpers/scripted-agent.ts";

const numRuns = process.env.PIKIT_LONG === "1" ? 20_000 : 300;

type Action = "steer" | "followUp" | "abort" | "immediate" | "wait" | "steer all" | "follow-up all" | "one at a time" | "prompt";

interface Plan {
  /** What the model answers, call by call; afterwards it answers with text. */
  answers: { calls: CallKind[]; fails: boolean; isRetried: boolean }[];
  /** Which tool calls fail, by their number. */
  failures: boolean[];
  /** What a listener does during the event of that number. */
  actions: Map<number, Action[]>;
  /** Of how many events each is answered late by a listener. */
  slowEvery: number;
}

const kinds = fc.constantFrom<CallKind>("parallel", "parallel", "stubborn", "sequential", "unknown", "invalid");
const action = fc.constantFrom<Action>(
  ...(["steer", "steer", "steer", "followUp", "followUp", "abort", "immediate", "wait", "prompt"] as const),
  ...(["steer all", "follow-up all", "one at a time"] as const),
);

const plans: fc.Arbitrary<Plan> = fc.record({
  answers: fc.array(
    fc.record({ calls: fc.array(kinds, { maxLength: 3 }), fails: fc.nat(4).map((dice) => dice === 0), isRetried: fc.boolean() }),
    { maxLength: 5 },
  ),
  failures: fc.array(fc.boolean(), { maxLength: 10 }),
  actions: fc
    .array(fc.tuple(fc.nat(60), fc.array(action, { minLength: 1, maxLength: 2 })), { maxLength: 8 })
    .map((entries) => new Map(entries)),
  slowEvery: fc.integer({ min: 1, max: 6 }),
});

/** An agent that plays the plan; the scheduler decides in which order model, tools, retries and slow listeners go on. */
function playPlan({ answers, failures, actions, slowEvery }: Plan, scheduler: fc.Scheduler) {
  const events: AgentEvent[] = [];
  const seenLast: AgentEvent[] = [];
  const sent = { steer: [] as string[], followUp: [] as string[] };
  const refusals: Promise<unknown>[] = [];
  /** What was queued when the run was aborted, and how many events there were. */
  let aborted: { queued: string[]; at: number } | undefined;
  let callsAfterAbort = 0;
  let requests = 0;
  let executions = 0;

  const tool = (name: string, executionMode: "parallel" | "sequential") =>
    createEchoTool({
      name,
      executionMode,
      async execute(id, _params, signal, onUpdate) {
        const fails = failures[executions++] ?? false;
        onUpdate({ content: [], details: "early" });
        const gate = scheduler.schedule(Promise.resolve(), `tool ${id}`);
        await (name === "stubborn" ? gate : untilAborted(gate, signal));
        onUpdate({ content: [], details: "late" });
        if (fails) throw new ToolError("failed", `failed ${id}`);
        return { content: [{ type: "text", text: id }], details: null };
      },
    });

  const agent = new Agent({
    model: createScriptedModel({
      async script(_context, index, signal) {
        if (aborted) callsAfterAbort += 1;
        requests += 1;
        await untilAborted(scheduler.schedule(Promise.resolve(), `answer ${index}`), signal);
        const { calls, fails } = answers[index] ?? { calls: [], fails: false };
        const toolCalls = calls.map((kind, position) => toScriptedCall({ id: `${index}.${position}`, kind }));
        return { text: "Some words", toolCalls, ...(fails ? { error: { status: 529, message: "busy" } } : {}) };
      },
    }),
    tools: [tool("parallel", "parallel"), tool("sequential", "sequential"), tool("stubborn", "parallel")],
    async shouldRetry(_failed, signal) {
      const isRetried = answers[requests - 1]?.isRetried ?? false;
      await untilAborted(scheduler.schedule(Promise.resolve(), "retry"), signal).catch(() => undefined);
      return isRetried;
    },
  });

  const queued = () => [...agent.steering.messages, ...agent.followUps.messages].map(textOf);
  const act: Record<Action, () => void> = {
    steer: () => agent.steer(user(add(sent.steer, "steer"))),
    followUp: () => agent.followUp(user(add(sent.followUp, "follow"))),
    abort() {
      aborted ??= { queued: queued(), at: events.length };
      agent.abort();
    },
    prompt: () => void refusals.push(agent.prompt("Too soon").catch((error: unknown) => error)),
    immediate() {
      agent.interruptMode = "immediate";
    },
    wait() {
      agent.interruptMode = "wait";
    },
    "steer all"() {
      agent.steering.mode = "all";
    },
    "follow-up all"() {
      agent.followUps.mode = "all";
    },
    "one at a time"() {
      agent.steering.mode = "one-at-a-time";
      agent.followUps.mode = "one-at-a-time";
    },
  };
  agent.subscribe((event) => {
    events.push(event);
    for (const name of actions.get(events.length) ?? []) act[name]();
  });
  agent.subscribe((event) => {
    if (events.length % slowEvery === 0) return scheduler.schedule(Promise.resolve(), event.type);
  });
  agent.subscribe((event) => void seenLast.push(event));

  return {
    agent,
    events,
    seenLast,
    sent,
    refusals,
    queued,
    afterAbort() {
      const { queued: heldBack = [], at = events.length } = aborted ?? {};
      const later = events.slice(at).filter(({ type }, index) => {
        return type === "agent_start" || (type === "turn_start" && !isAbortNote(events[at + index + 1]));
      });
      // A run that was aborted with its first event has one turn, so that its prompt gets an answer.
      return { heldBack, turns: later.length - (events[at - 1]?.type === "agent_start" && aborted ? 1 : 0), callsAfterAbort };
    },
    /** Nothing intervenes any more. */
    calmDown() {
      actions.clear();
      aborted = undefined;
    },
  };
}

/** The message that ends a run which was aborted while no answer was being given. */
function isAbortNote(event: AgentEvent | undefined): boolean {
  if (event?.type !== "message_start" || event.message.role !== "assistant") return false;
  return event.message.stopReason === "aborted" && event.message.content.length === 0;
}

function add(names: string[], kind: string): string {
  const name = `${kind} ${names.length}`;
  names.push(name);
  return name;
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  ]);
}

function deliveredTexts({ state }: Agent): string[] {
  return state.messages.flatMap((message) => (message.role === "user" ? [textOf(message)] : []));
}

test("whatever listeners do at whatever event, nothing is lost, doubled, out of order or left running", async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.scheduler(), async (plan, scheduler) => {
      const { agent, events, seenLast, sent, refusals, queued, afterAbort, calmDown } = playPlan(plan, scheduler);
      await scheduler.waitFor(agent.prompt("Go"));
      expect(agent.isRunning).toBe(false);
      for (const refusal of refusals) expect(await refusal).toMatchObject({ code: "busy" });

      const { heldBack, ...started } = afterAbort();
      expect(started).toEqual({ turns: 0, callsAfterAbort: 0 });
      expect(queued()).toEqual(expect.arrayContaining(heldBack));

      calmDown();
      while (queued().length > 0) await scheduler.waitFor(agent.continue());
      const delivered = deliveredTexts(agent);
      expect(delivered[0]).toBe("Go");
      expect(delivered.filter((text) => text.startsWith("steer"))).toEqual(sent.steer);
      expect(delivered.filter((text) => text.startsWith("follow"))).toEqual(sent.followUp);
      expect(delivered).toHaveLength(1 + sent.steer.length + sent.followUp.length);

      checkGrammar(events);
      expect(seenLast.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
      expect(seenLast).toEqual(events);
    }),
    { seed: 4, numRuns },
  );
});
