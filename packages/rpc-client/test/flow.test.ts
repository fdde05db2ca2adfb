import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import type { RpcEvent } from "../src/index.ts";
import { errorOf, startClient } from "./helpers/clients.ts";

const count = 5_000;
/** Events of 1 kB that are on their way when reading stops: what the pipe holds, and what was read at once. */
const onTheirWay = 400;

async function startFlood() {
  const stalled = join(mkdtempSync(join(tmpdir(), "rpc-client-flow-")), "stalled");
  const client = await startClient("floods-events", { env: { STALLED: stalled }, stopGraceMs: 60_000 });
  const seen: string[] = [];
  const settled = new Promise<void>((resolve) => {
    client.onEvent("agent_settled", () => resolve());
  });
  client.onEvent("queue_update", ({ steering }) => seen.push(steering[0] ?? ""));
  const untilStalled = () => until("the agent stands still", () => existsSync(stalled));
  return { client, seen, settled, untilStalled, forget: () => rmSync(stalled) };
}

const indexes = (events: readonly RpcEvent[]) =>
  events.flatMap((event) => (event.type === "queue_update" ? [event.steering[0]] : []));
const all = Array.from({ length: count }, (_, index) => String(index));

test("a slow reader leaves the agent's output unread, answers still get through, and no event is lost", async () => {
  const { client, seen, untilStalled, forget } = await startFlood();
  const events = client.events({ maxWaiting: 100 });
  const first = events.next();
  await client.prompt(String(count));
  expect((await first).value).toEqual({ type: "agent_start" });
  await untilStalled();
  expect(seen.length).toBeLessThan(100 + onTheirWay);
  forget();
  // Its answer is behind events that nobody has asked for.
  expect(await client.getState()).toMatchObject({ streamMode: "deltas" });
  await untilStalled();
  expect(seen.length).toBeLessThan(100 + 3 * onTheirWay);
  const read: RpcEvent[] = [];
  for await (const event of events) {
    read.push(event);
    if (event.type === "agent_settled") break;
  }
  expect(indexes(read)).toEqual(all);
  await client.stop();
});

test("a reader that asks the agent between two events is not kept waiting", async () => {
  const { client } = await startFlood();
  const events = client.events({ maxWaiting: 0 });
  await client.prompt("300");
  let asked = 0;
  for await (const event of events) {
    if (event.type === "agent_settled") break;
    await client.getState();
    asked += 1;
  }
  expect(asked).toBe(302);
  await client.stop();
});

test("a reader that has not begun, that left, or whose signal was aborted holds nobody up", async () => {
  const { client, seen, settled, untilStalled } = await startFlood();
  client.events({ maxWaiting: 1 });
  const leaving = client.events({ maxWaiting: 1 });
  const controller = new AbortController();
  const aborted = client.events({ maxWaiting: 1, signal: controller.signal });
  const begun = [leaving.next(), aborted.next()];
  await client.prompt(String(count));
  await Promise.all(begun);
  await untilStalled();
  await leaving.return?.();
  controller.abort();
  await settled;
  expect(seen).toEqual(all);
  expect(await aborted.next()).toEqual({ value: undefined, done: true });
  const late = client.events({ signal: controller.signal });
  expect(await late.next()).toEqual({ value: undefined, done: true });
  await client.stop();
});

test("promptAndWait does not wait for a reader that is behind", async () => {
  const { client, seen } = await startFlood();
  const events = client.events({ maxWaiting: 1 });
  const first = events.next();
  expect(await client.promptAndWait(String(count))).toEqual([]);
  expect(seen).toEqual(all);
  await first;
  await client.stop();
});

test("stop reads what is left, so that the agent can end by itself", async () => {
  const { client, seen, untilStalled } = await startFlood();
  const events = client.events({ maxWaiting: 1 });
  const first = events.next();
  await client.prompt(String(count));
  await first;
  await untilStalled();
  const exit = new Promise((resolve) => client.onExit(resolve));
  await client.stop();
  expect(await exit).toMatchObject({ code: "stopped", exitCode: 0, signal: null });
  expect(seen).toEqual(all);
});

test("a crash is told although nobody reads", async () => {
  const { client, untilStalled } = await startFlood();
  const events = client.events({ maxWaiting: 1 });
  const first = events.next();
  await client.prompt(String(count));
  await first;
  await untilStalled();
  expect(await errorOf(client.abort())).toMatchObject({ code: "exited", exitCode: 6 });
});
