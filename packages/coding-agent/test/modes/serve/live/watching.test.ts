import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../../../ai/test/helpers/characters.ts";
import { LiveSession } from "../../../../src/modes/serve/live/live-session.ts";
import type { StreamMode } from "../../../../src/protocol/data.ts";
import { createGate, throughGate } from "../../../helpers/gate.ts";
import { createScriptedSession } from "../../../helpers/sessions.ts";
import { Follower, HeldResponse } from "../../../helpers/watching-client.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

/** A client with a connection that it reads and cuts as the test says. */
class Client {
  readonly follower: Follower;
  readonly #live: LiveSession;
  readonly #stream: StreamMode;
  readonly #highWaterMark: number;
  #response: HeldResponse | undefined;

  constructor(live: LiveSession, stream: StreamMode, highWaterMark = 100_000) {
    this.#live = live;
    this.#stream = stream;
    this.#highWaterMark = highWaterMark;
    this.follower = new Follower(stream);
  }

  connect(): void {
    this.#response = new HeldResponse(this.#highWaterMark);
    this.#live.streamEvents(this.#response.asResponse, { stream: this.#stream, since: this.follower.position });
  }

  /** Reads a piece; returns whether there was one. */
  read(): boolean {
    if (!this.#response) this.connect();
    const text = this.#response?.take() ?? "";
    this.follower.read(text);
    return text !== "";
  }

  readAll(): void {
    while (this.read());
  }

  /** Reads the beginning of the next piece, then loses the connection. */
  cut(characters: number): void {
    this.follower.read((this.#response?.take() ?? "").slice(0, characters));
    this.follower.reconnect();
    this.#response?.destroy();
    this.#response = undefined;
  }
}

interface Plan {
  answers: string[][];
  replayBytes: number;
  highWaterMark: number;
  /** For each turn: undefined to read, 0 to do nothing, another number to cut after that many characters. */
  steps: (number | undefined)[];
  stream: StreamMode;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  answers: fc.array(fc.array(fc.string({ minLength: 1, maxLength: 12, unit: anyCharacter }), { minLength: 1, maxLength: 40 }), {
    minLength: 1,
    maxLength: 4,
  }),
  replayBytes: fc.constantFrom(1, 600, 5000, 10_000_000),
  highWaterMark: fc.constantFrom(1, 500, 100_000),
  steps: fc.array(fc.oneof(fc.constant(undefined), fc.nat(400)), { minLength: 1, maxLength: 60 }),
  stream: fc.constantFrom("deltas", "snapshots"),
});

test("a client that is slow or cut off at any byte misses nothing, or is told", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ answers, replayBytes, highWaterMark, steps, stream }) => {
      const script = answers.map((deltas) => ({ text: deltas.join(""), deltas }));
      const { session, events } = await createScriptedSession(workspace, script, { session: "memory" });
      const live = new LiveSession(session, { replayBytes });
      const observer = new Client(live, "deltas");
      observer.readAll();
      const client = new Client(live, stream, highWaterMark);
      for (; client.follower.position === undefined; await nextTurn()) client.read();
      let isOver = false;
      const work = (async () => {
        for (const [index] of answers.entries()) await live.command({ type: "prompt", message: `${index}` });
      })().then(() => session.waitForIdle());
      void work.then(() => {
        isOver = true;
      });
      for (let turn = 0; !isOver; turn += 1) {
        const step = steps[turn % steps.length];
        if (step === undefined) client.read();
        else if (step > 0) client.cut(step);
        observer.readAll();
        await nextTurn();
      }
      await nextTurn();
      observer.readAll();
      for (; client.follower.position !== observer.follower.position; await nextTurn()) client.readAll();
      const told = events.flatMap((event) =>
        event.type === "message_end" && event.message.role === "assistant" ? [event.message] : [],
      );
      expect(observer.follower.answers.length).toBe(told.length);
      expect(observer.follower.resyncs.map(({ reason }) => reason)).toEqual(["start"]);
      const [start, ...later] = client.follower.resyncs;
      expect(start?.reason).toBe("start");
      if (replayBytes > 1_000_000) {
        expect(later).toEqual([]);
        expect(client.follower.frames.map(({ seq }) => seq)).toEqual(observer.follower.frames.map(({ seq }) => seq));
        expect(client.follower.answers).toEqual(observer.follower.answers);
      }
      // What is missing was replaced by a resync, whose state is that of its position.
      expect(later.every(({ reason }) => reason === "overrun")).toBe(true);
      await live.dispose();
    }),
    { numRuns: 60 },
  );
});

describe("a connection in the middle of an answer", () => {
  test("begins with the answer so far and the call that runs", async () => {
    const gate = createGate();
    const { session } = await createScriptedSession(workspace, [{ ...throughGate, text: "Going." }, { text: "Done." }], {
      session: "memory",
      customTools: [gate.tool as never],
    });
    const live = new LiveSession(session, { replayBytes: 1_000_000 });
    await live.command({ type: "prompt", message: "Go" });
    await gate.reached;
    const client = new Client(live, "deltas");
    client.readAll();
    const [resync] = client.follower.resyncs;
    expect(resync).toMatchObject({ reason: "start", state: { isStreaming: true }, running: [{ type: "tool_execution_start" }] });
    gate.open();
    await session.waitForIdle();
    await nextTurn();
    client.readAll();
    expect(client.follower.answers).toEqual(["Done."]);
    await live.dispose();
  });
});
