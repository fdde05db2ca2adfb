import { until } from "@pikit/test-kit";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { type FaultProxy, startFaultProxy } from "../helpers/fault-proxy.ts";

async function connectTo(proxy: FaultProxy): Promise<Client> {
  const client = new Client({ connectionString: proxy.url });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => void client.end());
  return client;
}

/** `events.once` would reject at the error that comes before the end. */
function endOf(client: Client): Promise<void> {
  return new Promise((resolve) => void client.once("end", resolve));
}

const one = "select 1 as one";

test("everything passes through the proxy while no fault is planned", async () => {
  const proxy = await startFaultProxy(await createDatabase());
  const client = await connectTo(proxy);
  const text = "€".repeat(1_000_000);
  const { rows } = await client.query("select $1::text as text", [text]);
  expect(rows[0].text === text).toBe(true);
  await client.end();
  await until("the connection has ended", () => proxy.connections === 0);
});

test("a connection is cut before the answer to a statement, which has run", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const [client, other] = [await connectTo(proxy), await connectTo(proxy)];
  await other.query("create table written (number int)");
  const cut = proxy.plan({ fault: "cut", direction: "toClient", after: "insert into written" });
  expect((await other.query(one)).rowCount).toBe(1);
  await expect(client.query("insert into written values (1)")).rejects.toThrow(/ECONNRESET|terminated unexpectedly/);
  await cut;
  await until("the statement has run", async () => (await other.query("select from written")).rowCount === 1);
});

test.each([1, 4, 5, 6, 30])("a connection is cut after %i bytes of a statement, which does not run", async (bytes) => {
  const proxy = await startFaultProxy(await createDatabase());
  const [client, other] = [await connectTo(proxy), await connectTo(proxy)];
  await other.query("create table written (number int)");
  void proxy.plan({ fault: "cut", direction: "toServer", bytes });
  const ended = endOf(client);
  await expect(client.query("insert into written values (1)")).rejects.toThrow();
  await ended;
  expect((await other.query("select from written")).rowCount).toBe(0);
});

test("a stalled connection gives no answer until it goes on, and the others do", async () => {
  const proxy = await startFaultProxy(await createDatabase());
  const [client, other] = [await connectTo(proxy), await connectTo(proxy)];
  const stalled = proxy.plan({ fault: "stall", direction: "toClient", bytes: 3 });
  let isAnswered = false;
  const answer = client.query(one).then(({ rows }) => {
    isAnswered = true;
    return rows;
  });
  await stalled;
  expect((await other.query(one)).rowCount).toBe(1);
  expect(isAnswered).toBe(false);
  proxy.resume();
  expect(await answer).toEqual([{ one: 1 }]);
});

test("the server does not notice that the client of a stalled connection is gone", async () => {
  const proxy = await startFaultProxy(await createDatabase());
  const [client, other] = [await connectTo(proxy), await connectTo(proxy)];
  await client.query("select pg_advisory_lock(7)");
  const countLocks = async () => (await other.query("select from pg_locks where locktype = 'advisory' and objid = 7")).rowCount;
  const stalled = proxy.plan({ fault: "stall", direction: "toServer" });
  const failed = client.query(one).catch((error: Error) => error.message);
  await stalled;
  // Ends the connection at once, since a statement is running.
  await client.end();
  expect(await failed).toMatch(/terminated/);
  expect(await countLocks()).toBe(1);
  proxy.resume();
  await until("the server has noticed", async () => (await countLocks()) === 0);
});

test.each(["endToServer", "endToClient"] as const)("half of a connection is closed: %s", async (fault) => {
  const proxy = await startFaultProxy(await createDatabase());
  const client = await connectTo(proxy);
  const ended = endOf(client);
  proxy.breakAll(fault);
  await ended;
  expect((await (await connectTo(proxy)).query(one)).rowCount).toBe(1);
});

test("connections are refused, and accepted again at the same address", async () => {
  const proxy = await startFaultProxy(await createDatabase());
  const client = await connectTo(proxy);
  const { url } = proxy;
  const ended = endOf(client);
  await proxy.refuse();
  await ended;
  await expect(connectTo(proxy)).rejects.toThrow("ECONNREFUSED");
  await proxy.accept();
  expect(proxy.url).toBe(url);
  expect((await (await connectTo(proxy)).query(one)).rowCount).toBe(1);
});
