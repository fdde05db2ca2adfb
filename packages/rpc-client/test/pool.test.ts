import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { type AgentPool, createPool, type PoolOptions, type PoolState, type RpcClient } from "../src/index.ts";
import { errorOf, fixture, isRunning } from "./helpers/clients.ts";

/** A pool of fixtures, and what was started for it so far. */
function startPool({ env, ...options }: Partial<PoolOptions> = {}) {
  const starts = join(mkdtempSync(join(tmpdir(), "rpc-client-pool-")), "starts");
  const pool = createPool({
    size: 2,
    cliPath: fixture("pooled"),
    env: { STARTS: starts, ...env },
    stopGraceMs: 60_000,
    startTimeoutMs: 0,
    ...options,
  });
  // An agent that is stopped as it starts may have made the file and written nothing.
  const pids = () => (existsSync(starts) ? (readFileSync(starts, "utf8").match(/\d+/g) ?? []).map(Number) : []);
  return { pool, pids };
}

const untilState = (pool: AgentPool, state: Partial<PoolState>) =>
  until(`the pool is ${JSON.stringify(state)}`, () =>
    Object.entries(state).every(([key, value]) => pool.state[key as keyof PoolState] === value),
  );
const pidOf = async (client: RpcClient) => Number((await client.getState()).sessionId);

test("agents are warm before they are asked for, are handed out once, and a fresh one takes the place of each", async () => {
  const { pool, pids } = startPool();
  await untilState(pool, { warm: 2 });
  const warm = pids();
  const [first, second] = await Promise.all([pool.acquire(), pool.acquire()]);
  expect([await pidOf(first), await pidOf(second)].toSorted()).toEqual(warm.toSorted());
  expect(pool.state).toEqual({ busy: 2, warm: 0, starting: 0, waiting: 0 });
  await first.stop();
  await untilState(pool, { warm: 1 });
  expect(pids()).toHaveLength(3);
  await pool.use(async (client) => expect(warm).not.toContain(await pidOf(client)));
  await pool.close();
  expect(pids().filter(isRunning)).toEqual([]);
  expect(await errorOf(second.getState())).toMatchObject({ code: "stopped" });
});

test("who asks first is served first, and there are never more agents than the size", async () => {
  const { pool, pids } = startPool({ size: 1 });
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3, 4].map((number) =>
      pool.use(async () => {
        order.push(number);
        expect(pids().filter(isRunning)).toHaveLength(1);
      }),
    ),
  );
  expect(order).toEqual([1, 2, 3, 4]);
  await pool.close();
});

test("a wait ends with its time or its signal, and who waits behind is served", async () => {
  const { pool } = startPool({ size: 1 });
  const first = await pool.acquire();
  const controller = new AbortController();
  const clock = holdClock();
  const late = errorOf(pool.acquire({ timeoutMs: 60_000 }));
  const aborted = errorOf(pool.acquire({ signal: controller.signal }));
  const patient = pool.acquire();
  expect(pool.state.waiting).toBe(3);
  controller.abort("gone");
  clock.pass(60_000);
  expect(await late).toMatchObject({
    code: "timeout",
    message: expect.stringContaining("No agent of the pool was free within 60000 ms"),
  });
  expect(await aborted).toMatchObject({ code: "aborted", cause: "gone" });
  expect(await errorOf(pool.acquire({ signal: controller.signal }))).toMatchObject({ code: "aborted" });
  await first.stop();
  await (await patient).stop();
  await pool.close();
});

test("an agent that died or does not answer any more is not handed out but replaced", async () => {
  const clock = holdClock();
  // no race: the clock is held.
  const { pool, pids } = startPool({ healthCheckMs: 60_000, stopGraceMs: 1000 });
  await untilState(pool, { warm: 2 });
  const [dead = 0, deaf = 0] = pids();
  process.kill(dead, "SIGKILL");
  process.kill(deaf, "SIGSTOP");
  await untilState(pool, { warm: 1 });
  const acquiring = pool.acquire();
  clock.pass(60_000); // It does not answer.
  await until("the deaf one is stopped", () => {
    clock.pass(1000);
    return !isRunning(deaf);
  });
  const client = await acquiring;
  expect([dead, deaf]).not.toContain(await pidOf(client));
  await client.stop();
  await untilState(pool, { warm: 2 });
  await pool.close();
  expect(pids().filter(isRunning)).toEqual([]);
});

test("a crash of an agent that is handed out is its holder's, and the pool replaces it", async () => {
  const { pool } = startPool({ size: 1 });
  const client = await pool.acquire();
  process.kill(await pidOf(client), "SIGKILL");
  expect(await errorOf(client.getMessages())).toMatchObject({ code: "exited", signal: "SIGKILL" });
  await pool.use(async (next) => expect(await pidOf(next)).toBeGreaterThan(0));
  await pool.close();
});

test("who waits is told when no agent can be started; the next one tries again, and nothing spins meanwhile", async () => {
  holdClock(); // The pause after a failure does not end.
  const { pool, pids } = startPool({ size: 1, env: { FAIL: "2" } });
  const first = await pool.acquire();
  const waiting = [errorOf(pool.acquire()), errorOf(pool.acquire())];
  await first.stop();
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: "exited", exitCode: 4 });
  expect(pids()).toHaveLength(3);
  expect(await errorOf(pool.acquire())).toMatchObject({ code: "exited" });
  expect(pids()).toHaveLength(4);
  await pool.close();
});

test("warm agents are stopped when nobody asks for long, and the next call warms up again", async () => {
  const clock = holdClock();
  const { pool, pids } = startPool({ idleMs: 60_000 });
  const nobody = { busy: 0, warm: 0, starting: 0, waiting: 0 };
  const untilAllAreGone = () => until("all agents are gone", () => !pids().some(isRunning));
  await untilState(pool, { warm: 2 });
  clock.pass(60_000);
  expect(pool.state).toEqual(nobody);
  await untilAllAreGone();
  const client = await pool.acquire();
  await untilState(pool, { busy: 1, warm: 1 });
  expect(pids()).toHaveLength(4);
  await client.stop();
  await untilState(pool, { warm: 2 });
  clock.pass(60_000);
  expect(pool.state).toEqual(nobody);
  await untilAllAreGone();
  await pool.close();
});

test("a session is opened before the agent is handed out; one that cannot be is refused, and its agent replaced", async () => {
  const { pool, pids } = startPool({ size: 1 });
  const session = "/sessions/anna.jsonl";
  await pool.use(async (client) => expect(await client.getState()).toMatchObject({ sessionFile: session }), { session });
  const use = { session: "/locked", takeOverLock: true };
  await pool.use(async (client) => expect(await client.getState()).toMatchObject({ sessionFile: "/locked taken over" }), use);
  expect(await errorOf(pool.acquire({ session: "/missing" }))).toMatchObject({ code: "command_failed", reason: "No such session" });
  await pool.use(() => undefined);
  await pool.close();
  expect(pids().filter(isRunning)).toEqual([]);
});

test("closing rejects who waits, stops what is starting, and refuses later calls; a wrong size is refused", async () => {
  const { pool, pids } = startPool({ size: 1 });
  const waiting = [errorOf(pool.acquire()), errorOf(pool.acquire())];
  await Promise.all([pool.close(), pool[Symbol.asyncDispose]()]);
  for (const error of [...(await Promise.all(waiting)), await errorOf(pool.acquire())])
    expect(error).toMatchObject({ code: "stopped" });
  expect(pids().filter(isRunning)).toEqual([]);
  expect(() => createPool({ size: 0 })).toThrow(RangeError);
});
