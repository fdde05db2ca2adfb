import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { expectProcessGone, readPid } from "../../helpers/processes.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";
import { calls } from "./chat-client.ts";
import { startChatProcess } from "./chat-process.ts";

const workspace = useWorkspace();
const chat = (message: string, params: object = {}) => ({ method: "agent_chat", params: { message, ...params } });
const line = (request: object) => `${JSON.stringify(request)}\n`;

describe("the end of stdin", () => {
  test("behind a chat: it comes to its end, and the exit code is 0", async () => {
    const script = await workspace.script(calls(["bash", { command: "echo hi" }]), { text: "Done.", delayMs: 20 });
    const { stdout, stderr, exitCode } = await runCli(workspace, ["agent-rpc"], {
      input: line(chat("Work", { config: { model: script } })),
    });
    expect([stderr, exitCode]).toEqual(["", 0]);
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as object;
    expect(last).toMatchObject({ event: "done", data: { response: "Done.", task_completed: true } });
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test("while a confirmation waits: nothing runs, and what commands have left behind is ended", async () => {
    await workspace.write("work/data/x", "");
    const script = await workspace.script(
      calls(["bash", { command: "sleep 60 > /dev/null 2>&1 & echo $! > pid" }]),
      calls(["bash", { command: "rm -rf data" }]),
      { text: "Done." },
    );
    const agent = startChatProcess(workspace, ["--model", script]);
    agent.send(chat("Work"));
    await agent.waitForEvent("confirmation_request");
    const pid = await readPid(`${workspace.cwd}/pid`);
    expect(await agent.end()).toBe(0);
    expect(agent.events.at(-1)).toMatchObject({ event: "done", data: { response: "Done." } });
    expect(existsSync(`${workspace.cwd}/data`)).toBe(true);
    await expectProcessGone(pid);
    expect(agent.stderr).toBe("");
  });

  test("without a word: exit code 0 and no output", async () => {
    expect(await runCli(workspace, ["agent-rpc"])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("in the middle of a line: what there is of it is read", async () => {
    const { stdout, exitCode } = await runCli(workspace, ["agent-rpc"], { input: '{"method":"ping"}' });
    expect([stdout, exitCode]).toEqual(['{"event":"pong","data":{}}\n', 0]);
  });
});

const working = calls(["bash", { command: "echo $$ > pid; sleep 60" }]);

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
] as const)("%s in the middle of a chat ends it and its processes, and exits %i", async (signal, exitCode) => {
  const agent = startChatProcess(workspace, ["--model", await workspace.script(working)]);
  agent.send(chat("Work"));
  const pid = await readPid(`${workspace.cwd}/pid`);
  agent.child.kill(signal);
  expect(await agent.exited).toBe(exitCode);
  await expectProcessGone(pid);
  expect(agent.events.at(-1)).toMatchObject({ event: "done", data: { task_completed: false, completion_type: "failure" } });
  expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
});

test("RP-011 a reader that goes away ends the process quietly and its children with it", async () => {
  const agent = startChatProcess(workspace, ["--model", await workspace.script(working)]);
  agent.send(chat("Work"));
  const pid = await readPid(`${workspace.cwd}/pid`);
  agent.child.stdout.destroy();
  agent.send({ method: "ping" });
  expect(await agent.exited).toBe(0);
  await expectProcessGone(pid);
  expect(agent.stderr).toBe("");
});

test("RP-011 a reader that goes away while a confirmation waits means no", async () => {
  await workspace.write("work/data/x", "");
  const script = await workspace.script(calls(["bash", { command: "rm -rf data" }]), { text: "Done." });
  const agent = startChatProcess(workspace, ["--model", script]);
  agent.send(chat("Work"));
  await agent.waitForEvent("confirmation_request");
  agent.child.stdout.destroy();
  agent.send({ method: "ping" });
  expect(await agent.exited).toBe(0);
  expect(existsSync(`${workspace.cwd}/data`)).toBe(true);
});

test("RP-013 stdout carries nothing but the protocol, whatever prints: stderr has the rest", async () => {
  const script = await workspace.script({ text: "x" });
  const noisy =
    "data:text/javascript,setInterval(() => { console.log('noise'); process.stdout.write('more noise\\n'); }, 20).unref()";
  const agent = startChatProcess(workspace, ["--model", script], { env: { NODE_OPTIONS: `--import=${encodeURI(noisy)}` } });
  agent.send({ method: "ping" });
  await agent.waitForEvent("pong");
  const told = agent.stderr.length;
  while (agent.stderr.length <= told) await new Promise((resolve) => agent.child.stderr.once("data", resolve));
  agent.send(chat("Hi"));
  await agent.waitForEvent("done");
  expect(await agent.end()).toBe(0);
  expect(agent.stderr).toContain("more noise");
});

describe("the command line", () => {
  test("chooses model, approvals and limits for chats that do not say", async () => {
    const script = await workspace.script(calls(["bash", { command: "echo hi" }]), { text: "Never." });
    const agent = startChatProcess(workspace, ["--model", script, "--approval", "always", "--max-turns", "1", "--no-session"]);
    agent.send(chat("Work"));
    await agent.waitForEvent("confirmation_request");
    agent.send({ method: "confirm", params: { approved: true } });
    const { data } = await agent.waitForEvent("clarification_request");
    expect(data).toMatchObject({ reason: "max_iterations" });
    agent.send({ method: "clarify", params: { action: "stop" } });
    await agent.waitForEvent("done");
    expect(await workspace.sessionFiles()).toEqual([]);
  });

  test.each([
    [["--session", "x"], 2, "agent-rpc takes no --session: the request's session_key names the conversation.\n"],
    [["--continue"], 2, "agent-rpc takes no --continue: the request's session_key names the conversation.\n"],
    [["--mode", "rpc"], 2, "agent-rpc takes no --mode: agent-rpc is a mode of its own.\n"],
    [["hello"], 2, 'agent-rpc takes no prompt arguments, but got "hello". Send an agent_chat request on stdin.\n'],
    [["--fly"], 2, "Unknown option '--fly'. Run pi --help for the options.\n"],
  ])("%j is refused", async (args, exitCode, stderr) => {
    expect(await runCli(workspace, ["agent-rpc", ...args])).toEqual({ stdout: "", stderr, exitCode });
  });

  test("--help shows the options, and agent-rpc elsewhere is a prompt", async () => {
    expect(await runCli(workspace, ["agent-rpc", "--help"])).toMatchObject({ stderr: "", exitCode: 0 });
    const { stdout } = await runCli(workspace, ["-p", "--model", "demo/tour", "agent-rpc"]);
    expect(stdout).toContain("This is demo/tour");
  });
});
