import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineDecoder } from "../../../src/protocol/jsonl.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { calls, connectChat, playChat, priced } from "./chat-client.ts";
import { startChatProcess } from "./chat-process.ts";

const workspace = useWorkspace();

const valid = [
  '{"method":"agent_chat","params":{"message":"Hi","session_key":"k","config":{"max_iterations":3},"context":{"append":"x"}}}',
  '{"method":"confirm","params":{"approved":true}}',
  '{"method":"clarify","params":{"action":"continue","hint":"x"}}',
  '{"method":"ping"}',
];
const names = ["method", "params", "message", "session_key", "images", "config", "context", "approved", "action", "__proto__"];

/** Data of the wrong types, in places that mean something. */
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, "", "ping", "agent_chat", "confirm", "\u0000", "\ud800"), fc.double(), fc.string()),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 5 }),
  ),
}));

const hostileLine: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.filter((byte) => byte !== 10)),
  fc.tuple(fc.constantFrom(...valid), fc.nat(200)).map(([line, at]) => Buffer.from(line.slice(0, at))),
  anything.map((value) => Buffer.from(JSON.stringify(value) ?? "undefined")),
  fc
    .record({ method: fc.constantFrom("agent_chat", "confirm", "clarify", "ping"), params: anything })
    .map((request) => Buffer.from(JSON.stringify(request))),
  fc.nat(20_000).map((depth) => Buffer.from(`{"method":"agent_chat","params":${"[".repeat(depth)}${"]".repeat(depth)}}`)),
  fc
    .nat(20_000)
    .map((depth) => Buffer.from(`{"method":"agent_chat","params":{"message":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}}`)),
);

test("hostile lines, whole or cut anywhere, end in errors, and a chat works afterwards", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileLine, { maxLength: 30 }), fc.nat(50), async (lines, cut) => {
      const client = playChat(workspace, Array(40).fill({ text: "Hello." }));
      const decoder = new LineDecoder({ onLine: (line) => client.server.handleLine(line), onTooLong() {} });
      const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
      for (let at = 0; at < bytes.length; at += cut + 1) decoder.push(bytes.subarray(at, at + cut + 1));
      await client.server.settle();
      const from = client.events.length;
      client.send("agent_chat", { message: "Hi" });
      client.send("ping");
      await client.waitFor("done", from);
      await client.server.close();
      expect(client.violations).toEqual([]);
    }),
    { seed: 11, numRuns: 100 },
  );
});

test("hostile lines while a confirmation waits never approve it", async () => {
  const notApproving = hostileLine.filter((line) => !Buffer.from(line).toString().includes("true"));
  await fc.assert(
    fc.asyncProperty(fc.array(notApproving, { maxLength: 10 }), async (lines) => {
      const answers = [calls(["bash", { command: "rm -rf nothing" }]), { text: "Done." }];
      const client = connectChat(workspace, { model: priced(answers) });
      client.send("agent_chat", { message: "Go", session_key: String(Math.random()) });
      await client.waitFor("confirmation_request");
      for (const line of lines) client.server.handleLine(Buffer.from(line).toString());
      client.server.endInput();
      await client.waitFor("done");
      expect(client.all("command_started")).toEqual([]);
      await client.server.close();
    }),
    { seed: 12, numRuns: 50 },
  );
});

describe("as a process", () => {
  test("a line over 64 Mi characters and data nested a million deep are refused, and the next line works", async () => {
    const agent = startChatProcess(workspace, ["--model", "demo/tour"]);
    const piece = "y".repeat(1 << 20);
    agent.sendText('{"method":"');
    for (let n = 0; n < 65; n += 1) agent.sendText(piece);
    agent.sendText('"}\n');
    agent.sendText(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}\n`);
    agent.sendText(`{"method":"agent_chat","params":${'{"config":'.repeat(100_000)}1${"}".repeat(100_000)}}\n`);
    agent.send({ method: "ping" });
    await agent.waitForEvent("pong");
    expect(agent.events).toMatchObject([
      { event: "error", data: { code: "parse", message: expect.stringContaining("64 Mi characters") } },
      { event: "error", data: { code: "parse" } },
      { event: "error", data: { code: "bad_request", message: expect.stringContaining('"params.message"') } },
      { event: "pong" },
    ]);
    expect(await agent.end()).toBe(0);
    expect(agent.stderr).toBe("");
  });

  test("images of 20 MB are read", async () => {
    const agent = startChatProcess(workspace, ["--model", await workspace.script({ text: "Large." })]);
    const image = { media_type: "image/png", data_base64: "iVBORw0KGgoA".padEnd(10_000_000, "A") };
    agent.send({ method: "agent_chat", params: { message: "Look", images: [image, image] } });
    expect(await agent.waitForEvent("done")).toMatchObject({ data: { response: "Large." } });
    expect(await agent.end()).toBe(0);
  });
});
