import {
  copyingStoreTests,
  describingStoreTests,
  sessionStoreTests,
  sharedStoreTests,
} from "@pikit/coding-agent/session-store-tests";
import { describe, onTestFinished, test } from "vitest";
import { PostgresSessionStore } from "../../src/index.ts";
import { createDatabaseWithTables } from "../helpers/database.ts";

describe("the contracts of a store", () => {
  let url = "";

  function openStore(): PostgresSessionStore {
    const store = new PostgresSessionStore(url);
    onTestFinished(() => store.close());
    return store;
  }

  const createStore = async () => {
    url = await createDatabaseWithTables();
    return openStore();
  };
  const createStores = async () => [await createStore(), openStore()] as const;
  for (const { name, run } of sessionStoreTests(createStore, { reopen: openStore })) test(name, run);
  for (const { name, run } of describingStoreTests(createStore)) test(name, run);
  for (const { name, run } of copyingStoreTests(createStore)) test(name, run);
  for (const { name, run } of sharedStoreTests(createStores)) test(name, run);
});
