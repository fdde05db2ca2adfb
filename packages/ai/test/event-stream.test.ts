import { assertLinear } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { EventStream } from "../src/index.ts";

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

test("gives events in order, whether they wait or are waited for", async () => {
  const stream = new EventStream<number, string>();
  stream.push(1);
  const reading = readAll(stream);
  await Promise.resolve();
  stream.push(2);
  stream.push(3);
  stream.end("done");
  expect(await reading).toEqual([1, 2, 3]);
  expect(await stream.result()).toBe("done");
});

test("AI-002 buffered events stay readable after the end, and the result can be awaited twice without reading", async () => {
  const stream = new EventStream<number, string>();
  stream.push(1);
  stream.end("done");
  expect([await stream.result(), await stream.result()]).toEqual(["done", "done"]);
  expect(await readAll(stream)).toEqual([1]);
  expect(await readAll(stream)).toEqual([]);
});

test("a failure is thrown after the waiting events, to every reader and to result()", async () => {
  const stream = new EventStream<number, string>();
  stream.push(1);
  const failure = new Error("broken");
  stream.fail(failure);
  const iterator = stream[Symbol.asyncIterator]();
  expect(await iterator.next()).toEqual({ value: 1, done: false });
  await expect(iterator.next()).rejects.toBe(failure);
  await expect(readAll(stream)).rejects.toBe(failure);
  await expect(stream.result()).rejects.toBe(failure);
});

test("a failure that nobody asks for is no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  new EventStream<number, string>().fail(new Error("nobody listens"));
  await new Promise(setImmediate);
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
});

test("settles once: what comes after the end is ignored", async () => {
  const stream = new EventStream<number, string>();
  expect(stream.isSettled).toBe(false);
  stream.end("first");
  stream.push(1);
  stream.end("second");
  stream.fail(new Error("late"));
  expect(stream.isSettled).toBe(true);
  expect(await stream.result()).toBe("first");
  expect(await readAll(stream)).toEqual([]);
});

test("several readers share the events, each event goes to one of them, and all end", async () => {
  const stream = new EventStream<number, undefined>();
  const readers = [readAll(stream), readAll(stream), readAll(stream)];
  for (let i = 0; i < 300; i += 1) {
    stream.push(i);
    if (i % 7 === 0) await Promise.resolve();
  }
  stream.end(undefined);
  const parts = await Promise.all(readers);
  expect(parts.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i));
});

test("a reader that leaves early takes nothing from the others", async () => {
  const stream = new EventStream<number, undefined>();
  for (const event of [1, 2, 3]) stream.push(event);
  stream.end(undefined);
  for await (const event of stream) {
    expect(event).toBe(1);
    break;
  }
  expect(await readAll(stream)).toEqual([2, 3]);
});

test("AI-008 100,000 buffered events are read in linear time", async () => {
  await assertLinear(100_000, (count) => {
    const stream = new EventStream<number, undefined>();
    for (let i = 0; i < count; i += 1) stream.push(i);
    stream.end(undefined);
    return async () => {
      let sum = 0;
      for await (const event of stream) sum += event;
      expect(sum).toBe((count * (count - 1)) / 2);
    };
  });
});

test("takeWaiting gives all that waits at once, in order, then what comes, and nothing more at the end", async () => {
  const stream = new EventStream<number, string>();
  for (const event of [1, 2, 3]) stream.push(event);
  expect(await stream.takeWaiting()).toEqual([1, 2, 3]);
  const next = stream.takeWaiting();
  for (const event of [4, 5]) stream.push(event);
  expect(await next).toEqual([4, 5]);
  const last = stream.takeWaiting();
  stream.push(6);
  stream.end("done");
  expect(await last).toEqual([6]);
  expect(await stream.takeWaiting()).toEqual([]);
  expect(await stream.takeWaiting()).toEqual([]);
});

test("takeWaiting leaves to each reader what is theirs, and throws a failure behind what waits", async () => {
  const stream = new EventStream<number, string>();
  const iterator = stream[Symbol.asyncIterator]();
  const [first, rest] = [iterator.next(), stream.takeWaiting()];
  for (const event of [1, 2, 3]) stream.push(event);
  expect([await first, await rest]).toEqual([{ value: 1, done: false }, [2, 3]]);
  for (const event of [4, 5, 6]) stream.push(event);
  expect(await iterator.next()).toEqual({ value: 4, done: false });
  const failure = new Error("broken");
  stream.fail(failure);
  expect(await stream.takeWaiting()).toEqual([5, 6]);
  await expect(stream.takeWaiting()).rejects.toBe(failure);
});
