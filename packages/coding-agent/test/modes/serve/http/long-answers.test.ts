import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sendLongJson } from "../../../../src/modes/serve/http/long-answer.ts";
import { encodeJson } from "../../../../src/protocol/jsonl.ts";
import { begin, call, command, openEvents, openSocket } from "../../../helpers/http-client.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

/** A server that answers with `answer`. Closed at the end of the test. */
async function serveAnswer(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Messages of 20 kB, and the number of times that one was read: once to measure it and once to encode it. */
function createMessages(count: number) {
  const reads = { count: 0 };
  const messages = Array.from({ length: count }, (_, index) => ({
    index,
    text: "é\u2028🙂".repeat(5000),
    get last() {
      reads.count += 1;
      return index;
    },
  }));
  return { messages, reads };
}

test("a long answer has the bytes of its JSON, and no write is much longer than 64 kB", async () => {
  const { messages } = createMessages(200);
  const value = { messages, text: "long ".repeat(100_000) };
  const written: number[] = [];
  const url = await serveAnswer((response) => {
    const write = response.write.bind(response) as (chunk: string, ...rest: unknown[]) => boolean;
    response.write = (chunk: string, ...rest: unknown[]) => {
      written.push(chunk.length);
      return write(chunk, ...rest);
    };
    void sendLongJson(response, value, { "pi-position": "e:7" });
  });
  const answer = await call({ url, token: "" }, "POST", "/", { body: "{}" });
  expect(answer.text === encodeJson(value)).toBe(true);
  expect(answer.headers).toMatchObject({ "content-type": "application/json", "pi-position": "e:7", "cache-control": "no-store" });
  expect(written.length).toBeGreaterThan(40);
  expect(Math.max(...written)).toBeLessThan(3 * 64 * 1024);
});

test("the rest of an answer is not encoded when the client does not read, and never when it leaves", async () => {
  const { messages, reads } = createMessages(3000);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const url = await serveAnswer((response) => void sendLongJson(response, messages, {}).then(end));
  const [answer] = await once(get(url, { agent: false }), "response");
  await once(answer, "data");
  answer.destroy();
  await over;
  // The messages are 60 MB; the buffers between the two ends hold a part of them.
  expect(reads.count).toBeLessThan(1.5 * messages.length);
});

test("a long answer over POST and over a socket is the same, and later frames come after it", async () => {
  const server = await startTestServer(workspace);
  const text = "a long text 🙂 ".repeat(10_000);
  const id = await begin(server, { model: await workspace.script({ text, deltas: [text] }) });
  const events = await openEvents(server, id);
  await command(server, id, { type: "prompt", message: "Go" });
  await events.waitFor({ type: "agent_settled" });
  const read = { id: 1, type: "get_messages" };
  const path = `/v1/sessions/${id}/commands`;
  const answer = await call(server, "POST", path, { body: read, headers: { "idempotency-key": "k" } });
  expect(answer.headers).toMatchObject({ "transfer-encoding": "chunked", "pi-position": expect.stringMatching(/:\d+$/) });
  expect(answer.text === JSON.stringify(answer.json)).toBe(true);
  expect(answer.json.data.messages[1].content).toEqual([{ type: "text", text }]);
  // The key does not keep the answer: the command reads again.
  const again = await call(server, "POST", path, { body: read, headers: { "idempotency-key": "k" } });
  expect(again.text === answer.text).toBe(true);
  const socket = await openSocket(server, id);
  socket.socket.send(JSON.stringify(read));
  socket.socket.send(JSON.stringify({ id: 2, type: "get_session_stats" }));
  const { after, ...response } = await socket.waitFor({ type: "response", id: 1 });
  expect(after).toBe(Number(answer.headers["pi-position"]?.toString().split(":")[1]));
  expect(JSON.stringify(response) === answer.text).toBe(true);
  await socket.waitFor({ type: "response", id: 2 });
  expect(socket.frames.filter(({ type }) => type === "response").map((each) => each.id)).toEqual([1, 2]);
});
