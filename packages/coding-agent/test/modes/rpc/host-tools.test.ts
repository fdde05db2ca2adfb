import { anthropic } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { serveModels } from "../../helpers/endpoints.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, resultText, startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const echo = {
  name: "echo_host",
  label: "Echo Host",
  description: "Echoes a value of the host",
  parameters: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { message: { type: "string", minLength: 2 }, times: { type: ["integer", "null"], maximum: 3 } },
    required: ["message"],
    additionalProperties: false,
  },
};
const call = (args: Record<string, unknown> = { message: "hello" }, name = "echo_host") => ({
  toolCalls: [{ name, arguments: args }],
});
const done = { text: "Done." };
const result = (text: string) => ({ content: [{ type: "text", text }] });

async function start(tools: object[], ...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  const rpc = await serveHere(workspace, { model: await workspace.script(...answers) });
  await rpc.ask({ type: "set_host_tools", tools });
  return rpc;
}

/** A run that waits for a host tool, and the frame that asks for it. */
async function startCalling(tool: object = echo): Promise<{ rpc: RpcConnection; frame: WireRecord }> {
  const rpc = await start([tool], call(), done, done);
  return { rpc, frame: await callFrom(rpc) };
}

async function callFrom(rpc: RpcConnection): Promise<WireRecord> {
  await rpc.request({ type: "prompt", message: "Go" });
  return rpc.waitFor({ type: "host_tool_call" });
}

const endOf = (rpc: RpcConnection) => rpc.records.find(({ type }) => type === "tool_execution_end");

describe("a call", () => {
  test("goes out as a frame; updates and the result come back as those of any tool", async () => {
    const { rpc, frame } = await startCalling();
    const started = rpc.records.find(({ type }) => type === "tool_execution_start");
    expect(frame).toEqual({
      ...{ type: "host_tool_call", id: expect.any(String), toolCallId: started?.toolCallId, toolName: "echo_host" },
      arguments: { message: "hello" },
    });
    rpc.send({ type: "host_tool_update", id: frame.id, partialResult: result("working") });
    expect(await rpc.waitFor({ type: "tool_execution_update" })).toEqual({
      ...{ type: "tool_execution_update", toolCallId: frame.toolCallId, toolName: "echo_host", args: { message: "hello" } },
      partialResult: { ...result("working"), details: null },
    });
    rpc.send({ type: "host_tool_result", id: frame.id, isError: null, result: { ...result("hello"), details: { took: 3 } } });
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc)).toMatchObject({ isError: false, result: { ...result("hello"), details: { took: 3 } } });
    expect(rpc.records.some(({ type }) => type === "response" && type.startsWith("host"))).toBe(false);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test("text for people comes back with the result, and is stored with it", async () => {
    const { rpc, frame } = await startCalling();
    const display = { call: "says hello", result: ["hello", "hello"] };
    rpc.send({ type: "host_tool_result", id: frame.id, result: { ...result("hello"), display } });
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc)).toMatchObject({ isError: false, result: { ...result("hello"), display } });
    const lines = await workspace.sessionLines();
    expect(lines.find(({ message }) => message?.role === "toolResult")?.message).toMatchObject({ display });
  });

  test("an update right in front of the result in the same write is told before it; an abort right behind cancels nothing", async () => {
    const { rpc, frame } = await startCalling();
    rpc.send(
      { type: "host_tool_update", id: frame.id, partialResult: result("half") },
      { type: "host_tool_result", id: frame.id, result: result("whole") },
      { id: "a", type: "abort" },
    );
    await rpc.waitFor({ id: "a" });
    const told = rpc.records.filter(({ type }) => /^(tool_execution_(update|end)|host_tool_cancel)$/.test(type));
    expect(told.map(({ type }) => type)).toEqual(["tool_execution_update", "tool_execution_end"]);
  });

  test("a tool whose schema is nested too deep is refused by name", async () => {
    const rpc = await start([], done);
    const text = JSON.stringify({ id: 1, type: "set_host_tools", tools: [{ ...echo, parameters: "<deep>" }] });
    rpc.sendText(`${text.replace('"<deep>"', `${'{"a":'.repeat(4000)}1${"}".repeat(4000)}`)}\n`);
    const error = 'Field "tools" must not be nested more than 100 levels deep';
    expect(await rpc.waitFor({ id: 1 })).toMatchObject({ command: "set_host_tools", success: false, error });
  });

  test("a result that is nested too deep is an error, and the run goes on", async () => {
    const { rpc, frame } = await startCalling();
    const deep = `${"[".repeat(4000)}${"]".repeat(4000)}`;
    const frameText = JSON.stringify({ type: "host_tool_result", id: frame.id, result: { ...result("hello"), details: "<deep>" } });
    rpc.sendText(`${frameText.replace('"<deep>"', deep)}\n`);
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc)).toMatchObject({
      isError: true,
      result: {
        content: [
          { text: 'The result of the host for echo_host is invalid: Field "result" must not be nested more than 100 levels deep.' },
        ],
      },
    });
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Done." });
  });

  test("isError marks the result as a failure, and the run goes on", async () => {
    const { rpc, frame } = await startCalling();
    rpc.send({ type: "host_tool_result", id: frame.id, result: result("no such value"), isError: true });
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc)).toMatchObject({ isError: true, result: { content: [{ text: expect.stringContaining("no such value") }] } });
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Done." });
  });

  test.each([
    ["no result", {}, '"result"'],
    ["a result without content", { result: {} }, '"result.content"'],
    ["content that is a text", { result: { content: "hi" } }, '"result.content" must be an array'],
    ["a block of an unknown type", { result: { content: [{ type: "video" }] } }, '"result.content.0'],
    ["isError as a text", { result: result("x"), isError: "yes" }, '"isError" must be a boolean'],
  ])("%s ends it with an error that names the field", async (_name, fields, named) => {
    const { rpc, frame } = await startCalling();
    rpc.send({ type: "host_tool_result", id: frame.id, ...fields });
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc)).toMatchObject({ isError: true });
    expect(resultText(endOf(rpc))).toContain(named);
    expect(rpc.records.filter(({ type }) => type === "response")).toHaveLength(2);
  });

  test("a mistyped update is passed over", async () => {
    const { rpc, frame } = await startCalling();
    rpc.send({ type: "host_tool_update", id: frame.id, partialResult: "half" }, { type: "host_tool_update", id: frame.id });
    rpc.send({ type: "host_tool_result", id: frame.id, result: result("whole") });
    await rpc.waitFor({ type: "agent_settled" });
    expect(rpc.records.some(({ type }) => type === "tool_execution_update")).toBe(false);
    expect(resultText(endOf(rpc))).toBe("whole");
  });

  test("late, repeated and unknown answers are passed over, and so are those to a call that was cancelled", async () => {
    const { rpc, frame } = await startCalling();
    for (const id of ["host_99", 5, null, frame.toolCallId, "__proto__"]) {
      rpc.send(
        { type: "host_tool_result", id, result: result("wrong") },
        { type: "host_tool_update", id, partialResult: result("wrong") },
      );
    }
    rpc.send(
      { type: "host_tool_result", id: frame.id, result: result("first") },
      { type: "host_tool_result", id: frame.id, result: result("second") },
      { type: "host_tool_update", id: frame.id, partialResult: result("third") },
    );
    await rpc.waitFor({ type: "agent_settled" });
    const from = rpc.records.length;
    rpc.send({ type: "host_tool_result", id: frame.id, result: result("late") });
    await rpc.state();
    expect(rpc.records.slice(from)).toHaveLength(1);
    expect(resultText(endOf(rpc))).toBe("first");
    expect(rpc.lines.join()).not.toContain("wrong");
  });

  test("abort cancels it", async () => {
    const { rpc, frame } = await startCalling();
    await rpc.request({ type: "abort" });
    const cancel = rpc.records.find(({ type }) => type === "host_tool_cancel");
    expect(cancel).toEqual({ type: "host_tool_cancel", id: expect.any(String), targetId: frame.id });
    expect(cancel?.id).not.toBe(frame.id);
    expect(endOf(rpc)).toMatchObject({ isError: true });
    rpc.send({ type: "host_tool_result", id: frame.id, result: result("late") });
    await rpc.promptAndWait("Again");
    expect(rpc.records.filter(({ type }) => type === "tool_execution_end")).toHaveLength(1);
  });

  test("timeoutMs cancels it, and the model is told", async () => {
    // no race: nobody answers.
    const { rpc, frame } = await startCalling({ ...echo, timeoutMs: 20 });
    await rpc.waitFor({ type: "agent_settled" });
    expect(rpc.records.filter(({ type }) => type === "host_tool_cancel")).toMatchObject([{ targetId: frame.id }]);
    expect(endOf(rpc)).toMatchObject({ isError: true });
    expect(resultText(endOf(rpc))).toContain("no result within 20 ms");
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Done." });
  });

  test("RP-012 a host that closes stdin in the middle of it ends the run, exit code 0, and all is stored", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script(call(), done, done)]);
    await rpc.ask({ type: "set_host_tools", tools: [echo] });
    await callFrom(rpc);
    expect(await rpc.end()).toBe(0);
    expect(rpc.records.slice(-2).map(({ type }) => type)).toEqual(["agent_end", "agent_settled"]);
    expect(endOf(rpc)).toMatchObject({ isError: true });
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(rpc.stderr).toBe("");
  });

  test("two of one answer go out one after the other, each when the one before has its result", async () => {
    const two = { toolCalls: [...call({ message: "one" }).toolCalls, ...call({ message: "two" }).toolCalls] };
    const rpc = await start([echo], two, done);
    await rpc.request({ type: "prompt", message: "Go" });
    const first = await rpc.waitFor({ type: "host_tool_call" });
    rpc.send({ type: "host_tool_result", id: first.id, result: result("got one") });
    const second = await rpc.waitFor(({ type, id }) => type === "host_tool_call" && id !== first.id);
    rpc.send({ type: "host_tool_result", id: second.id, result: result("got two") });
    const { toolResults } = await rpc.waitFor({ type: "turn_end" });
    expect((toolResults as { content: { text: string }[] }[]).map(({ content }) => content[0]?.text)).toEqual([
      "got one",
      "got two",
    ]);
  });
});

describe("arguments", () => {
  test.each([
    [{}, /message/],
    [{ message: "x" }, /2 characters|minLength|fewer than 2/],
    [{ message: "long enough", times: 4 }, /times/],
    [{ message: "long enough", other: 1 }, /additional/],
  ])("%j do not fit the JSON Schema: the call is an error and does not leave", async (args, reason) => {
    const rpc = await start([echo], call(args), done);
    await rpc.promptAndWait("Go");
    expect(rpc.records.some(({ type }) => type === "host_tool_call")).toBe(false);
    expect(endOf(rpc)).toMatchObject({ isError: true });
    expect(resultText(endOf(rpc))).toMatch(reason);
  });

  test("a schema that cannot be used makes each call an error that says whose fault it is", async () => {
    const rpc = await start(
      [{ ...echo, parameters: { type: "object", properties: { a: { $ref: "#/nowhere" } } } }],
      call({ a: 1 }),
      done,
    );
    await rpc.promptAndWait("Go");
    expect(rpc.records.some(({ type }) => type === "host_tool_call")).toBe(false);
    expect(resultText(endOf(rpc))).toMatch(/schema cannot be used: .*nowhere.*fault of the tool/);
  });
});

describe("set_host_tools", () => {
  test("offers the tools to the model as they are described, beside its own; sent again, it replaces them", async () => {
    const server = await serveModels(workspace);
    server.respond(anthropic.text("A"), anthropic.text("B"), anthropic.text("C"));
    const rpc = startRpc(workspace, ["--model", "local-anthropic/claude", "--tools", "read"]);
    const other = { name: "other_host", label: null, description: "Another", parameters: { type: "object" }, timeoutMs: null };
    expect(await rpc.ask({ type: "set_host_tools", tools: [echo, other] })).toEqual({ toolNames: ["echo_host", "other_host"] });
    await rpc.promptAndWait("one");
    expect(await rpc.ask({ type: "set_host_tools", tools: [other] })).toEqual({ toolNames: ["other_host"] });
    await rpc.promptAndWait("two");
    expect(await rpc.ask({ type: "set_host_tools", tools: [] })).toEqual({ toolNames: [] });
    await rpc.promptAndWait("three");
    const offered = server.requests.map(({ body }) => (body as { tools: { name: string }[] }).tools);
    expect(offered.map((tools) => tools.map(({ name }) => name))).toEqual([
      ["read", "echo_host", "other_host"],
      ["read", "other_host"],
      ["read"],
    ]);
    expect(offered[0]?.[1]).toMatchObject({
      description: echo.description,
      input_schema: { properties: echo.parameters.properties, required: ["message"] },
    });
  });

  test.each([
    [[{ ...echo, name: "bash" }], /"bash" is taken/],
    [[echo, echo], /"echo_host" is taken/],
    [[{ ...echo, name: undefined }], /"tools\.0\.name" must be a string/],
    [[{ ...echo, name: " " }], /"tools\.0\.name" must not be empty/],
    [[{ ...echo, description: 5 }], /"tools\.0\.description" must be a string/],
    [[{ ...echo, parameters: "none" }], /"tools\.0\.parameters" must be an object/],
    [[{ ...echo, timeoutMs: 0 }], /"tools\.0\.timeoutMs"/],
    ["echo", /"tools" must be an array/],
  ])("with %j is refused, and the set stays", async (tools, error) => {
    const rpc = await start([echo], call(), done);
    const refused = await rpc.request({ type: "set_host_tools", tools });
    expect(refused).toMatchObject({ command: "set_host_tools", success: false, error: expect.stringMatching(error) });
    await rpc.request({ type: "prompt", message: "Go" });
    const { id } = await rpc.waitFor({ type: "host_tool_call" });
    rpc.send({ type: "host_tool_result", id, result: result("still") });
    await rpc.waitFor({ type: "agent_settled" });
    expect(resultText(endOf(rpc))).toBe("still");
  });

  test("during a run it counts from the next model call on, and a call that is going keeps its tool", async () => {
    const { rpc, frame } = await startCalling();
    await rpc.ask({ type: "set_host_tools", tools: [] });
    rpc.send({ type: "host_tool_result", id: frame.id, result: result("kept") });
    await rpc.waitFor({ type: "agent_settled" });
    expect(resultText(endOf(rpc))).toBe("kept");
  });

  test("the set outlives a change of session, and --read-only refuses its calls", async () => {
    const rpc = startRpc(workspace, ["--read-only", "--model", await workspace.script(call(), done)]);
    await rpc.ask({ type: "set_host_tools", tools: [echo] });
    await rpc.ask({ type: "new_session" });
    await rpc.promptAndWait("Go");
    expect(rpc.records.some(({ type }) => type === "host_tool_call")).toBe(false);
    expect(resultText(endOf(rpc))).toMatch(/read-only|refused|denied|not allowed/i);
  });
});
