import { describe, test } from "vitest";
import { sharedStoreTests } from "../../../../src/conversation/shared-store-tests.ts";
import { SharedMemory } from "../../../helpers/shared-store.ts";

describe("the shared store of these tests behaves as the contract says", () => {
  const checks = sharedStoreTests(() => {
    const memory = new SharedMemory();
    return [memory.connect(), memory.connect()];
  });
  test.each(checks)("$name", ({ run }) => run());
});
