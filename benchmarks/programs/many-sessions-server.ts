// Run by many-sessions.ts in a process of its own: a model provider that waits until all requests of a stage have come in, and then answers
// them side by side. Prints its address; ends with its stdin.
// POST /<requests>/<deltas of each answer>/<deltas a second of each answer; 0: as fast as they are read>/v1/messages
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { monotonicMs } from "../lib/provider.ts";
import type { Stage } from "./many-sessions.ts";

/** Deltas in one write of an answer that goes as fast as it is read: as much as one read takes, also where many answers are going. */
const batchSize = 500;

const usage = { input_tokens: 10, output_tokens: 1 };
const message = { id: "msg_1", type: "message", role: "assistant", model: "bench", content: [], stop_reason: null, usage };
const opening = [
  { type: "message_start", message },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
];
const ending = [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

function toText(...events: { type: string; [field: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function deltaText(n: number, text = `word${n % 1000} `): string {
  return toText({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
}

/** One delta at a time to one answer after another, in small steps of time, so that a reader that keeps up gets each by itself. */
function pace(answers: readonly ServerResponse[], { deltas, rate }: Stage): void {
  const start = performance.now();
  const total = deltas * answers.length;
  let written = 0;
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - start) * rate * answers.length) / 1000));
    for (; written < due; written += 1) {
      const n = Math.floor(written / answers.length);
      const answer = answers[written % answers.length];
      // A reader can tell how late it gets the delta.
      answer?.write(deltaText(n, `t=${monotonicMs()} `));
      if (n === deltas - 1) answer?.end(toText(...ending));
    }
    if (written === total) clearInterval(timer);
  }, 1);
}

/** As fast as it is read, whatever other answers do. */
async function pour(answer: ServerResponse, deltas: number): Promise<void> {
  for (let n = 0; n < deltas; n += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, deltas - n) }, (_, index) => deltaText(n + index)).join("");
    if (!answer.write(batch)) await once(answer, "drain");
    else await nextTurn();
  }
  answer.end(toText(...ending));
}

/** By path. */
const waiting = new Map<string, ServerResponse[]>();

const server = createServer((request, answer) => {
  const path = request.url ?? "";
  const [, sessions, deltas, rate] = path.split("/").map(Number) as [number, number, number, number];
  request.resume();
  request.socket.setNoDelay(true);
  answer.writeHead(200, { "content-type": "text/event-stream" }).write(toText(...opening));
  const answers = waiting.get(path) ?? [];
  waiting.set(path, answers);
  if (answers.push(answer) < sessions) return;
  waiting.delete(path);
  if (rate > 0) pace(answers, { sessions, deltas, rate });
  else for (const each of answers) void pour(each, deltas);
});
// A connection that waits for its next turn is not closed under a request.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.resume().on("end", () => process.exit());
