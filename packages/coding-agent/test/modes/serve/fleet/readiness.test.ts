import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { startMemberIn } from "../../../helpers/fleet.ts";
import { begin, call, command, openEvents } from "../../../helpers/http-client.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { SharedMemory } from "../../../helpers/shared-store.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

test("a server is ready, under both addresses and without a token", async () => {
  const server = await startTestServer(workspace);
  for (const path of ["/v1/ready", "/ready"]) {
    expect(await call(server, "GET", path, { token: null })).toMatchObject({ status: 200, json: { status: "ready" } });
  }
  const [long, short] = [await call(server, "GET", "/v1/health", { token: null }), await call(server, "GET", "/health")];
  expect(short.json).toEqual(long.json);
});

test("a server is not ready while its store does not answer, which it is asked once a second at most", async () => {
  const clock = holdClock();
  const server = await startMemberIn(workspace, new SharedMemory());
  let count = 0;
  let answer: () => Promise<undefined> = async () => undefined;
  server.store.holderOf = () => {
    count += 1;
    return answer();
  };
  const ask = () => call(server, "GET", "/v1/ready");
  expect((await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(count).toBe(1);
  clock.pass(1001);
  answer = () => Promise.reject(new Error("The database is away."));
  expect(await ask()).toMatchObject({ status: 503, json: { status: "store_unavailable" }, headers: { "retry-after": "1" } });
  clock.pass(1001);
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  answer = () => {
    onAsked();
    return new Promise(() => undefined);
  };
  const late = ask();
  await asked;
  clock.pass(2000);
  expect(await late).toMatchObject({ status: 503, json: { status: "store_unavailable" } });
  answer = async () => undefined;
  expect((await ask()).status).toBe(200);
  expect(count).toBe(4);
});

test("a server that ends is alive and not ready until its runs have ended", async () => {
  const server = await startTestServer(workspace, { limits: { graceSeconds: 100 } });
  const waiting = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
  const id = await begin(server, { model: await workspace.script(waiting, { text: "Done." }) });
  const events = await openEvents(server, id);
  await command(server, id, { type: "prompt", message: "Wait" });
  await events.waitFor({ type: "tool_execution_start" });
  const closing = server.close();
  expect(await call(server, "GET", "/ready")).toMatchObject({ status: 503, json: { status: "draining" } });
  expect(await call(server, "GET", "/health")).toMatchObject({ status: 503, json: { status: "closing" } });
  await workspace.write("work/go", "");
  await events.waitFor({ type: "agent_settled" });
  await closing;
});
