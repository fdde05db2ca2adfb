import { existsSync } from "node:fs";
import { createScriptedModel, type Script } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { type ChatClient, calls, connectChat, playChat } from "./chat-client.ts";

const workspace = useWorkspace();
const target = () => `${workspace.cwd}/data`;

/** A chat that waits for a yes to the deletion of `data`. */
async function startRisky(base = {}): Promise<ChatClient> {
  await workspace.write("work/data/x", "");
  const answers = [calls(["bash", { command: "rm -rf data" }]), { text: "Done." }];
  const client = playChat(workspace, answers, base);
  client.send("agent_chat", { message: "Clean up" });
  await client.waitFor("confirmation_request");
  expect(client.all("command_started")).toEqual([]);
  return client;
}

function expectDeclined(client: ChatClient): void {
  expect(existsSync(target())).toBe(true);
  expect(client.all("tool_result")).toEqual([
    { tool_call_id: expect.any(String), name: "bash", result: expect.stringContaining("declined"), is_error: true },
  ]);
  expect(client.all("command_started")).toEqual([]);
  expect(client.all("command_finished")).toEqual([]);
  expect(client.all("done")).toMatchObject([{ response: "Done.", task_completed: true, tool_calls: 1 }]);
}

test("a yes lets the call run, and nothing runs before", async () => {
  const client = await startRisky();
  expect(existsSync(target())).toBe(true);
  client.send("confirm", { approved: true });
  await client.waitForEnd();
  expect(existsSync(target())).toBe(false);
  expect(client.all("confirmation_request")).toEqual([
    { prompt: expect.stringMatching(/^Allow bash\?\n\n.*\nWithout a question: .*\n\nrm -rf data$/), risk_tier: "confirm_required" },
  ]);
});

describe("means no:", () => {
  test("a no", async () => {
    const client = await startRisky();
    client.send("confirm", { approved: false });
    await client.waitForEnd();
    expectDeclined(client);
    expect(client.all("error")).toEqual([]);
  });

  test.each([
    ["no parameters", { method: "confirm" }],
    ["a word", { method: "confirm", params: { approved: "true" } }],
    ["a number", { method: "confirm", params: { approved: 1 } }],
    ["another name", { method: "confirm", params: { approve: true } }],
  ])("a confirm with %s, which is an error too", async (_what, request) => {
    const client = await startRisky();
    client.sendText(JSON.stringify(request));
    await client.waitFor("done");
    expectDeclined(client);
    expect(client.all("error")).toEqual([
      { code: "bad_request", message: expect.stringMatching(/^Field "params\.approved" must be a boolean/), ends_chat: false },
    ]);
  });

  test.each(["yes", "{oops", "[true]", '{"method":"confirm","params":{"approved":true}'])("the line %s", async (line) => {
    const client = await startRisky();
    client.sendText(line);
    await client.waitFor("done");
    expectDeclined(client);
    expect(client.all("error")).toMatchObject([{ code: "parse", ends_chat: false }]);
  });

  test("the end of input, for this call and later ones", async () => {
    await workspace.write("work/data/x", "");
    const risky = calls(["bash", { command: "rm -rf data" }]);
    const client = playChat(workspace, [risky, risky, { text: "Done." }]);
    client.send("agent_chat", { message: "Clean up" });
    await client.waitFor("confirmation_request");
    client.server.endInput();
    await client.server.settle();
    await client.output.flush();
    expect(existsSync(target())).toBe(true);
    expect(client.all("tool_result").map(({ is_error }) => is_error)).toEqual([true, true]);
    expect(client.all("confirmation_request")).toHaveLength(1);
    expect(client.all("done")).toMatchObject([{ response: "Done." }]);
  });

  test("the end of the mode: the chat is aborted", async () => {
    const client = await startRisky();
    await client.server.close();
    await client.output.flush();
    expect(existsSync(target())).toBe(true);
    expect(client.all("done")).toMatchObject([{ task_completed: false, completion_type: "failure" }]);
  });
});

describe("while it waits", () => {
  test("a ping is answered, a second chat is busy, and other requests answer nothing", async () => {
    const client = await startRisky();
    client.send("ping");
    client.send("agent_chat", { message: "More" });
    client.send("clarify", { action: "continue" });
    client.send("fly");
    await client.waitFor("pong");
    expect(client.all("error").map(({ code }) => code)).toEqual(["busy", "bad_request"]);
    expect(client.all("tool_result")).toEqual([]);
    client.send("confirm", { approved: true });
    client.send("confirm", { approved: false });
    await client.waitFor("done");
    expect(existsSync(target())).toBe(false);
  });

  test("of two risky calls in one answer the second is asked about after the first", async () => {
    await workspace.write("work/data/x", "");
    const answers = [calls(["bash", { command: "rm -rf other" }], ["bash", { command: "rm -rf data" }]), { text: "Done." }];
    const client = playChat(workspace, answers);
    client.send("agent_chat", { message: "Clean up" });
    await client.waitFor("confirmation_request");
    expect(client.all("confirmation_request")).toHaveLength(1);
    client.send("confirm", { approved: false });
    await client.waitFor("confirmation_request", client.events.length);
    client.send("confirm", { approved: true });
    await client.waitForEnd();
    expect(client.all("tool_result").map(({ is_error }) => is_error)).toEqual([true, false]);
    expect(existsSync(target())).toBe(false);
  });

  test("two sub-tasks that ask at once take turns", async () => {
    await workspace.write("work/data/x", "");
    let subTasks = 0;
    const script: Script = ({ messages }) => {
      const hasResult = messages.some(({ role }) => role === "toolResult");
      if (!JSON.stringify(messages[0]?.content).includes("Sub-task")) {
        return hasResult ? { text: "Done." } : calls(["delegate", { task: "Sub-task A" }], ["delegate", { task: "Sub-task B" }]);
      }
      if (hasResult) return { text: "Sub-task over." };
      subTasks += 1;
      return calls(["bash", { command: `rm -rf part-${subTasks}` }]);
    };
    const client = connectChat(workspace, { model: createScriptedModel({ script }) });
    client.send("agent_chat", { message: "Clean up" });
    await client.waitFor("confirmation_request");
    const before = client.events.length;
    client.send("confirm", { approved: true });
    await client.waitFor("confirmation_request", before);
    client.send("confirm", { approved: false });
    await client.waitForEnd();
    expect(client.all("confirmation_request")).toHaveLength(2);
    expect(client.all("swarm_finished")).toHaveLength(2);
    // Calls and output of sub-tasks are their own.
    expect(client.all("tool_call").map(({ name }) => name)).toEqual(["delegate", "delegate"]);
    expect(client.all("command_started")).toEqual([]);
  });
});

describe("who decides what is asked about", () => {
  const harmless = [calls(["bash", { command: "echo hi" }]), { text: "Done." }];

  test("by default only what is risky", async () => {
    const client = playChat(workspace, harmless);
    await client.chat({ message: "Go" });
    expect(client.all("confirmation_request")).toEqual([]);
  });

  test("settings.json says always", async () => {
    await workspace.write("agent/settings.json", { approval: "always" });
    const client = playChat(workspace, harmless);
    client.send("agent_chat", { message: "Go" });
    expect((await client.waitFor("confirmation_request")).data).toMatchObject({ risk_tier: "execute" });
    client.send("confirm", { approved: true });
    await client.waitForEnd();
    expect(client.all("command_finished")).toMatchObject([{ success: true, exit_code: 0 }]);
  });

  test("the command line wins", async () => {
    await workspace.write("agent/settings.json", { approval: "always" });
    await workspace.write("work/data/x", "");
    const client = playChat(workspace, [calls(["bash", { command: "rm -rf data" }]), { text: "Done." }], {
      approval: "never-ask",
    });
    await client.chat({ message: "Go" });
    expect(client.all("confirmation_request")).toEqual([]);
    expect(existsSync(target())).toBe(false);
  });
});
