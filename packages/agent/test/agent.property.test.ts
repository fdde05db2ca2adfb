import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { InterruptMode, QueueMode } from "../src/index.ts";
import { checkGrammar } from "./helpers/event-grammar.ts";
import { GatedAgent, textOf, user } from "./helpers/gated-agent.ts";
import { type CallKind, ReferenceAgent } from "./helpers/reference-agent.ts";
import { createEchoTool, createScriptedAgent } from "./helpers/scripted-agent.ts";

const numRuns = process.env.PIKIT_LONG === "1" ? 20_000 : 300;

/** One thing that happens to both agents. Neither is asked whether it may: `check` says when it makes sense. */
class Step implements fc.AsyncCommand<ReferenceAgent, GatedAgent> {
  readonly #name: string;
  readonly check: (reference: Readonly<ReferenceAgent>) => boolean;
  readonly #act: (reference: ReferenceAgent, gated: GatedAgent) => void | Promise<void>;

  constructor(
    name: string,
    check: (reference: Readonly<ReferenceAgent>) => boolean,
    act: (reference: ReferenceAgent, gated: GatedAgent) => void | Promise<void>,
  ) {
    this.#name = name;
    this.check = check;
    this.#act = act;
  }

  async run(reference: ReferenceAgent, gated: GatedAgent): Promise<void> {
    await this.#act(reference, gated);
    await settle(reference, gated);
  }

  toString(): string {
    return this.#name;
  }
}

/** Lets everything happen that waits for no gate, and compares. All of it is promises, so a few turns of the event loop are enough. */
async function settle(reference: ReferenceAgent, gated: GatedAgent): Promise<void> {
  for (let turn = 0; turn < 100 && gated.phase !== reference.phase; turn += 1) await nextTurn();
  await nextTurn();
  expect(stateOf(gated)).toEqual({
    phase: reference.phase,
    running: reference.running,
    steering: reference.steering,
    followUps: reference.followUps,
    transcript: reference.transcript,
  });
}

function stateOf({ agent, phase, tools, transcript }: GatedAgent) {
  const texts = (queue: typeof agent.steering) => queue.messages.map(textOf);
  return {
    phase,
    running: [...tools.keys()].sort(),
    steering: texts(agent.steering),
    followUps: texts(agent.followUps),
    transcript,
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const always = () => true;
const isAsking = ({ phase }: Readonly<ReferenceAgent>) => phase === "asking";
let count = 0;

/** Unique, and in order of their making also as texts. */
function nextName(kind: string): string {
  count += 1;
  return `${kind}${String(count).padStart(9, "0")}`;
}

const prompt = fc.constant(
  new Step("prompt", always, async (reference, { agent, runs }) => {
    const text = nextName("prompt");
    const run = agent.prompt(user(text));
    if (reference.phase !== "idle") return expect(run).rejects.toMatchObject({ code: "busy" });
    runs.push(run);
    reference.prompt(text);
  }),
);

const proceed = fc.constant(
  new Step("continue", always, async (reference, { agent, runs }) => {
    const run = agent.continue();
    if (reference.phase !== "idle") return expect(run).rejects.toMatchObject({ code: "busy" });
    if (!reference.continue()) return expect(run).rejects.toMatchObject({ code: "nothing_to_continue" });
    runs.push(run);
  }),
);

const steer = fc.constant(
  new Step("steer", always, (reference, { agent }) => {
    const text = nextName("steer");
    reference.steering.push(text);
    agent.steer(user(text));
  }),
);

const followUp = fc.constant(
  new Step("followUp", always, (reference, { agent }) => {
    const text = nextName("follow");
    reference.followUps.push(text);
    agent.followUp(user(text));
  }),
);

const clear = fc.constant(
  new Step("clear", always, (reference, { agent }) => {
    const cleared = [...agent.steering.clear(), ...agent.followUps.clear()];
    expect(cleared.map(textOf)).toEqual([...reference.steering.splice(0), ...reference.followUps.splice(0)]);
  }),
);

const abort = fc.constant(
  new Step("abort", always, (reference, { agent }) => {
    reference.abort();
    agent.abort();
  }),
);

const setInterruptMode = fc
  .constantFrom<InterruptMode>("immediate", "wait")
  .map((mode) => new Step(`interrupt ${mode}`, always, (reference, { agent }) => setAll(mode, reference, agent)));

function setAll(interruptMode: InterruptMode, ...agents: { interruptMode: InterruptMode }[]): void {
  for (const agent of agents) agent.interruptMode = interruptMode;
}

const setQueueModes = fc.tuple(queueMode(), queueMode()).map(
  ([steering, followUps]) =>
    new Step(`queues ${steering}, ${followUps}`, always, (reference, { agent }) => {
      reference.steeringMode = steering;
      reference.followUpMode = followUps;
      agent.steering.mode = steering;
      agent.followUps.mode = followUps;
    }),
);

function queueMode(): fc.Arbitrary<QueueMode> {
  return fc.constantFrom("one-at-a-time", "all");
}

const kinds = fc.constantFrom<CallKind>("parallel", "parallel", "stubborn", "sequential", "unknown", "invalid");

const answer = fc.tuple(fc.array(kinds, { maxLength: 4 }), fc.nat(3)).map(
  ([calls, dice]) =>
    new Step(`answer [${calls}]${dice === 0 ? " and fail" : ""}`, isAsking, (reference, gated) => {
      const planned = calls.map((kind) => ({ id: nextName("call"), kind }));
      gated.answer(planned, dice === 0);
      reference.answer(planned, dice === 0);
    }),
);

const release = fc.tuple(fc.nat(), fc.constantFrom("ok" as const, "failed" as const)).map(
  ([pick, outcome]) =>
    new Step(
      `release ${pick} ${outcome}`,
      ({ phase }) => phase === "working",
      (reference, { tools }) => {
        const { running } = reference;
        const id = running[pick % running.length] ?? "";
        tools.get(id)?.(outcome);
        reference.release(id, outcome);
      },
    ),
);

const decide = fc.boolean().map(
  (again) =>
    new Step(
      `retry ${again}`,
      ({ phase }) => phase === "deciding",
      (reference, gated) => {
        reference.decide(again);
        gated.decide(again);
      },
    ),
);

/** Lets everything go on until the agent is idle. */
async function finish(reference: ReferenceAgent, gated: GatedAgent): Promise<void> {
  while (reference.phase !== "idle") {
    const [id = ""] = reference.running;
    if (reference.phase === "asking") {
      gated.answer([], false);
      reference.answer([], false);
    } else if (reference.phase === "deciding") {
      reference.decide(false);
      gated.decide(false);
    } else {
      gated.tools.get(id)?.("ok");
      reference.release(id, "ok");
    }
    await settle(reference, gated);
  }
}

// What is loaded with the first call comes from disk, which takes more than a turn of the event loop.
beforeAll(async () => {
  const calls = [{ toolCalls: [{ name: "echo", arguments: { text: "x" } }] }, { text: "ok" }];
  await createScriptedAgent(calls, { tools: [createEchoTool()] }).agent.prompt("Go");
});

test("whatever happens in whatever order, transcript, queues and phases are those of the reference model", async () => {
  const steps = [prompt, prompt, proceed, steer, steer, followUp, abort, clear, setInterruptMode, setQueueModes];
  const work = [answer, answer, answer, release, release, release, decide];
  await fc.assert(
    fc.asyncProperty(fc.commands([...steps, ...work], { maxCommands: 60, size: "max" }), async (commands) => {
      const reference = new ReferenceAgent();
      const gated = new GatedAgent();
      await fc.asyncModelRun(() => ({ model: reference, real: gated }), commands);
      await finish(reference, gated);
      await Promise.all(gated.runs);
      checkGrammar(gated.events);
    }),
    { seed: 4, numRuns },
  );
});
