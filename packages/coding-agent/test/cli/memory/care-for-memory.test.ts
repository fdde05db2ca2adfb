import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { careForMemory } from "../../../src/cli/memory/care-for-memory.ts";
import { beginRun, beginWork } from "../../../src/process-work.ts";

test("a first run that takes long is cared for before it ends", async () => {
  const clock = holdClock();
  const told: string[] = [];
  const loaded = Promise.withResolvers<void>();
  const createMemoryKeeper = () => ({
    onBusy() {
      told.push("busy");
      loaded.resolve();
    },
    onIdle: () => void told.push("idle"),
  });
  careForMemory(async () => ({ createMemoryKeeper }));
  const endCommand = beginWork();
  const endRun = beginRun();
  endCommand();
  clock.pass(1999);
  expect(told).toEqual([]);
  clock.pass(1);
  await loaded.promise;
  expect(told).toEqual(["busy"]);
  endRun();
  expect(told).toEqual(["busy", "idle"]);
});
