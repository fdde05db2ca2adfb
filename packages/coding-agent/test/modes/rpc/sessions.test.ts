import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { anthropic } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { serveModels } from "../../helpers/endpoints.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc } from "../../helpers/rpc-process.ts";
import { story } from "../../helpers/story.ts";
import { readLines, rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

/** Works until the test writes the file `go`. */
const gated = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
const texts = (...all: string[]) => all.map((text) => ({ text }));

async function start(...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  return serveHere(workspace, { model: await workspace.script(...answers) });
}

/** A session file that another process has left behind: one prompt with its answer. */
async function writeSession(name: string, cwd = workspace.cwd): Promise<string> {
  const message = (id: string, parentId: string | null, fields: object) => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-02T03:04:05.000Z",
    message: fields,
  });
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  const answer = {
    ...{
      role: "assistant",
      content: [{ type: "text", text: `Answer of ${name}` }],
      api: "scripted",
      provider: "demo",
      model: "tour",
    },
    ...{
      usage: { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
      stopReason: "stop",
      timestamp: 2,
    },
  };
  const lines = [
    { type: "session", version: 3, id: name, timestamp: "2026-01-02T03:04:05.000Z", cwd },
    {
      type: "model_change",
      id: "0000000a",
      parentId: null,
      timestamp: "2026-01-02T03:04:05.000Z",
      provider: "demo",
      modelId: "tour",
    },
    message("0000000b", "0000000a", { role: "user", content: `Question of ${name}`, timestamp: 1 }),
    message("0000000c", "0000000b", answer),
    { type: "session_info", id: "0000000d", parentId: "0000000c", timestamp: "2026-01-02T03:04:05.000Z", name },
  ];
  return workspace.write(`${name}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

describe("switch_session", () => {
  test("goes on with the other session: messages, name, model; what follows is appended there, and the one before is let go of", async () => {
    const other = await writeSession("other");
    const rpc = await start(...texts("One", "Two"));
    await rpc.promptAndWait("First");
    const before = await rpc.state();
    expect(await rpc.ask({ type: "switch_session", sessionPath: other })).toEqual({ cancelled: false });
    expect(await rpc.state()).toMatchObject({
      sessionId: "other",
      sessionFile: other,
      sessionName: "other",
      messageCount: 2,
      model: { provider: "demo", id: "tour" },
      isStreaming: false,
    });
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Answer of other" });
    const left = await readFile(String(before.sessionFile));
    await rpc.ask({ type: "bash", command: "echo there" });
    expect(rolesIn(await readLines(other))).toEqual(["user", "assistant", "bashExecution"]);
    expect(await readFile(String(before.sessionFile))).toEqual(left);
    // Nobody holds it any more.
    const second = startRpc(workspace, ["--session", String(before.sessionFile)]);
    expect(await second.state()).toMatchObject({ sessionId: before.sessionId, messageCount: 2 });
    expect(await rpc.ask({ type: "switch_session", sessionPath: other })).toEqual({ cancelled: false });
    expect(await rpc.state()).toMatchObject({ sessionId: "other", messageCount: 3 });
  });

  test.each([
    ["is missing", "none.jsonl", undefined, "none.jsonl"],
    ["is no session", "notes.txt", "Dear diary\n", "notes.txt"],
    ["is of a newer version", "new.jsonl", '{"type":"session","version":99,"id":"x","timestamp":"t","cwd":"/"}\n', "99"],
    ["is a folder", "work", undefined, "work"],
  ])("to a file that %s is refused, the state stays, and so does the file", async (_name, path, content, word) => {
    const target = join(workspace.root, path);
    if (content !== undefined) await workspace.write(path, content);
    const rpc = await start(...texts("One", "Two"));
    await rpc.promptAndWait("First");
    const before = await rpc.state();
    const refused = await rpc.request({ type: "switch_session", sessionPath: target });
    expect(refused).toMatchObject({ command: "switch_session", success: false, error: expect.stringContaining(word) });
    expect(await rpc.state()).toEqual(before);
    if (content !== undefined) expect(await readFile(target, "utf8")).toBe(content);
    await rpc.promptAndWait("Second");
    expect(rolesIn(await readLines(String(before.sessionFile)))).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("SE-016 to a file that another process writes is refused, naming its pid, and a run that is going goes on", async () => {
    const other = await writeSession("other");
    const holder = startRpc(workspace, ["--session", other, "--model", "demo/tour"]);
    await holder.state();
    const rpc = await start(gated, ...texts("Done"));
    await rpc.request({ type: "prompt", message: "Work" });
    await rpc.waitFor({ type: "tool_execution_start" });
    const refused = await rpc.request({ type: "switch_session", sessionPath: other });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining(String(holder.child.pid)) });
    expect(refused.error).toContain("fork it");
    expect(await rpc.state()).toMatchObject({ isStreaming: true });
    await workspace.write("work/go", "");
    await rpc.waitFor({ type: "agent_settled" });
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Done" });
  });

  test("SE-016 to a file whose lock another host holds is refused, naming takeOverLock, and with that it goes there", async () => {
    const other = await writeSession("other");
    await workspace.write("other.jsonl.lock", { pid: 7, startTime: "1", host: "elsewhere" });
    const rpc = await start();
    const refused = await rpc.request({ type: "switch_session", sessionPath: other });
    expect(refused).toMatchObject({ success: false, error: expect.stringMatching(/process 7 of elsewhere\b.*takeOverLock/) });
    expect(await rpc.ask({ type: "switch_session", sessionPath: other, takeOverLock: true })).toEqual({ cancelled: false });
    expect(await rpc.state()).toMatchObject({ sessionId: "other" });
    await rpc.ask({ type: "bash", command: "echo there" });
    expect(rolesIn(await readLines(other))).toEqual(["user", "assistant", "bashExecution"]);
  });

  test("SE-015 during a run settles it first; nothing of it is written into the other file", async () => {
    const other = await writeSession("other");
    const rpc = await start(gated, ...texts("Never"));
    await rpc.request({ type: "prompt", message: "Work" });
    await rpc.waitFor({ type: "tool_execution_start" });
    const { sessionFile } = await rpc.state();
    const before = await readFile(other);
    rpc.send({ id: "s", type: "switch_session", sessionPath: other }, { id: "g", type: "get_state" });
    const response = await rpc.waitFor({ id: "s" });
    const state = await rpc.waitFor({ id: "g" });
    expect(rpc.records[rpc.records.indexOf(response) - 1]).toEqual({ type: "agent_settled" });
    expect(rpc.records[rpc.records.indexOf(response) + 1]).toBe(state);
    expect(state.data).toMatchObject({ sessionId: "other", isStreaming: false, messageCount: 2 });
    expect(await readFile(other)).toEqual(before);
    expect(rolesIn(await readLines(String(sessionFile)))).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test("the session's folder is where tools and commands run, and where its context files are", async () => {
    const server = await serveModels(workspace);
    server.respond(anthropic.toolCall("bash", { command: "pwd" }), anthropic.text("There."), anthropic.text("Here."));
    await workspace.write("elsewhere/AGENTS.md", "Speak like elsewhere.");
    await workspace.write("work/AGENTS.md", "Speak like home.");
    const elsewhere = await realpath(join(workspace.root, "elsewhere"));
    const other = await writeSession("other", elsewhere);
    const rpc = startRpc(workspace, ["--model", "local-anthropic/claude"]);
    await rpc.ask({ type: "switch_session", sessionPath: other });
    expect(await rpc.ask({ type: "bash", command: "pwd" })).toMatchObject({ output: `${elsewhere}\n` });
    await rpc.ask({ type: "set_model", provider: "local-anthropic", modelId: "claude" });
    const records = await rpc.promptAndWait("Where are you?");
    expect(records.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      result: { content: [{ text: `${elsewhere}\n` }] },
    });
    const system = JSON.stringify(server.requests[0]?.body);
    expect(system).toContain("Speak like elsewhere.");
    expect(system).not.toContain("Speak like home.");
    expect(system).toContain(elsewhere);
    // A new session stays in the folder that is current.
    await rpc.ask({ type: "new_session" });
    expect(await rpc.ask({ type: "bash", command: "pwd" })).toMatchObject({ output: `${elsewhere}\n` });
  });

  test("SE-019 a session whose folder is gone is refused, by switch_session and by --session", async () => {
    const gone = join(workspace.root, "gone");
    await mkdir(gone);
    const other = await writeSession("other", gone);
    await rm(gone, { recursive: true });
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    const before = await rpc.state();
    const refused = await rpc.request({ type: "switch_session", sessionPath: other });
    expect(refused).toMatchObject({
      success: false,
      error: expect.stringContaining(`folder of ${other} does not exist any more: ${gone}`),
    });
    expect(await rpc.state()).toEqual(before);
    const started = await runCli(workspace, ["--mode", "rpc", "--session", other]);
    expect(started).toMatchObject({ exitCode: 1, stdout: "", stderr: `${refused.error}\n` });
  });

  test("takes queues and todos along with their session", async () => {
    const other = await writeSession("other");
    const rpc = await start(...texts("One", "Two", "Three"));
    await rpc.promptAndWait("First");
    const { sessionFile } = await rpc.state();
    await rpc.ask({ type: "steer", message: "s" });
    await rpc.ask({ type: "follow_up", message: "f" });
    await rpc.ask({ type: "set_todos", phases: [{ name: "P", tasks: [{ content: "T" }] }] });
    await rpc.ask({ type: "switch_session", sessionPath: other });
    expect(await rpc.state()).toMatchObject({ queuedMessageCount: 0, todoPhases: [] });
    expect(story(rpc.records).at(-1)).toBe("queue:  | ");
    await rpc.ask({ type: "switch_session", sessionPath: sessionFile });
    expect(await rpc.state()).toMatchObject({ queuedMessageCount: 2, todoPhases: [{ id: "phase-1", name: "P" }] });
    expect(await rpc.ask({ type: "clear_queue" })).toEqual({ steering: ["s"], followUp: ["f"] });
  });

  test("and export_html take relative paths from the folder of the session that is open", async () => {
    const elsewhere = join(workspace.root, "elsewhere");
    await mkdir(elsewhere);
    const there = await writeSession("elsewhere/there", elsewhere);
    const here = await writeSession("work/here");
    const rpc = await start();
    for (const [sessionPath, sessionFile, folder] of [
      ["here.jsonl", here, workspace.cwd],
      ["../elsewhere/there.jsonl", there, elsewhere],
      ["../work/here.jsonl", here, workspace.cwd],
    ] as const) {
      expect(await rpc.ask({ type: "switch_session", sessionPath })).toEqual({ cancelled: false });
      expect(await rpc.state()).toMatchObject({ sessionFile });
      expect(await rpc.ask({ type: "export_html", outputPath: "page.html" })).toEqual({ path: join(folder, "page.html") });
    }
    const refused = await rpc.request({ type: "switch_session", sessionPath: "there.jsonl" });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining(join(workspace.cwd, "there.jsonl")) });
  });

  test("to the session that is open shows it as it stands", async () => {
    const rpc = await start(...texts("One"));
    await rpc.promptAndWait("First");
    const before = await rpc.state();
    expect(await rpc.ask({ type: "switch_session", sessionPath: before.sessionFile })).toEqual({ cancelled: false });
    expect(await rpc.state()).toEqual(before);
  });

  test("to a file that get_state has named and that has no message yet goes back there, with the model chosen there", async () => {
    const other = await writeSession("other");
    const rpc = await start(...texts("One"));
    const first = await rpc.state();
    await rpc.ask({ type: "new_session", parentSession: "/elsewhere/parent.jsonl" });
    await rpc.ask({ type: "set_model", provider: "demo", modelId: "tour" });
    const second = await rpc.state();
    await rpc.ask({ type: "switch_session", sessionPath: other });
    await rpc.ask({ type: "switch_session", sessionPath: first.sessionFile });
    expect(await rpc.state()).toEqual(first);
    await rpc.ask({ type: "switch_session", sessionPath: relative(workspace.cwd, String(second.sessionFile)) });
    expect(await rpc.state()).toEqual(second);
    expect(await workspace.sessionFiles()).toEqual([]);
    await rpc.promptAndWait("Hi");
    const lines = await readLines(String(second.sessionFile));
    expect(lines[0]).toMatchObject({ id: second.sessionId, parentSession: "/elsewhere/parent.jsonl" });
    expect(rolesIn(lines).slice(0, 2)).toEqual(["user", "assistant"]);
    expect(lines.filter(({ type }) => type === "model_change")).toHaveLength(1);
  });
});

test("SE-016 --session on a file that another process writes ends with one line and exit code 1", async () => {
  const other = await writeSession("other");
  const holder = startRpc(workspace, ["--session", other]);
  await holder.state();
  const { exitCode, stderr, stdout } = await runCli(workspace, ["--mode", "rpc", "--session", other]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^[^\\n]*${holder.child.pid}[^\\n]*\\n$`));
});

test("--session takes a path or the beginning of an id; a path without a file begins a session, an unknown id makes no file", async () => {
  const rpc = await start(...texts("One"));
  await rpc.promptAndWait("First");
  const { sessionId, sessionFile } = await rpc.state();
  await rpc.end();
  for (const session of [String(sessionFile), String(sessionId).slice(0, 8)]) {
    const again = startRpc(workspace, ["--session", session]);
    expect(await again.state()).toMatchObject({ sessionId, messageCount: 2 });
    await again.end();
  }
  const missing = join(workspace.root, "none.jsonl");
  const begun = startRpc(workspace, ["--session", missing]);
  expect(await begun.state()).toMatchObject({ sessionFile: missing, messageCount: 0 });
  await begun.end();
  await expect(readFile(missing)).rejects.toThrow("ENOENT");
  expect(await runCli(workspace, ["--mode", "rpc", "--session", "ffffffff"])).toMatchObject({ exitCode: 1, stdout: "" });
});

test("--name names the session, also one that is opened; set_session_name renames it and tells so", async () => {
  const script = await workspace.script(...texts("One"));
  const rpc = startRpc(workspace, ["--model", script, "--name", "first"]);
  expect(await rpc.state()).toMatchObject({ sessionName: "first" });
  await rpc.promptAndWait("Hi");
  expect(await rpc.request({ type: "set_session_name", name: "second\nline" })).toEqual({
    id: expect.any(String),
    type: "response",
    command: "set_session_name",
    success: true,
  });
  expect(rpc.records.filter(({ type }) => type === "session_info_changed")).toEqual([
    { type: "session_info_changed", name: "second line" },
  ]);
  expect(await rpc.state()).toMatchObject({ sessionName: "second line" });
  for (const name of ["", " \n "]) {
    expect(await rpc.request({ type: "set_session_name", name })).toMatchObject({
      success: false,
      error: "Session name cannot be empty",
    });
  }
  expect(await rpc.request({ type: "set_session_name" })).toMatchObject({
    success: false,
    error: expect.stringContaining('"name" must be a string'),
  });
  expect(await rpc.state()).toMatchObject({ sessionName: "second line" });
  await rpc.end();
  const again = startRpc(workspace, ["--continue", "-n", "third"]);
  expect(await again.state()).toMatchObject({ sessionName: "third", messageCount: 2 });
});

test("new_session: a null parentSession is none, a mistyped one is refused and changes nothing", async () => {
  const rpc = startRpc(workspace, ["--model", await workspace.script(...texts("One"))]);
  const before = await rpc.state();
  expect(await rpc.request({ type: "new_session", parentSession: 5 })).toMatchObject({
    success: false,
    error: expect.stringContaining('"parentSession" must be a string'),
  });
  expect(await rpc.state()).toEqual(before);
  expect(await rpc.ask({ type: "new_session", parentSession: null })).toEqual({ cancelled: false });
  await rpc.promptAndWait("Hi");
  expect((await workspace.sessionLines())[0]).not.toHaveProperty("parentSession");
});

test("SE-014 in memory nothing is written, and sessions can be left, copied and branched", async () => {
  const rpc = startRpc(workspace, ["--no-session", "--model", await workspace.script(...texts("One", "Two"))]);
  await rpc.promptAndWait("First");
  const { messages } = await rpc.ask({ type: "get_branch_messages" });
  expect(messages).toMatchObject([{ text: "First" }]);
  await rpc.ask({ type: "clone" });
  expect(await rpc.state()).toMatchObject({ messageCount: 2 });
  const [first] = messages as { entryId: string }[];
  expect(await rpc.ask({ type: "branch", entryId: first?.entryId })).toEqual({ text: "First", cancelled: false });
  expect(await rpc.state()).toMatchObject({ messageCount: 0 });
  await rpc.promptAndWait("Second");
  expect(await rpc.ask({ type: "fork", entryId: first?.entryId })).toEqual({ text: "First", cancelled: false });
  const state = await rpc.state();
  expect(state).toMatchObject({ messageCount: 0 });
  expect(state).not.toHaveProperty("sessionFile");
  await rpc.ask({ type: "new_session" });
  expect(await rpc.end()).toBe(0);
  expect(await workspace.sessionFiles()).toEqual([]);
});
