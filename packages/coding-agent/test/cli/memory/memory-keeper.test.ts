import { setImmediate as nextTurn } from "node:timers/promises";
import { type HeldClock, holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { type KeptProcess, MemoryKeeper } from "../../../src/cli/memory/memory-keeper.ts";

/** A process of 100 MB, of which 60 MB stay when garbage is collected. */
class FakeProcess implements KeptProcess {
  residentMb = 100;
  usedMb = 20;
  active = 0;
  isAtWork = false;
  collections = 0;
  readonly bounds: boolean[] = [];

  residentBytes = () => this.residentMb * 1e6;
  usedHeapBytes = () => this.usedMb * 1e6;
  activeMs = () => this.active;
  hasWork = () => this.isAtWork;
  collectGarbage = () => {
    this.collections += 1;
    this.residentMb = Math.max(60, this.residentMb - 40);
  };
  boundOldSpace = (isBounded: boolean) => void this.bounds.push(isBounded);
}

function createKeeper() {
  const kept = new FakeProcess();
  const clock = holdClock();
  return { kept, clock, keeper: new MemoryKeeper(kept) };
}

/** Passes the time, and the turn of the event loop after it. */
async function pass(clock: HeldClock, ms: number): Promise<void> {
  clock.pass(ms);
  await nextTurn();
}

test("garbage is collected once when a process has grown by more than 24 MB and then nothing has happened", async () => {
  const { kept, clock, keeper } = createKeeper();
  kept.residentMb = 124;
  keeper.onIdle();
  expect(clock.timers).toBe(0);
  kept.residentMb = 126;
  keeper.onIdle();
  await pass(clock, 2400);
  expect(kept.collections).toBe(0);
  await pass(clock, 200);
  expect(kept.collections).toBe(1);
  keeper.onIdle();
  expect(clock.timers).toBe(0); // 86 MB are the new base
  kept.residentMb = 111;
  keeper.onIdle();
  await pass(clock, 60_000);
  expect(kept.collections).toBe(2);
});

test("a large process may grow by a quarter, and must be quiet for longer", async () => {
  const kept = new FakeProcess();
  kept.residentMb = 1000;
  const clock = holdClock();
  const keeper = new MemoryKeeper(kept);
  kept.residentMb = 1240;
  keeper.onIdle();
  expect(clock.timers).toBe(0);
  kept.residentMb = 1260;
  keeper.onIdle();
  await pass(clock, 25_000);
  expect(kept.collections).toBe(0);
  await pass(clock, 300);
  expect(kept.collections).toBe(1);
});

test("no collection falls into work that has begun meanwhile, nor into input that is read in the last moment", async () => {
  const { kept, clock, keeper } = createKeeper();
  kept.residentMb = 130;
  keeper.onIdle();
  clock.pass(5000);
  kept.isAtWork = true; // before the turn is over
  await nextTurn();
  await pass(clock, 60_000);
  expect(kept.collections).toBe(0);
  kept.isAtWork = false;
  keeper.onIdle();
  await pass(clock, 5000);
  expect(kept.collections).toBe(1);
});

test("a host that sends commands all the time never waits for a collection; the next quiet time has one", async () => {
  const { kept, clock, keeper } = createKeeper();
  kept.residentMb = 130;
  keeper.onIdle();
  for (let second = 0; second < 60; second += 1) {
    kept.active += 6;
    keeper.onBusy();
    keeper.onIdle();
    await pass(clock, 1000);
  }
  expect(kept.collections).toBe(0);
  await pass(clock, 3000);
  await pass(clock, 3000);
  expect(kept.collections).toBe(1);
});

test("the old objects of a small heap are bounded, those of a large one are not, also during a long run", () => {
  const { kept, clock, keeper } = createKeeper();
  keeper.onIdle();
  expect(kept.bounds).toEqual([true]);
  keeper.onBusy();
  for (const used of [47, 60, 65, 60, 49, 47]) {
    kept.usedMb = used;
    clock.pass(1000);
  }
  expect(kept.bounds).toEqual([true, false, true]);
  keeper.onIdle();
  kept.usedMb = 100;
  clock.pass(10_000);
  expect(kept.bounds).toEqual([true, false, true]);
  expect(clock.timers).toBe(0);
});
