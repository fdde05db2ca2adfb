import { fileURLToPath } from "node:url";
import type { AssistantMessage } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { SnapshotBuilder } from "../../../src/protocol/snapshots.ts";
import type { DeltaUpdate } from "../../../src/protocol/stream-records.ts";
import { startRpc, startSource, type WireRecord } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const answers = [
  { thinking: "Let me see.", text: "I look.", toolCalls: [{ name: "bash", arguments: { command: "echo hi", timeout: 600 } }] },
  { text: "It says hi." },
];

test("RP-013 RP-015 what a tool or a library prints goes to stderr, and a result that JSON cannot hold arrives", async () => {
  const program = fileURLToPath(new URL("../../fixtures/noisy-host.ts", import.meta.url));
  const rpc = startSource(workspace, program);
  const records = await rpc.promptAndWait("Make noise");
  expect(records.find(({ type }) => type === "tool_execution_end")).toMatchObject({
    isError: false,
    result: { content: [{ text: "printed" }], details: { big: "5" } },
  });
  expect(await rpc.end()).toBe(0);
  for (const channel of ["console.log", "console.error", "console.info", "console.table", "process.stdout", "a warning"]) {
    expect(rpc.stderr).toContain(`from ${channel}`);
  }
});

describe("streaming", () => {
  const updates = (records: readonly WireRecord[]) => records.filter(({ type }) => type === "message_update");
  const stepOf = (record: WireRecord) => record.assistantMessageEvent as { type: string; [field: string]: unknown };

  test("snapshots: start, then steps with the whole message so far, then done", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script(...answers)]);
    const records = await rpc.promptAndWait("Look");
    const first = updates(
      records.slice(
        0,
        records.findIndex(({ type }) => type === "tool_execution_start"),
      ),
    );
    const kinds = first.map((record) => stepOf(record).type).filter((type, index, all) => type !== all[index - 1]);
    expect(kinds).toEqual([
      "start",
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
      "text_end",
      "toolcall_start",
      "toolcall_delta",
      "toolcall_end",
      "done",
    ]);
    let text = "";
    for (const record of first) {
      const step = stepOf(record);
      if (step.type === "text_delta") text += step.delta;
      if (step.type !== "done") expect(step.partial).toEqual(record.message);
      const block = (record.message as AssistantMessage).content.find(({ type }) => type === "text");
      if (step.type !== "done" && block?.type === "text") expect(block.text).toBe(text);
    }
    const ends = records.filter(
      ({ type, message }) => type === "message_end" && (message as { role: string }).role === "assistant",
    );
    expect(first.at(-1)?.message).toEqual(ends[0]?.message);
  });

  test("deltas: no message, no partial, no start and done; the builder makes the same answers from them", async () => {
    const rpc = startRpc(workspace, ["--stream", "deltas", "--model", await workspace.script(...answers)]);
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ streamMode: "deltas" });
    const records = await rpc.promptAndWait("Look");
    let builder: SnapshotBuilder | undefined;
    let count = 0;
    for (const record of records) {
      const message = record.message as AssistantMessage | undefined;
      if (record.type === "message_start" && message?.role === "assistant") builder = new SnapshotBuilder(message);
      if (record.type === "message_update") {
        expect(Object.keys(record).filter((key) => key !== "usage")).toEqual(["type", "assistantMessageEvent"]);
        expect(record.assistantMessageEvent).not.toHaveProperty("partial");
        expect(["start", "done", "error"]).not.toContain(stepOf(record).type);
        builder?.apply(record as unknown as DeltaUpdate);
      }
      if (record.type === "message_end" && message?.role === "assistant") {
        expect(builder?.message.content).toEqual(message.content);
        expect(builder?.message.usage).toEqual(message.usage);
        count += 1;
      }
    }
    expect(count).toBe(2);
    expect(updates(records).find((record) => stepOf(record).type === "toolcall_start")).toMatchObject({
      assistantMessageEvent: { contentIndex: 2, id: expect.any(String), toolName: "bash" },
    });
  });

  test("a request that fails at once is an answer with an error step, in order", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script({ error: { status: 400, message: "no" } })]);
    const records = await rpc.promptAndWait("Look");
    const steps = records.slice(5).map((record) => (record.type === "message_update" ? stepOf(record).type : record.type));
    expect(steps).toEqual(["message_start", "error", "message_end", "turn_end", "agent_end", "agent_settled"]);
    expect(records.find(({ type }) => type === "turn_end")).toMatchObject({
      message: { stopReason: "error", errorMessage: expect.stringContaining("no") },
      toolResults: [],
    });
  });
});
