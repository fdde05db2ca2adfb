import { expect, test } from "vitest";
import { begin, call, command } from "../../helpers/http-client.ts";
import { startTestServer } from "../../helpers/serve.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { createRandom } from "../rpc/hostile-lines.ts";
import { kinds, type Outcome, sendHostile } from "./hostile-requests.ts";

const isLong = process.env.PIKIT_LONG === "1";
const count = isLong ? 20_000 : 360;
const perBatch = isLong ? 600 : 60;
/** Written into the title, so that a failure can be made again. */
const seed = isLong ? Date.now() % 2 ** 31 : 20_261_122;

const workspace = useWorkspace();

/** Whether an outcome is as it must be: nothing, or only well-formed answers without a fault of the server. */
function faultOf({ kind, received }: Outcome): string | undefined {
  const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  const isWrong = received !== "" && (statuses.length === 0 || statuses.some((status) => status === 500 || status > 503));
  const isLeaky = /node_modules|\.ts:\d+|\n\s+at /.test(received);
  return isWrong || isLeaky ? `${kind}: ${received.slice(0, 500)}` : undefined;
}

test(`of ${count} requests that no client should send (seed ${seed}) each is answered or closed, and nothing else changes`, async () => {
  const server = await startTestServer(workspace, {
    times: { headersMs: 300, requestMs: 600, keepAliveMs: 200, checkMs: 50 },
  });
  const id = await begin(server, { session: "memory", model: await workspace.script({ text: "Hello" }) });
  const stateOf = async () => [
    (await command(server, id, { type: "get_state" })).data,
    (await call(server, "GET", "/v1/sessions")).json,
  ];
  const before = await stateOf();
  const random = createRandom(seed);
  const answered = new Map<string, number>();
  for (let sent = 0; sent < count; sent += perBatch) {
    const batch = Array.from({ length: perBatch }, (_, index) => kinds[(sent + index) % kinds.length] as string);
    const outcomes = await Promise.all(batch.map((kind) => sendHostile(server, kind, { random, id })));
    expect(outcomes.flatMap((outcome) => faultOf(outcome) ?? [])).toEqual([]);
    for (const { kind, received } of outcomes) if (received !== "") answered.set(kind, (answered.get(kind) ?? 0) + 1);
    expect(await stateOf()).toEqual(before);
  }
  // Nearly every kind gets answers; only a reset cannot have one.
  expect(kinds.filter((kind) => !answered.has(kind))).toEqual(["a reset"]);
  expect(server.problems).toEqual([]);
});
