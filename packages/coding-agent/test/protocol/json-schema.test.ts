import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { checkRecord, directionOf } from "../../src/protocol/check-record.ts";
import { commands } from "../../src/protocol/commands.ts";
import { commandAliases } from "../../src/protocol/dispatch.ts";
import { events } from "../../src/protocol/events.ts";
import { incomingFrames, outgoingFrames } from "../../src/protocol/frames.ts";
import { type JsonSchema, rpcSchema } from "../../src/protocol/json-schema.ts";
import { startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** Of the agent package: the one JSON Schema validator of the repository. */
const { Ajv2020 } = createRequire(new URL("../../../agent/package.json", import.meta.url))("ajv/dist/2020") as {
  Ajv2020: new (options: object) => { compile(schema: object): Check };
};
type Check = { (record: unknown): boolean; errors?: unknown };

function validator(name: string): Check {
  const ajv = new Ajv2020({ allErrors: false, strict: true, strictRequired: false, allowUnionTypes: true });
  return ajv.compile({ ...rpcSchema(), anyOf: [{ $ref: `#/$defs/${name}` }] });
}

/** A session with a prompt, in each stream mode, and commands of every kind; what was sent and what came. */
async function record(): Promise<{ sent: JsonSchema[]; received: JsonSchema[] }> {
  const rpc = startRpc(workspace, ["--model", "demo/tour", "--ready"]);
  const sent: JsonSchema[] = [];
  const send = (command: { type: string; [field: string]: unknown }) => {
    sent.push(command);
    return rpc.request(command);
  };
  const run = async () => {
    const from = rpc.records.length;
    await send({ type: "prompt", message: "Give me a tour.", images: null });
    await rpc.waitFor({ type: "agent_settled" }, from);
  };
  await run();
  await send({ type: "set_stream_mode", mode: "deltas" });
  await run();
  const reads = ["get_state", "get_messages", "get_entries", "get_tree", "get_branch_messages", "get_fork_messages"];
  const others = [
    "get_session_stats",
    "get_available_models",
    "get_available_thinking_levels",
    "get_commands",
    "get_protocol_info",
  ];
  for (const type of [...reads, ...others, "cycle_model", "cycle_thinking_level", "get_last_assistant_text", "clone", "reset"]) {
    await send({ type });
  }
  await send({ type: "bash", command: "echo lamp" });
  await send({ type: "set_todos", phases: [{ name: "One", tasks: [{ content: "Look", status: null }] }] });
  await send({ type: "set_model", provider: "none", modelId: "none" });
  await send({ type: "queue_message", message: "later" });
  await send({ type: "clear_queue" });
  return { sent, received: rpc.records };
}

test("every record of a session, both ways, fits the published JSON Schema and the checker", async () => {
  const { sent, received } = await record();
  const isIncoming = validator("Incoming");
  const isOutgoing = validator("Outgoing");
  for (const line of sent) expect([line, isIncoming(line), await checkRecord(line)]).toEqual([line, true, undefined]);
  expect(received.length).toBeGreaterThan(100);
  for (const line of received) {
    const problem = isOutgoing(line) ? undefined : isOutgoing.errors;
    expect([line.type, problem, await checkRecord(line)]).toEqual([line.type, undefined, undefined]);
  }
  expect(received.filter((line) => isIncoming(line))).toEqual([]);
});

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

test.each([
  [{ type: "prompt" }, 'Field "message" must be a string, but is missing'],
  [{ type: "set_steering_mode", mode: "some" }, 'Field "mode" must be "all" or "one-at-a-time", but is "some"'],
  [{ type: "host_tool_result", id: "x", result: {} }, 'Field "result.content" must be an array, but is missing'],
  [{ type: "response", command: "get_state", success: false }, 'Field "error" must be a string, but is missing'],
  [{ type: "response", command: "abort", success: true, data: {} }, "The response to abort carries no data"],
  [{ type: "response", command: "fly", success: true }, "Success of the unknown command fly"],
  [{ type: "agent_start", id: 1 }, "An event carries no id"],
  [
    {
      type: "message_end",
      message: { role: "toolResult", toolCallId: "a", toolName: "b", content: [], isError: "no", timestamp: 1 },
    },
    'Field "message.isError" must be a boolean, but is "no"',
  ],
  [
    { type: "message_update", assistantMessageEvent: { type: "text_start", contentIndex: 0 }, usage },
    'Field "usage.cost" must be an object, but is missing',
  ],
  [
    { type: "response", command: "get_tree", success: true, data: { leafId: null, tree: [{ entry: {}, children: [{}] }] } },
    'Field "data.tree.entry.id" must be a string, but is missing',
  ],
  [
    { type: "extension_ui_request", id: "1", method: "confirm", title: "Sure?" },
    'Field "message" must be a string, but is missing',
  ],
])("%j is wrong: %s", async (wrong, problem) => {
  const checked = await checkRecord(wrong);
  expect(checked).toContain(problem);
});

test("a type that is both read and sent would leave the direction open: there is none", () => {
  const read = [...Object.keys(commands), ...Object.keys(commandAliases), ...Object.keys(incomingFrames)];
  const sent = [...Object.keys(events), ...Object.keys(outgoingFrames), "response", "session"];
  expect(read.filter((type) => directionOf(type) !== "in")).toEqual([]);
  expect(sent.filter((type) => directionOf(type) !== "out")).toEqual([]);
  expect(["constructor", "__proto__", "toString", "fly"].map(directionOf)).toEqual([undefined, undefined, undefined, undefined]);
});

test("a tree that is 100,000 entries deep is checked", async () => {
  const entry = { type: "custom", customType: "x", id: "0", parentId: null, timestamp: "" };
  let node: JsonSchema = { entry, children: [] };
  for (let depth = 0; depth < 100_000; depth += 1) node = { entry, children: [node] };
  const response = { type: "response", command: "get_tree", success: true, data: { leafId: null, tree: [node] } };
  expect(await checkRecord(response)).toBeUndefined();
});
