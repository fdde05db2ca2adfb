import { PassThrough } from "node:stream";
import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import { type AgentRpcOptions, runRpcMode, type Streams, serveAgentRpc } from "../../src/index.ts";
import { findViolations } from "../helpers/outgoing.ts";
import type { WireRecord } from "../helpers/rpc-process.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** The client's end of two streams in this process. */
class Client {
  readonly streams: Streams & { input: PassThrough; output: PassThrough } = { input: new PassThrough(), output: new PassThrough() };
  readonly records: WireRecord[] = [];
  #changed = Promise.withResolvers<void>();

  constructor() {
    let held = "";
    this.streams.output.setEncoding("utf8").on("data", (text: string) => {
      const lines = (held + text).split("\n");
      held = lines.pop() ?? "";
      this.records.push(...lines.map((line) => JSON.parse(line) as WireRecord));
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }

  send(...records: object[]): void {
    this.streams.input.write(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  async waitFor(match: Partial<WireRecord>): Promise<WireRecord> {
    for (;;) {
      const found = this.records.find((record) => Object.entries(match).every(([key, value]) => record[key] === value));
      if (found) return found;
      await this.#changed.promise;
    }
  }
}

/** What a mode of the command line takes over, and a program of somebody else's must keep. */
const processState = () => [
  process.stdout,
  console.log,
  process.listenerCount("SIGINT"),
  process.stdin.listenerCount("data"),
  process.exitCode,
];

test("sessions of one process are served on streams of their own, side by side, each with its own user", async () => {
  const before = processState();
  const served = await Promise.all(
    ["one", "two"].map(async (text) => {
      const client = new Client();
      const { session } = await createScriptedSession(
        workspace,
        [{ toolCalls: [{ name: "bash", arguments: { command: "rm -rf nothing" } }] }, { text }],
        { session: "memory", approval: "on-risk", autoStart: false },
      );
      const over = runRpcMode(session, client.streams);
      return { client, over, session, text };
    }),
  );
  for (const { client, text } of served) client.send({ id: text, type: "prompt", message: text });
  for (const { client } of served) {
    const { id } = await client.waitFor({ type: "extension_ui_request", method: "confirm" });
    client.send({ type: "extension_ui_response", id, confirmed: true });
  }
  for (const { client, over, session, text } of served) {
    await client.waitFor({ type: "agent_settled" });
    client.send({ type: "get_last_assistant_text" });
    client.streams.input.end();
    await over;
    expect(client.records[0]).toMatchObject({ type: "ready", protocolVersion: 1 });
    expect(client.records.at(-1)).toMatchObject({ command: "get_last_assistant_text", data: { text } });
    expect(client.records.flatMap(findViolations)).toEqual([]);
    expect(client.streams.output.writableEnded).toBe(true);
    await expect(session.prompt("More")).rejects.toMatchObject({ code: "disposed" });
  }
  expect(processState()).toEqual(before);
});

test.each([
  ["its signal is aborted", (_streams: Client["streams"], controller: AbortController) => controller.abort()],
  ["its output is gone", ({ output }: Client["streams"]) => output.destroy()],
  ["its input is gone", ({ input }: Client["streams"]) => input.destroy(new Error("reset"))],
])("serving ends when %s: the run is aborted, and the input is let go of", async (_title, end) => {
  const client = new Client();
  const controller = new AbortController();
  const { session } = await createScriptedSession(workspace, [{ text: "one two", delayMs: 60_000 }]);
  const over = runRpcMode(session, { ...client.streams, signal: controller.signal, ready: false, streamMode: "deltas" });
  client.send({ id: 1, type: "prompt", message: "Hi" });
  expect(await client.waitFor({ type: "response" })).toMatchObject({ success: true });
  end(client.streams, controller);
  await over;
  expect(session.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  expect(client.streams.input.listenerCount("data")).toBe(0);
});

test("agent_chat is served on any streams too", async () => {
  const before = processState();
  const client = new Client();
  const model = createScriptedModel({ script: [{ text: "Hello." }] });
  const options: AgentRpcOptions = { ...client.streams, cwd: workspace.cwd, agentDir: workspace.agentDir, model };
  const over = serveAgentRpc(options);
  client.send({ method: "ping" }, { method: "agent_chat", params: { message: "Hi" } });
  expect(await client.waitFor({ event: "done" })).toMatchObject({ data: { response: "Hello." } });
  client.streams.input.end();
  await over;
  expect(client.records.map(({ event }) => event)).toEqual(["pong", "text_chunk", "text", "llm_usage", "done"]);
  expect(processState()).toEqual(before);
});

test("agent_chat ends with its signal, in the middle of a chat", async () => {
  const client = new Client();
  const controller = new AbortController();
  const model = createScriptedModel({ script: [{ text: "one two three", delayMs: 60_000 }] });
  const over = serveAgentRpc({
    ...client.streams,
    cwd: workspace.cwd,
    agentDir: workspace.agentDir,
    model,
    signal: controller.signal,
  });
  client.send({ method: "agent_chat", params: { message: "Hi" } });
  while ((await workspace.sessionFiles()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await over;
  expect(client.records.at(-1)).toMatchObject({ event: "done", data: { completion_type: "failure" } });
});
