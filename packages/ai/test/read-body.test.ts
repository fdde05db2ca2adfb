import { expect, test } from "vitest";
import { readBody } from "../src/read-body.ts";

/** A body of these pieces that goes on for ever; `cancelled` resolves when the reader lets go of it. */
function endless(...pieces: string[]) {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
    },
    cancel: () => cancelled.resolve(),
  });
  return { body, cancelled: cancelled.promise };
}

test("a body is read whole when it fits", async () => {
  expect(await readBody(new Response("größer").body, { maxBytes: 8 })).toEqual({ text: "größer", isCut: false });
  expect(await readBody(new Response("").body, { maxBytes: 8 })).toEqual({ text: "", isCut: false });
  expect(await readBody(null, { maxBytes: 8 })).toEqual({ text: "", isCut: false });
});

test("one that does not fit is cut at the byte, and the rest is cancelled", async () => {
  const { body, cancelled } = endless("abc", "defgh", "more");
  expect(await readBody(body, { maxBytes: 5 })).toEqual({ text: "abcde", isCut: true });
  await cancelled;
});

test("one that does not end is read for as long as it may take", async () => {
  const { body, cancelled } = endless("abc");
  expect(await readBody(body, { maxBytes: 5, maxMs: 1 })).toEqual({ text: "abc", isCut: true });
  await cancelled;
});

test("an abort ends the reading where it is", async () => {
  const { body, cancelled } = endless("abc");
  const controller = new AbortController();
  const reading = readBody(body, { maxBytes: 5, signal: controller.signal });
  controller.abort();
  expect(await reading).toMatchObject({ isCut: true });
  await cancelled;
});
