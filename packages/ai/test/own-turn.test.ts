import { setImmediate as nextTurn } from "node:timers/promises";
import { countTurns } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { createScriptedModel } from "../src/apis/scripted/script.ts";
import { readServerSentEvents } from "../src/apis/sse.ts";
import { ownTurn } from "../src/own-turn.ts";
import { complete } from "../src/stream.ts";

test("a caller that is alone does not wait", async () => {
  expect(ownTurn()).toBeUndefined();
  await nextTurn();
  expect(ownTurn()).toBeUndefined();
  await nextTurn();
});

test("callers at the same time continue in their order, one in a turn of the event loop, also those that come meanwhile", async () => {
  using turns = countTurns();
  const seen: { name: string; turn: number }[] = [];
  const run = async (name: string) => {
    await ownTurn();
    seen.push({ name, turn: turns.count });
    if (name !== "b") return;
    await run("b again");
  };
  await Promise.all(["a", "b", "c", "d"].map(run));
  expect(seen.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "b again"]);
  expect(new Set(seen.map(({ turn }) => turn)).size).toBe(seen.length);
});

test("calls of models at the same time begin one in a turn of the event loop", async () => {
  using turns = countTurns();
  const asked: number[] = [];
  const model = createScriptedModel({
    script: () => {
      asked.push(turns.count);
      return { text: "Done." };
    },
  });
  const call = () => complete(model, { messages: [{ role: "user", content: "Go", timestamp: 0 }] });
  await Promise.all([call(), call(), call(), call()]);
  expect(asked).toHaveLength(4);
  expect(new Set(asked).size).toBe(4);
});

test("large reads of several answers are handled in turns of their own; a small one does not wait", async () => {
  using turns = countTurns();
  const turnsOf: Record<string, Set<number>> = {};
  const read = async (name: string, events: number) => {
    const text = Array.from({ length: events }, () => `data: ${"x".repeat(100)}\n\n`).join("");
    const response = new Response(new TextEncoder().encode(text), { headers: { "content-type": "text/event-stream" } });
    const seen = new Set<number>();
    turnsOf[name] = seen;
    await readServerSentEvents(response, () => void seen.add(turns.count), { provider: "test" });
  };
  await Promise.all([read("a", 200), read("b", 200), read("small", 1), read("c", 200)]);
  const large = [turnsOf.a, turnsOf.b, turnsOf.c].map((seen) => [...(seen ?? [])]);
  expect(large.map((each) => each.length)).toEqual([1, 1, 1]);
  expect(new Set(large.flat()).size).toBe(3);
  expect([...(turnsOf.small ?? [])][0]).toBeLessThan(large[1]?.[0] ?? 0);
});
