import { until } from "@pikit/test-kit";
import { Client } from "pg";
import { onTestFinished, test } from "vitest";
import { startServer } from "../helpers/server.ts";
import { begin, openStore } from "../helpers/sessions.ts";

/** The number of connections to the database, besides the one that asks. */
async function countConnections(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::integer as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

test("a session that is opened while the lost lock connection waits for its next attempt leaves one connection", async () => {
  const server = await startServer();
  onTestFinished(() => server.remove());
  const isLost = Promise.withResolvers<void>();
  const store = openStore(server.url(), { report: () => isLost.resolve() });
  await (await begin(store, "a")).close();
  // Called when the store listens, and again when the attempts to connect have ended.
  let calls = 0;
  const waiting = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  store.onAppend((ids) => ids ?? waiting[calls++]?.resolve());
  await waiting[0]?.promise;

  await server.stop();
  await isLost.promise;
  await server.start();
  // Connects at once, while the next attempt waits.
  await (await store.open("a", () => undefined)).log.close();
  await waiting[1]?.promise;
  await store.close();
  await until("all connections are closed", async () => (await countConnections(server.url())) === 0);
});
