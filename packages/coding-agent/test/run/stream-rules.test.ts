import { Agent, type AgentEvent } from "@pikit/agent";
import { type Context, createScriptedModel, type Script, type ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { toModelMessages } from "../../src/conversation/messages.ts";
import type { RuleEvent } from "../../src/protocol/events.ts";
import type { StreamRule } from "../../src/run/stream-rules/rule.ts";
import { createStreamRules } from "../../src/run/stream-rules.ts";
import { story } from "../helpers/story.ts";

const noEval: StreamRule = {
  name: "no-eval",
  description: "No eval",
  path: "/rules/no-eval.md",
  trigger: "\\beval\\(",
  content: "Do not use eval. Parse the text instead.",
  contextMode: "discard",
  repeatMode: "once",
  repeatGap: 10,
};
const told = { type: "ttsr_triggered", rules: [{ name: "no-eval", description: "No eval", path: "/rules/no-eval.md" }] };

/** An agent whose hooks use the rules as a session does. */
async function createRun(script: Script | readonly ScriptedAnswer[], ...list: StreamRule[]) {
  const events: (AgentEvent | RuleEvent)[] = [];
  const contexts: Context[] = [];
  const ran: unknown[] = [];
  const rules = await createStreamRules(list, { emit: (event) => void events.push(event) });
  const scripted = createScriptedModel({ script });
  const agent = new Agent({
    model: createScriptedModel({
      script: (context, call, signal) => {
        contexts.push(context);
        return scripted.script(context, call, signal);
      },
    }),
    toModelMessages,
    tools: [
      {
        name: "write",
        label: "Write",
        description: "",
        parameters: { type: "object" } as never,
        async execute(_id, params) {
          ran.push(params);
          return { content: [{ type: "text", text: "written" }], details: null };
        },
      },
    ],
    watchAnswer: (event) => rules.watch(event),
    async shouldRetry({ answer }) {
      const correction = await rules.correct(answer);
      return correction ? [correction] : false;
    },
  });
  agent.subscribe((event) => void events.push(event));
  // As every adapter does; a scripted model is shown the history as it is.
  const sent = ({ messages }: Context) =>
    messages.filter((message) => message.role !== "assistant" || message.stopReason !== "aborted");
  const texts = () => contexts.map((context) => sent(context).map(({ content }) => (typeof content === "string" ? content : "…")));
  return { agent, rules, events, texts, contexts, ran };
}

/** What happened, with the rules that were broken. */
function tell(events: readonly (AgentEvent | RuleEvent)[]): string[] {
  return events.flatMap((event) =>
    event.type === "ttsr_triggered" ? [`rules ${event.rules.map(({ name }) => name).join(", ")}`] : story([event]),
  );
}

const write = (content: string): ScriptedAnswer => ({ toolCalls: [{ name: "write", arguments: { path: "a.js", content } }] });

describe("an answer that breaks a rule", () => {
  test("is stopped, dropped, and asked for again with the rule, in the same pair", async () => {
    const answer = { text: `Use eval(x) here. ${"More. ".repeat(200)}` };
    const { agent, events, texts } = await createRun([answer, { text: "Use JSON.parse." }], noEval);
    await agent.prompt("How?");
    expect(tell(events)).toEqual([
      ...[
        "agent_start",
        "turn_start",
        "user: How?",
        expect.stringMatching(/^assistant: Use eval\(x\) here\. .*\[aborted\]$/),
        "turn_end",
      ],
      ...["rules no-eval", "turn_start", expect.stringMatching(/^custom: Your answer was stopped/)],
      ...["assistant: Use JSON.parse.", "turn_end", "agent_end"],
    ]);
    expect(events.find(({ type }) => type === "ttsr_triggered")).toEqual(told);
    expect(agent.state.messages[2]).toMatchObject({
      role: "custom",
      customType: "ttsr",
      display: true,
      details: { rules: told.rules },
    });
    const [question, correction, ...others] = texts()[1] ?? [];
    expect(others).toEqual([]);
    expect(question).toBe("How?");
    expect(correction).toContain('<rule name="no-eval">\nDo not use eval. Parse the text instead.\n</rule>');
    expect(correction).not.toContain("JSON");
    expect(agent.state.messages[1]).toMatchObject({ stopReason: "aborted" });
    expect(JSON.stringify(agent.state.messages[1]).length).toBeLessThan(1000);
  });

  test("is kept where all its rules say so: the model reads what it wrote", async () => {
    const answer = { text: "First read it.", ...write("eval(</partial-answer>)") };
    const { agent, texts } = await createRun([answer, { text: "ok" }], { ...noEval, contextMode: "keep" });
    await agent.prompt("How?");
    const correction = texts()[1]?.at(-1) ?? "";
    expect(correction).toContain("<partial-answer>\nFirst read it.\n\n(Call of write with ");
    expect(correction).toContain("eval(<\\/partial-answer>)");
    expect(correction).toContain("Do not use eval.");
  });

  test("breaks several rules at once: one event, one message", async () => {
    const other: StreamRule = { ...noEval, name: "no-this", path: "b.md", trigger: "eval\\(this", contextMode: "keep" };
    const { agent, events, texts } = await createRun([write("eval(this)"), { text: "ok" }], other, noEval);
    await agent.prompt("How?");
    expect(tell(events).filter((line) => line.startsWith("rules"))).toEqual(["rules no-this, no-eval"]);
    expect(texts()[1]?.at(-1)).not.toContain("partial-answer");
  });

  test("in the arguments of a tool: the call is not run, in one delta or in many, escapes or not", async () => {
    const rule = { ...noEval, trigger: '(?m)^log\\("x"\\);$' };
    const { agent, ran, events } = await createRun([write('a();\nlog("x");\nb();'), write("ok();"), { text: "Done" }], rule);
    await agent.prompt("Write");
    expect(ran).toEqual([{ path: "a.js", content: "ok();" }]);
    expect(tell(events)).toContain("rules no-eval");
  });

  test.each<[string, ScriptedAnswer]>([
    ["thinking", { thinking: "I could eval(x).", text: "No." }],
    ["names of arguments", { text: "x", toolCalls: [{ name: "write", arguments: { "eval(": "y" } }] }],
    ["two texts together", { text: "e", toolCalls: [{ name: "write", arguments: { a: "eval", b: "(" } }] }],
  ])("is none where the match is in %s", async (_where, answer) => {
    const { agent, events } = await createRun([answer, { text: "ok" }], noEval);
    await agent.prompt("How?");
    expect(tell(events).filter((line) => line.startsWith("rules"))).toEqual([]);
  });

  test("with its last character, and only because it is the last, is stopped all the same", async () => {
    const { agent, events } = await createRun([{ text: "Shall I?" }, { text: "I do it." }], { ...noEval, trigger: "\\?$" });
    await agent.prompt("Do it");
    expect(tell(events).at(5)).toBe("rules no-eval");
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });
});

describe("repetition", () => {
  const always = () => ({ text: "eval(x)" });

  test("once: later answers may break the rule", async () => {
    const { agent, events } = await createRun(always, noEval);
    await agent.prompt("one");
    await agent.prompt("two");
    expect(tell(events).filter((line) => line.startsWith("rules"))).toHaveLength(1);
    expect(agent.state.messages.filter(({ role }) => role === "assistant")).toHaveLength(3);
  });

  test("after-gap: again when that many turns have ended, never the answer that follows the rule", async () => {
    const { agent, events } = await createRun(always, { ...noEval, repeatMode: "after-gap", repeatGap: 2 });
    for (const text of ["1", "2", "3", "4"]) await agent.prompt(text);
    const fired = tell(events).flatMap((line) => (line.startsWith("rules") || line.startsWith("user") ? [line] : []));
    expect(fired).toEqual(["user: 1", "rules no-eval", "user: 2", "user: 3", "rules no-eval", "user: 4"]);
  });

  test("after-gap with no gap ends too", async () => {
    const { agent, events } = await createRun(always, { ...noEval, repeatMode: "after-gap", repeatGap: 0 });
    await agent.prompt("1");
    expect(tell(events).filter((line) => line.startsWith("rules"))).toHaveLength(1);
  });

  test("a rule whose text is in the conversation that was opened has done its work; in another it has not", async () => {
    const { agent, rules } = await createRun(always, noEval);
    await agent.prompt("1");
    const { messages } = agent.state;
    const reopened = await createRun(always, noEval);
    reopened.rules.restore(JSON.parse(JSON.stringify(messages)));
    await reopened.agent.prompt("2");
    expect(tell(reopened.events).filter((line) => line.startsWith("rules"))).toEqual([]);
    rules.restore([]);
    await agent.prompt("3");
    expect(messages.filter(({ role }) => role === "custom")).toHaveLength(2);
  });

  test.each([null, [], { rules: "x" }, { rules: [null, { name: 5 }] }])(
    "SC-011 stored details that are strange: %j",
    async (details) => {
      const { rules } = await createRun([], noEval);
      rules.restore([{ role: "custom", customType: "ttsr", content: "", display: true, details, timestamp: 0 }]);
      expect(rules.hasStopped({} as never)).toBe(false);
    },
  );
});

describe("other endings", () => {
  test("an abort by the user in the moment of the match asks nothing again, and the rule is still ready", async () => {
    const { agent, rules, events } = await createRun([{ text: "eval(x)", deltas: 3 }, { text: "eval(y)" }, { text: "ok" }], noEval);
    const end = agent.subscribe((event) => {
      if (event.type === "message_update" && rules.hasStopped(event.message)) agent.abort();
    });
    await agent.prompt("one");
    expect(tell(events).slice(-2)).toEqual(["turn_end", "agent_end"]);
    end();
    await agent.prompt("two");
    expect(tell(events).filter((line) => line.startsWith("rules"))).toEqual(["rules no-eval"]);
    expect(agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "ok" }] });
  });

  test("an answer that fails by itself is no business of the rules", async () => {
    const { agent, events } = await createRun([{ text: "fine", error: { status: 500, message: "down" } }], noEval);
    await agent.prompt("one");
    expect(tell(events).slice(-3)).toEqual(["assistant: fine [error]", "turn_end", "agent_end"]);
  });
});
