import { describe, expect, test } from "vitest";
import type { ChatParams } from "../../../src/modes/agent-chat/protocol.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { calls, playChat } from "./chat-client.ts";

const workspace = useWorkspace();

const looks = (count: number) => Array.from({ length: count }, (_, n) => calls(["bash", { command: `echo ${n}` }]));
const fails = (count: number) => Array.from({ length: count }, (_, n) => calls(["bash", { command: `exit ${n + 1}` }]));
const done = { text: "Done." };

/** Plays answers and stops when asked; the reason, and how many calls there were until then. */
async function stopAtQuestion(answers: Parameters<typeof playChat>[1], config: ChatParams["config"] = {}) {
  const client = playChat(workspace, [...answers, done]);
  client.send("agent_chat", { message: "Work", config });
  const { data } = await client.waitFor("clarification_request");
  client.send("clarify", { action: "stop" });
  await client.waitForEnd();
  return [data.reason, client.all("tool_call").length, client.all("llm_usage").length];
}

describe("a clarification is asked for", () => {
  test.each([
    ["no_progress", { answers: Array(4).fill(calls(["ls", {}])), config: {}, toolCalls: 3 }],
    ["too_many_failures", { answers: fails(9), config: {}, toolCalls: 5 }],
    ["too_many_failures", { answers: fails(9), config: { max_consecutive_failures: 2 }, toolCalls: 2 }],
    ["max_iterations", { answers: looks(60), config: {}, toolCalls: 50 }],
    ["max_iterations", { answers: looks(9), config: { max_iterations: 4 }, toolCalls: 4 }],
    // The call past the limit is refused, and then it is asked.
    ["max_tool_calls", { answers: looks(9), config: { max_tool_calls_per_task: 3 }, toolCalls: 4 }],
  ])("%s: %j", async (reason, { answers, config, toolCalls }) => {
    expect(await stopAtQuestion(answers, config)).toEqual([reason, toolCalls, toolCalls]);
  });

  test("not for the same call with other results, nor for calls that succeed in between", async () => {
    const append = calls(["bash", { command: "echo x >> log; cat log" }]);
    const answers = [append, append, append, append, ...fails(4), ...looks(1), ...fails(4), done];
    const client = playChat(workspace, answers);
    await client.chat({ message: "Work" });
    expect(client.all("clarification_request")).toEqual([]);
    expect(client.all("done")).toMatchObject([{ task_completed: true, tool_calls: 13 }]);
  });

  test("with a message and suggestions", async () => {
    const client = playChat(workspace, [...looks(1), done]);
    client.send("agent_chat", { message: "Work", config: { max_iterations: 1 } });
    expect((await client.waitFor("clarification_request")).data).toEqual({
      reason: "max_iterations",
      message: expect.stringMatching(/^\w.*\.$/),
      suggestions: expect.arrayContaining([expect.any(String)]),
    });
    client.server.endInput();
    await client.waitForEnd();
  });
});

test("continue begins the count anew, and the hint is a message of the user", async () => {
  const client = playChat(workspace, [...looks(4), done]);
  client.send("agent_chat", { message: "Work", config: { max_iterations: 2 } });
  await client.waitFor("clarification_request");
  client.send("clarify", { action: "continue", hint: "Look in src" });
  await client.waitFor("clarification_request", client.events.length);
  client.send("clarify", { action: "continue", hint: null });
  client.send("clarify", { action: "stop" }); // late
  await client.waitForEnd();
  expect(client.all("done")).toMatchObject([
    { response: "Done.", task_completed: true, completion_type: "success", tool_calls: 4 },
  ]);
  const users = (await workspace.sessionLines()).flatMap(({ message }) =>
    message?.role === "user" ? [(message as unknown as { content: string }).content] : [],
  );
  expect(users).toEqual(["Work", "Look in src"]);
});

describe("stop ends the chat with done:", () => {
  const limited = { message: "Work", config: { max_iterations: 1 } };

  test.each([
    ["the answer stop", [{ method: "clarify", params: { action: "stop" } }], []],
    ["an unknown action", [{ method: "clarify", params: { action: "fly" } }], ["bad_request"]],
    ["a mistyped hint", [{ method: "clarify", params: { action: "continue", hint: 5 } }], ["bad_request"]],
    ["no parameters", [{ method: "clarify" }], ["bad_request"]],
    ["a line that is no request", ["garbage"], ["parse"]],
  ])("%s", async (_what, lines, errors) => {
    const client = playChat(workspace, [{ text: "So far.", ...looks(1)[0] }, done]);
    client.send("agent_chat", limited);
    await client.waitFor("clarification_request");
    for (const line of lines) client.sendText(typeof line === "string" ? line : JSON.stringify(line));
    await client.waitFor("done");
    expect(client.all("done")).toMatchObject([
      { response: "So far.", task_completed: false, completion_type: "partial_success", tool_calls: 1 },
    ]);
    expect(client.all("error").map(({ code }) => code)).toEqual(errors);
  });

  test("the end of input", async () => {
    const client = playChat(workspace, [...looks(1), done]);
    client.send("agent_chat", limited);
    await client.waitFor("clarification_request");
    client.server.endInput();
    await client.waitForEnd();
    expect(client.all("done")).toMatchObject([{ response: "", task_completed: false, completion_type: "failure" }]);
  });

  test("and the next chat counts anew", async () => {
    const client = playChat(workspace, [...looks(1), done]);
    client.send("agent_chat", limited);
    await client.waitFor("clarification_request");
    client.send("clarify", { action: "stop" });
    await client.waitForEnd();
    await client.chat(limited);
    expect(client.all("done").at(-1)).toMatchObject({ response: "Done.", task_completed: true, tool_calls: 0 });
  });
});

test("a confirm does not answer a clarification, and a ping is answered meanwhile", async () => {
  const client = playChat(workspace, [...looks(1), done]);
  client.send("agent_chat", { message: "Work", config: { max_iterations: 1 } });
  await client.waitFor("clarification_request");
  client.send("confirm", { approved: true });
  client.send("confirm", {});
  client.send("ping");
  await client.waitFor("pong");
  expect(client.all("done")).toEqual([]);
  client.send("clarify", { action: "continue" });
  await client.waitForEnd();
  expect(client.all("error")).toEqual([]);
  expect(client.all("done")).toMatchObject([{ response: "Done." }]);
});
