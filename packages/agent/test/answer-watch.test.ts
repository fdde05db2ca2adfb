import type { AssistantMessageEvent, ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import type { AgentMessage } from "../src/index.ts";
import { checkGrammar } from "./helpers/event-grammar.ts";
import { createEchoTool, createScriptedAgent, outline } from "./helpers/scripted-agent.ts";

const hint: AgentMessage = { role: "user", content: "Say it another way.", timestamp: 0 };

/** Ends an answer at the first delta that contains the word. */
const stopAt = (word: string) => (event: AssistantMessageEvent) =>
  event.type.endsWith("_delta") && JSON.stringify(event).includes(word);

function turns(events: Parameters<typeof outline>[0]): string[] {
  checkGrammar(events);
  return outline(events).filter((line) => !line.startsWith("  "));
}

describe("an owner who watches answers", () => {
  test.each<[string, ScriptedAnswer]>([
    ["while it streams", { text: "one STOP two three", deltas: 400 }],
    ["that had arrived whole", { text: "one STOP two", toolCalls: [{ name: "echo", arguments: { text: "x" } }] }],
    ["within a tool call", { toolCalls: [{ name: "echo", arguments: { text: "STOP" } }] }],
  ])("ends one %s: its calls are not run, and the run goes on in the same pair", async (_when, answer) => {
    const ran: string[] = [];
    const tool = createEchoTool({
      async execute() {
        ran.push("ran");
        return { content: [], details: null };
      },
    });
    const contexts: string[][] = [];
    const answers = [answer, { text: "fine" }];
    const { agent, events } = createScriptedAgent(
      (context, call) => {
        contexts.push(context.messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : "…"}`));
        return answers[call] ?? {};
      },
      { tools: [tool], watchAnswer: stopAt(answer.deltas ? "P" : "STOP"), shouldRetry: () => [hint] },
    );
    await agent.prompt("Go");
    expect(turns(events)).toEqual([
      ...["agent_start", "turn_start", "user: Go", expect.stringMatching(/^assistant: .*\[aborted\]$/), "turn_end"],
      ...["turn_start", "user: Say it another way.", "assistant: fine [stop]", "turn_end", "agent_end"],
    ]);
    expect(ran).toEqual([]);
    expect(contexts.at(-1)?.filter((line) => !line.startsWith("assistant"))).toEqual(["user: Go", "user: Say it another way."]);
    expect(agent.state.messages[1]).toMatchObject({ stopReason: "aborted", errorMessage: "The answer was stopped." });
  });

  test("sees every event of every answer, and lets it pass", async () => {
    const seen: string[] = [];
    const { agent, events } = createScriptedAgent([{ text: "a b" }], {
      watchAnswer: (event) => {
        seen.push(event.type);
        return undefined;
      },
    });
    await agent.prompt("Go");
    expect(seen).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
    expect(turns(events).at(2)).toBe("user: Go");
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("who does not want it again ends the run", async () => {
    const { agent, events } = createScriptedAgent([{ text: "STOP" }], { watchAnswer: stopAt("STOP") });
    await agent.prompt("Go");
    expect(turns(events).slice(-3)).toEqual(["assistant: STOP [aborted]", "turn_end", "agent_end"]);
  });

  test("AG-020 whose hook throws ends the run with an error, and the answer is whole", async () => {
    const { agent, events } = createScriptedAgent([{ text: "one two" }], {
      watchAnswer: () => {
        throw new Error("no eyes");
      },
    });
    await agent.prompt("Go");
    expect(turns(events).slice(-3)).toEqual([expect.stringMatching(/\[error\]$/), "turn_end", "agent_end"]);
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: "no eyes" });
  });

  test("an abort of the run in the same moment wins: nothing is asked again", async () => {
    const asked: string[] = [];
    const { agent, events } = createScriptedAgent([{ text: "STOP", deltas: 4 }], {
      watchAnswer: () => {
        agent.abort();
        return true;
      },
      shouldRetry: () => {
        asked.push("asked");
        return [hint];
      },
    });
    await agent.prompt("Go");
    expect(asked).toEqual([]);
    expect(turns(events).slice(-3)).toEqual([expect.stringMatching(/\[aborted\]$/), "turn_end", "agent_end"]);
  });
});

describe("messages of the owner between turns", () => {
  test("go in before what is queued, and make a run go on that would end", async () => {
    let turn = 0;
    const { agent, events } = createScriptedAgent(() => ({ text: "ok" }), {
      betweenTurns: () => {
        turn += 1;
        return turn === 1 ? [hint] : undefined;
      },
    });
    agent.steer({ role: "user", content: "queued", timestamp: 0 });
    agent.followUp({ role: "user", content: "later", timestamp: 0 });
    await agent.run([{ role: "user", content: "Go", timestamp: 0 }]);
    expect(turns(events)).toEqual([
      ...["agent_start", "turn_start", "user: Go", "assistant: ok [stop]", "turn_end"],
      ...["turn_start", "user: Say it another way.", "user: queued", "assistant: ok [stop]", "turn_end"],
      ...["turn_start", "user: later", "assistant: ok [stop]", "turn_end", "agent_end"],
    ]);
  });
});
