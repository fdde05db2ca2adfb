import { sessionStoreTests } from "@pikit/coding-agent/session-store-tests";
import { describe, onTestFinished, test } from "vitest";
import { PostgresSessionStore } from "../../src/index.ts";
import { createDatabase } from "../helpers/database.ts";

describe("the contract of SessionStore", () => {
  let url = "";

  function openStore(): PostgresSessionStore {
    const store = new PostgresSessionStore(url);
    onTestFinished(() => store.close());
    return store;
  }

  const createStore = async () => {
    url = await createDatabase();
    return openStore();
  };
  for (const { name, run } of sessionStoreTests(createStore, { reopen: openStore })) test(name, run);
});
