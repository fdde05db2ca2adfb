import { expect, test } from "vitest";
import { LiveSession } from "../../../../src/modes/serve/live/live-session.ts";
import { createAgentSession } from "../../../../src/session/assemble/create.ts";
import { hostModel } from "../../../helpers/host.ts";
import { LiveServer, type SocketClient } from "../../../helpers/live-server.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

async function createLive() {
  const session = await createAgentSession({
    ...{ cwd: workspace.cwd, agentDir: workspace.agentDir, model: "host/x", session: "memory", retry: { baseDelayMs: 0 } },
    ...{ awaitsHostModels: true, autoStart: false },
  });
  const live = new LiveSession(session, { replayBytes: 1_000_000 });
  return { session, live, server: await new LiveServer(live).listen() };
}

const register = (client: SocketClient) => client.ask({ id: "models", type: "set_host_models", models: [hostModel] });
const say = (id: unknown, text: string) => ({
  ...{ type: "host_model_result", id, stopReason: "stop", content: [{ type: "text", text }] },
});
const delta = (id: unknown, event: object) => ({ type: "host_model_event", id, event: { contentIndex: 0, ...event } });
const callsOf = ({ records }: SocketClient) => records.filter(({ type }) => type === "host_model_call");

test("a call goes to all clients; the first that answers has it, frames of others are ignored, and all are told of its end", async () => {
  const { live, session, server } = await createLive();
  const [one, two] = [await server.connect(), await server.connect()];
  await register(one);
  const calls = Promise.all([one.first("host_model_call"), two.first("host_model_call")]);
  await live.command({ type: "prompt", message: "Hi" });
  const [{ id }, again] = await calls;
  expect(again.id).toBe(id);
  const begun = one.next(({ type }) => type === "message_update");
  one.send(delta(id, { type: "text_start" }));
  await begun;
  two.send(say(id, "No, I."));
  two.send({ type: "host_model_error", id, message: "No, I fail." });
  await two.ask({ id: "read", type: "get_state" });
  const cancelled = two.first("host_model_cancel");
  one.send(delta(id, { type: "text_delta", delta: "Mine." }));
  one.send(delta(id, { type: "text_end" }));
  one.send({ type: "host_model_result", id, stopReason: "stop" });
  expect(await cancelled).toMatchObject({ targetId: id });
  await session.waitForIdle();
  expect(session.lastAssistantText()).toBe("Mine.");
  await live.dispose();
});

test("a call whose client leaves in the middle is made again, and another client answers it", async () => {
  const { live, session, server } = await createLive();
  const [one, two] = [await server.connect(), await server.connect()];
  await register(one);
  const first = one.first("host_model_call");
  await live.command({ type: "prompt", message: "Hi" });
  const { id } = await first;
  const begun = two.next(({ type }) => type === "message_update");
  one.send(delta(id, { type: "text_start" }));
  await begun;
  const second = two.next((record) => record.type === "host_model_call" && record.id !== id);
  await one.cut();
  two.send(say((await second).id, "I have it."));
  await session.waitForIdle();
  expect(two.records.find(({ type }) => type === "auto_retry_start")).toMatchObject({
    errorMessage: "The host of host/x has closed its connection before the answer was complete.",
  });
  expect(session.lastAssistantText()).toBe("I have it.");
  await live.dispose();
});

test("an open call is repeated to a client that comes later, which answers it", async () => {
  const { live, session, server } = await createLive();
  const one = await server.connect();
  await register(one);
  const first = one.first("host_model_call");
  await live.command({ type: "prompt", message: "Hi" });
  const { id } = await first;
  await one.cut();
  expect(live.isIdle).toBe(false);
  const two = await server.connect();
  expect(await two.first("host_model_call")).toMatchObject({ id, again: true });
  two.send(say(id, "Later."));
  await session.waitForIdle();
  expect(session.lastAssistantText()).toBe("Later.");
  await live.dispose();
});

test("a client that comes back over another connection cannot go on with a call: it is made again", async () => {
  const { live, session, server } = await createLive();
  const one = await server.connect({ clientId: "c" });
  await register(one);
  const first = one.first("host_model_call");
  await live.command({ type: "prompt", message: "Hi" });
  const { id } = await first;
  const begun = one.next(({ type }) => type === "message_update");
  one.send(delta(id, { type: "text_start" }));
  await begun;
  const back = await server.connect({ clientId: "c" });
  const second = back.next((record) => record.type === "host_model_call" && record.id !== id);
  back.send(delta(id, { type: "text_delta", delta: "lost something" }));
  back.send(say((await second).id, "Whole."));
  await session.waitForIdle();
  expect(session.lastAssistantText()).toBe("Whole.");
  expect(callsOf(back)).toHaveLength(2);
  await live.dispose();
});

test("a call can be answered over POST, and the end of the session ends it", async () => {
  const { live, session, server } = await createLive();
  const client = await server.connect();
  await live.command({ type: "set_host_models", models: [hostModel] });
  const call = client.first("host_model_call");
  await live.command({ type: "prompt", message: "Hi" });
  await live.command(say((await call).id, "Posted."));
  await session.waitForIdle();
  expect(session.lastAssistantText()).toBe("Posted.");
  const second = client.next(({ type }) => type === "host_model_call");
  await live.command({ type: "prompt", message: "Hi again" });
  await second;
  await live.dispose();
  expect(session.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: expect.stringMatching(/error|aborted/) });
});
