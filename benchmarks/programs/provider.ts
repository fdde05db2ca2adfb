// Forked by lib/provider.ts: a model provider that answers "Reply with N words, PACE." with N deltas. It sends its address, and then each
// request when it has been answered.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { anthropic, openai, type Wire } from "@pikit/test-kit";
import { monotonicMs, type Pace, type ProviderRequest } from "../lib/provider.ts";

/** Between two pieces of "one by one", so that a reader who keeps up reads each of them alone. */
const pauseMs = 0.2;
/** Of a piece of "in bulk". */
const bulkLength = 64 * 1024;
const headers = { "content-type": "text/event-stream; charset=utf-8" };

const replies = new Map<string, readonly string[]>();
const sleeper = new Int32Array(new SharedArrayBuffer(4));

const server = createServer(async (incoming, outgoing) => {
  incoming.socket.setNoDelay(true);
  const text = await read(incoming);
  const arrivedAt = monotonicMs();
  if (text === undefined) return;
  const wire = incoming.url?.includes("/chat/completions") ? openai : anthropic;
  const [, deltas = "1", pace = "at once"] = [...text.matchAll(/Reply with (\d+) words, ([a-z ]+)\./g)].at(-1) ?? [];
  await write(outgoing, reply(wire, Number(deltas), pace as Pace, countTokens(text)), pace as Pace);
  process.send?.({ body: text === "" ? {} : JSON.parse(text), arrivedAt } satisfies ProviderRequest);
});
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once("disconnect", () => process.exit());

/** Undefined when the client leaves before all of it is sent. */
async function read(incoming: IncomingMessage): Promise<string | undefined> {
  let text = "";
  try {
    for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
  } catch {
    return undefined;
  }
  return text;
}

/** The tokens of a request, rounded to thousands, so that few replies have to be made. Conversations are compacted by this number. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4000) * 1000;
}

/** The pieces of a reply, made once. */
function reply(wire: Wire, deltas: number, pace: Pace, input: number): readonly string[] {
  const key = `${wire === openai} ${deltas} ${pace} ${input}`;
  const known = replies.get(key);
  if (known) return known;
  const words = Array.from({ length: deltas }, (_, index) => `word${index} `);
  const events = wire.answer([{ text: words }], { usage: { input, output: deltas } }).steps as readonly string[];
  const pieces = pace === "one by one" ? events : cut(events.join(""), pace === "at once" ? Number.POSITIVE_INFINITY : bulkLength);
  replies.set(key, pieces);
  return pieces;
}

function cut(text: string, length: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length));
  return pieces;
}

async function write(outgoing: ServerResponse, pieces: readonly string[], pace: Pace): Promise<void> {
  outgoing.writeHead(200, headers);
  for (const piece of pieces) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(piece)) await writable(outgoing);
    if (pace !== "one by one") continue;
    // A piece leaves at the end of the turn in which it is written.
    await nextTurn();
    // No timer is as short as that, and this process has nothing else to do.
    Atomics.wait(sleeper, 0, 0, pauseMs);
  }
  outgoing.end();
}

function writable(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}
