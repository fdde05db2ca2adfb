import { expect, test } from "vitest";
import { absentUser } from "../../src/user-interface.ts";
import { runCli } from "../helpers/cli.ts";
import { startRpc, type WireRecord } from "../helpers/rpc-process.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { startChatProcess } from "./agent-chat/chat-process.ts";

const workspace = useWorkspace();
const hello = { text: "Hello." };

/** Tells and asks the user whenever a session begins, then fails; its command tells what the user said. */
const source = `export default (pi) => {
  let said = "nothing";
  pi.on("session_start", async ({ reason }, { ui }) => {
    ui.notify("Hello at " + reason, "info");
    ui.setStatus("greeter", "asking");
    said = String(await ui.confirm("Go on?", "Say yes."));
    ui.setStatus("greeter");
    throw new Error("tired of " + said);
  });
  pi.on("before_prompt", ({ text }) => ({ text: text + " " + said }));
};`;

const asked = { type: "extension_ui_request", method: "confirm" };

/** What a record is, in a word or two. */
function nameOf({ type, method, command, success, message, statusText, error }: WireRecord): string {
  if (type === "response") return `${command} ${success}`;
  if (type === "extension_ui_request") return [method, message ?? statusText].filter(Boolean).join(": ");
  return [type, error].filter(Boolean).join(": ");
}

test("RPC mode: what an extension tells and asks at the start comes out after the ready line; reads are answered meanwhile, prompts wait", async () => {
  const path = await workspace.write("greeter.mjs", source);
  const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "-e", path]);
  const { id } = await rpc.waitFor(asked);
  expect(rpc.ready).toMatchObject({ type: "ready" });
  expect(await rpc.state()).toMatchObject({ messageCount: 0 });
  rpc.send({ type: "prompt", message: "I said" }, { type: "get_last_assistant_text" });
  rpc.send({ type: "extension_ui_response", id, confirmed: true });
  await Promise.all([rpc.waitFor({ type: "agent_settled" }), rpc.waitFor({ command: "get_last_assistant_text" })]);
  expect(rpc.records.map(nameOf).filter((name) => !/^(message|turn|agent_)/.test(name))).toEqual([
    "notify: Hello at startup",
    "setStatus: asking",
    "confirm: Say yes.",
    "get_state true",
    "setStatus",
    "extension_error: tired of true",
    "prompt true",
    "get_last_assistant_text true",
  ]);
  expect((await workspace.sessionLines()).find(({ message }) => message?.role === "user")?.message?.content).toBe("I said true");
  expect(rpc.stderr).toBe("");
});

test("RPC mode: a prompt that waits for such an answer can be aborted; the end of the input answers with no", async () => {
  const path = await workspace.write("greeter.mjs", source);
  const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "-e", path]);
  await rpc.waitFor(asked);
  rpc.send({ id: "p", type: "prompt", message: "Hi" }, { id: "a", type: "abort" });
  expect(await rpc.waitFor({ id: "p" })).toMatchObject({ success: true });
  expect(await rpc.waitFor({ id: "a" })).toMatchObject({ success: true });
  expect(await rpc.waitFor({ type: "agent_end" })).toMatchObject({ messages: [{ role: "user" }, { stopReason: "aborted" }] });
  expect(await rpc.end()).toBe(0);
  expect(rpc.records).toContainEqual(expect.objectContaining({ type: "extension_error", error: "tired of false" }));
});

test("RPC mode: what is asked when another session begins is answered before its command is", async () => {
  const path = await workspace.write("greeter.mjs", source);
  const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "-e", path]);
  rpc.send({ type: "extension_ui_response", id: (await rpc.waitFor(asked)).id, confirmed: true });
  await rpc.state();
  const { sessionFile } = await rpc.state();
  for (const command of [{ type: "new_session" }, { type: "reset" }, { type: "clone" }]) {
    const from = rpc.records.length;
    rpc.send(command, { type: "get_state" });
    const { id } = await rpc.waitFor(asked, from);
    rpc.send({ type: "extension_ui_response", id, confirmed: false });
    await rpc.waitFor({ command: "get_state" }, from);
    expect(rpc.records.slice(from).map(nameOf)).toEqual([
      expect.stringMatching(/^notify: Hello at (new|fork)$/),
      "setStatus: asking",
      "confirm: Say yes.",
      "setStatus",
      "extension_error: tired of false",
      `${command.type} true`,
      "get_state true",
    ]);
  }
  expect((await rpc.state()).sessionFile).not.toBe(sessionFile);
});

test("print, text and JSON mode: stderr has what it tells and how it failed, the answer to what it asks is no", async () => {
  const path = await workspace.write("greeter.mjs", source);
  const args = ["--model", await workspace.script(hello), "--no-session", "-e", path, "I said"];
  const failure = `The extension ${path} failed at session_start: tired of false`;
  const stderr = `Hello at startup\n${failure}\n`;
  for (const mode of [["-p"], []]) {
    expect(await runCli(workspace, [...mode, ...args])).toEqual({ stdout: "Hello.\n", stderr, exitCode: 0 });
  }
  const json = await runCli(workspace, ["--mode", "json", ...args]);
  expect(json).toMatchObject({ stderr: "Hello at startup\n", exitCode: 0 });
  const [header, first] = json.stdout.split("\n").map((line) => (line === "" ? undefined : JSON.parse(line)));
  expect(header).toMatchObject({ type: "session" });
  expect(first).toEqual({ type: "extension_error", extensionPath: path, event: "session_start", error: "tired of false" });
});

test("agent_chat: what it asks is a confirmation_request, what it tells is on stderr, and how it failed is an error event", async () => {
  const path = await workspace.write("greeter.mjs", source);
  const chat = startChatProcess(workspace, ["--model", await workspace.script(hello), "-e", path]);
  chat.sendText('{"method":"agent_chat","params":{"message":"I said"}}\n');
  expect(await chat.waitForEvent("confirmation_request")).toEqual({
    event: "confirmation_request",
    data: { prompt: "Go on?\n\nSay yes." },
  });
  chat.sendText('{"method":"confirm","params":{"approved":true}}\n');
  await chat.waitForEvent("done");
  expect(chat.events[1]).toEqual({
    event: "error",
    data: { message: `${path}: tired of true`, code: "internal", ends_chat: false },
  });
  expect(await chat.end()).toBe(0);
  expect(chat.stderr).toBe("Hello at startup\n");
});

test("in process: nothing is told before start, which a first prompt implies; what a handler sends does not wait for it", async () => {
  const order: string[] = [];
  const { session } = await createScriptedSession(workspace, [hello, hello], {
    autoStart: false,
    extensions: [
      (pi) => {
        pi.on("session_start", async (_event, { ui }) => {
          order.push(`asked: ${await ui.confirm("Go on?", "")}`);
          await pi.sendMessage("From the handler");
        });
        pi.on("agent_start", () => void order.push("run"));
      },
    ],
  });
  expect(order).toEqual([]);
  const disconnect = session.user.connect({ ...absentUser, confirm: async () => true });
  await session.start();
  await session.waitForIdle();
  disconnect();
  await session.prompt("Second");
  expect(order).toEqual(["asked: true", "run", "run"]);
  expect(await session.user.confirm({ title: "", message: "" })).toBe(false);
});
