import { expect, test } from "vitest";
import { leaveOutNulls } from "../../../src/modes/rpc-session/absent-fields.ts";
import { commands } from "../../../src/protocol/commands.ts";
import { HostToolResultSchema } from "../../../src/protocol/frames.ts";

test("optional fields that are null are left out at every depth, also within unions and lists", () => {
  const block = { type: "text", text: "x" };
  const result = { type: "host_tool_result", id: "1", isError: null, result: { content: [{ ...block, textSignature: null }] } };
  expect(leaveOutNulls(HostToolResultSchema, result)).toEqual({ type: result.type, id: "1", result: { content: [block] } });
  const { params } = commands.set_host_tools;
  const tool = { name: "t", description: "T", parameters: { type: "object" } };
  expect(leaveOutNulls(params, { id: null, type: "set_host_tools", tools: [{ ...tool, label: null, timeoutMs: null }] })).toEqual({
    ...{ id: null, type: "set_host_tools", tools: [tool] },
  });
});

test("required fields and what the schema does not describe stay, and nothing is changed in place", () => {
  const { params } = commands.set_host_tools;
  const record = { tools: [{ name: null, description: "T", parameters: { default: null, properties: { a: null } }, other: null }] };
  const before = structuredClone(record);
  expect(leaveOutNulls(params, record)).toEqual(before);
  expect(record).toEqual(before);
});

test("values of another kind than the schema's are left for the validator", () => {
  const { params } = commands.set_host_tools;
  for (const tools of [null, 5, "x", {}, [null, 5, []]]) expect(leaveOutNulls(params, { tools })).toEqual({ tools });
  const record = JSON.parse('{"__proto__":{"a":null},"tools":[]}') as object;
  expect(Object.keys(leaveOutNulls(params, record) as object)).toEqual(["__proto__", "tools"]);
});
