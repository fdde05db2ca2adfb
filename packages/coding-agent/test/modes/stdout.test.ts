import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { openWritable } from "../../src/modes/stdout.ts";

/** Both ends of a connection; the reader reads when it is told to. */
async function openSockets(): Promise<{ socket: Socket; reader: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", writableHighWaterMark: 1024 } as never);
  const [[reader]] = await Promise.all([once(server, "connection") as Promise<[Socket]>, once(socket, "connect")]);
  onTestFinished(() => {
    reader.destroy();
    socket.destroy();
    server.close();
  });
  return { socket, reader };
}

const piece = "x".repeat(64 * 1024);

test("waiting for a full pipe leaves nothing behind, however often it is full", async () => {
  const { socket, reader } = await openSockets();
  const stdout = openWritable(socket);
  const then = vi.spyOn(stdout.closed, "then");
  const listeners = () => socket.eventNames().map((name) => [name, socket.listenerCount(name)]);
  const before = listeners();
  reader.resume();
  let waits = 0;
  while (waits < 100) {
    const wait = stdout.write(piece);
    if (!wait) continue;
    waits += 1;
    await wait;
  }
  // Each of them would stay with the promise for as long as the process lives.
  expect(then).not.toHaveBeenCalled();
  expect(listeners()).toEqual(before);
});

test("RP-010 a reader that goes away ends the wait for it", async () => {
  const { socket, reader } = await openSockets();
  const stdout = openWritable(socket);
  let wait: Promise<void> | undefined;
  while (!wait) wait = stdout.write(piece);
  reader.destroy();
  await wait;
  await stdout.closed;
  expect(stdout.write(piece)).toBeUndefined();
  await stdout.end();
});
