import { expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** What is said of a session whose folder has a file's name. */
const reason = /^Cannot write to the session file .*\/taken\/[^ ]+\.jsonl: E[A-Z]+\. Choose another folder for sessions\.$/;

test("SE-021 a session that cannot be stored is told in every mode, once, and is exit code 1 where prompts come from the command line", async () => {
  const folder = ["--session-dir", await workspace.write("taken", "")];
  const script = await workspace.script({ text: "Hello." }, { text: "Again." });
  const run = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await runCli(workspace, [
      ...args,
      "--model",
      script,
      ...folder,
      "--name",
      "N",
      "Hi",
      "Hi",
    ]);
    return { stdout, told: stderr.trimEnd().split("\n"), exitCode };
  };
  const rpc = async () => {
    const client = startRpc(workspace, ["--model", script, "--name", "N", ...folder]);
    const records = await client.promptAndWait("Hi");
    const events = [...records, ...(await client.promptAndWait("Hi"))].filter(({ type }) => type === "error");
    return { events: events.map(({ error }) => error), exitCode: await client.end() };
  };
  const chat = async () => {
    const request = { method: "agent_chat", params: { message: "Hi", config: { model: script } } };
    const { stdout, exitCode } = await runCli(workspace, ["agent-rpc", ...folder], { input: `${JSON.stringify(request)}\n` });
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; data: object });
    return { events: events.filter(({ event }) => event === "error" || event === "done"), exitCode };
  };
  const [print, text, json, inRpc, inChat] = await Promise.all([run("-p"), run(), run("--mode", "json"), rpc(), chat()]);
  const once = [expect.stringMatching(reason)];
  expect(print).toEqual({ stdout: "Again.\n", told: once, exitCode: 1 });
  expect(text).toEqual({ stdout: "Again.\n", told: once, exitCode: 1 });
  expect(json).toEqual({ stdout: expect.stringContaining('"type":"error"'), told: once, exitCode: 1 });
  expect(inRpc).toEqual({ events: once, exitCode: 0 });
  expect(inChat.events).toEqual([
    { event: "error", data: { message: expect.stringMatching(reason), code: "internal", ends_chat: false } },
    { event: "done", data: expect.objectContaining({ response: "Hello.", task_completed: true }) },
  ]);
});

test("SE-021 what can be stored in the end is no failure: exit code 0", async () => {
  // The first write fails, since there is a file where the folder is to be; a tool takes it away.
  const folder = await workspace.write("taken", "");
  const command = { name: "bash", arguments: { command: `rm '${folder}'` } };
  const script = await workspace.script({ toolCalls: [command] }, { text: "Done." });
  const { stdout, stderr, exitCode } = await runCli(workspace, ["-p", "--model", script, "--session-dir", folder, "Hi"]);
  const told = [expect.stringMatching(reason), expect.stringContaining("cannot be kept for an undo: ENOTDIR")];
  expect([stdout, stderr.trimEnd().split("\n"), exitCode]).toEqual(["Done.\n", told, 0]);
});
