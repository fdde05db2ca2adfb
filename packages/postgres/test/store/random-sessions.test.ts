import { onTestFinished, test } from "vitest";
import { playRandomSessions } from "../../../coding-agent/test/helpers/random-sessions.ts";
import { PostgresSessionStore } from "../../src/index.ts";
import { createDatabaseWithTables } from "../helpers/database.ts";

test("SE-011 SE-012 SE-013 SE-014 random sessions in a database say what a simple model of them says", async () => {
  const store = new PostgresSessionStore(await createDatabaseWithTables());
  onTestFinished(() => store.close());
  await playRandomSessions(() => store, 60);
}, 600_000);
