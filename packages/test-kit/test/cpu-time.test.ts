import { expect, test } from "vitest";
import { assertLinear, watchEventLoop } from "../src/cpu-time.ts";

const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);

test("linear work passes, quadratic work does not", async () => {
  await assertLinear(300_000, (count) => () => new Set(words(count)));
  const quadratic = (count: number) => {
    const all = words(count);
    return () => all.filter((word, index) => all.indexOf(word) !== index);
  };
  await expect(assertLinear(20_000, quadratic)).rejects.toThrow(/^20000 cost [\d.]+ ms of CPU, 8 times 2500 cost/);
});

test("work that does not come to an end within a turn of the event loop is seen", async () => {
  const watch = watchEventLoop();
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const before = process.threadCpuUsage().user;
  while (process.threadCpuUsage().user - before < 100_000);
  await new Promise((resolve) => setImmediate(resolve));
  const { turns, longestCpuMs } = watch.stop();
  expect(turns).toBeGreaterThanOrEqual(20);
  expect(longestCpuMs).toBeGreaterThan(90);
  expect(longestCpuMs).toBeLessThan(1000);
});

test("a watch that was stopped leaves the event loop alone", async () => {
  const watch = watchEventLoop();
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  watch.stop();
  expect(process.getActiveResourcesInfo()).not.toContain("Immediate");
});
