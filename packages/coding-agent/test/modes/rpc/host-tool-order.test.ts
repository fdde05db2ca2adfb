import type { AgentToolResult } from "@pikit/agent";
import { expect, test, vi } from "vitest";
import { HostTools } from "../../../src/modes/rpc-session/host-tools.ts";

const updateIsChecked = Promise.withResolvers<void>();

// A large update takes longer to check than the short result behind it.
vi.mock("../../../src/modes/rpc-session/read-params.ts", () => ({
  async readHostToolFrame(frame: Record<string, unknown>) {
    if (frame.type === "host_tool_update") await updateIsChecked.promise;
    return frame;
  },
}));

test("an update that takes long to check is told before the result that came behind it", async () => {
  const sent: Record<string, unknown>[] = [];
  const hostTools = new HostTools({ send: (frame) => void sent.push(frame as Record<string, unknown>) });
  const [tool] = hostTools.create([{ name: "slow", description: "Works.", parameters: { type: "object" } }]);
  const told: string[] = [];
  const text = ({ content }: AgentToolResult) => (content[0]?.type === "text" ? content[0].text : "");
  const result = tool?.execute("call_1", {}, new AbortController().signal, (partial) => void told.push(text(partial)));
  const done = result?.then((whole) => told.push(text(whole)));
  const answer = (words: string) => ({ content: [{ type: "text", text: words }] });
  hostTools.handleFrame({ type: "host_tool_update", id: sent[0]?.id, partialResult: answer("half") });
  hostTools.handleFrame({ type: "host_tool_result", id: sent[0]?.id, result: answer("whole") });
  await new Promise(setImmediate);
  updateIsChecked.resolve();
  await done;
  expect(told).toEqual(["half", "whole"]);
});
