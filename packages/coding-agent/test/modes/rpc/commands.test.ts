import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serveHere } from "../../helpers/rpc-here.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { readLines, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const hello = { text: "Hello there." };

describe("commands", () => {
  test("get_state has every key, before anything else has happened, and no file is there", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    const { data } = await rpc.request({ type: "get_state" });
    expect(data).toEqual({
      model: {
        id: "tour",
        name: "Offline demo",
        api: "scripted",
        provider: "demo",
        baseUrl: "",
        reasoning: false,
        input: ["text", "image"],
        contextWindow: 200_000,
        maxTokens: 32_000,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      },
      thinkingLevel: "off",
      isStreaming: false,
      isCompacting: false,
      isSettled: true,
      queueMode: "one-at-a-time",
      steeringMode: "one-at-a-time",
      followUpMode: "one-at-a-time",
      interruptMode: "wait",
      sessionFile: expect.stringMatching(/\.jsonl$/),
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      autoCompactionEnabled: true,
      autoRetryEnabled: true,
      messageCount: 0,
      queuedMessageCount: 0,
      pendingMessageCount: 0,
      todoPhases: [],
      streamMode: "snapshots",
    });
    expect(await rpc.end()).toBe(0);
    expect(await workspace.sessionFiles()).toEqual([]);
    expect(rpc.stderr).toBe("");
  });

  test("prompt, get_messages, get_last_assistant_text and get_state belong together", async () => {
    const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
    expect((await rpc.request({ type: "get_last_assistant_text" })).data).toEqual({});
    const records = await rpc.promptAndWait("Hi");
    expect((await rpc.request({ type: "get_last_assistant_text" })).data).toEqual({ text: "Hello there." });
    const end = records.find(({ type }) => type === "agent_end");
    const { data } = await rpc.request({ type: "get_messages" });
    expect(data).toEqual({ messages: end?.messages });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ messageCount: 2, isStreaming: false });
    const lines = await workspace.sessionLines();
    expect(lines.flatMap(({ message }) => (message ? [message] : []))).toEqual(end?.messages);
  });

  test("set_model answers with the model; an unknown one is refused by name and changes nothing", async () => {
    const models = [{ id: "thinker", reasoning: true, headers: { authorization: "5ecret" }, compat: { a: 1 } }];
    await workspace.write("agent/models.json", {
      providers: { local: { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models } },
    });
    const rpc = await serveHere(workspace, { model: "demo/tour" });
    const refused = await rpc.request({ type: "set_model", provider: "demo", modelId: "nope" });
    expect(refused).toMatchObject({ success: false, error: expect.stringMatching(/^Model not found: demo\/nope/) });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ model: { id: "tour" } });
    const { data } = await rpc.request({ type: "set_model", provider: "local", modelId: "thinker" });
    expect(data).toMatchObject({ id: "thinker", provider: "local" });
    expect(Object.keys(data ?? {})).toHaveLength(10);
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ model: data, thinkingLevel: "medium" });
    const missing = await rpc.request({ type: "set_model", provider: "script", modelId: "/no/such/file" });
    expect(missing).toMatchObject({ success: false, error: expect.stringContaining("/no/such/file") });
  });

  test("get_available_models lists what has a key or needs none", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour"], { env: { OPENAI_API_KEY: "sk-5ecret" } });
    const { data } = await rpc.request({ type: "get_available_models" });
    const models = data?.models as { provider: string }[];
    expect(new Set(models.map(({ provider }) => provider))).toEqual(new Set(["openai"]));
    expect(rpc.lines.join()).not.toContain("5ecret");
  });

  test("new_session and its alias reset begin anew, and the response names the command that was sent", async () => {
    const rpc = await serveHere(workspace, { model: await workspace.script(hello, hello) });
    await rpc.promptAndWait("Hi");
    const before = (await rpc.request({ type: "get_state" })).data;
    const response = await rpc.request({ type: "new_session", parentSession: before?.sessionFile });
    expect(response).toMatchObject({ command: "new_session", success: true, data: { cancelled: false } });
    const after = (await rpc.request({ type: "get_state" })).data;
    expect(after?.sessionId).not.toBe(before?.sessionId);
    expect(after).toMatchObject({ messageCount: 0, model: before?.model });
    await rpc.promptAndWait("Hi again");
    expect((await readLines(String(after?.sessionFile)))[0]).toMatchObject({ parentSession: before?.sessionFile });
    expect(await rpc.request({ type: "reset" })).toMatchObject({ command: "reset", success: true, data: { cancelled: false } });
    expect(await workspace.sessionFiles()).toHaveLength(2);
  });

  test("RP-016 new_session during a run settles it first: its end comes before the response, and nothing of it after", async () => {
    const script = await workspace.script({ toolCalls: [{ name: "bash", arguments: { command: "sleep 30" } }] }, hello);
    const rpc = await serveHere(workspace, { model: script });
    await rpc.request({ type: "prompt", message: "Work" });
    await rpc.waitFor({ type: "tool_execution_start" });
    const response = await rpc.request({ type: "new_session" });
    const from = rpc.records.indexOf(response);
    expect(rpc.records.slice(0, from).at(-1)).toEqual({ type: "agent_settled" });
    await rpc.promptAndWait("Hi");
    const starts = rpc.records.slice(from).filter(({ type }) => type === "message_start");
    expect(starts.map(({ message }) => (message as { role: string }).role)).toEqual(["user", "assistant"]);
  });

  test("RP-017 bash answers when it has ended, emits nothing, and the model hears of it with the next prompt", async () => {
    const rpc = await serveHere(workspace, { model: "demo/tour" });
    const response = await rpc.request({ type: "bash", command: "echo out; echo err >&2; exit 4" });
    expect(response).toMatchObject({
      command: "bash",
      success: true,
      data: { output: "out\nerr\n", exitCode: 4, cancelled: false, truncated: false, totalLines: 2 },
    });
    expect(response.data).not.toHaveProperty("fullOutputPath");
    await rpc.request({ type: "bash", command: "true", excludeFromContext: true });
    expect(rpc.records.every(({ type }) => type === "response")).toBe(true);
    expect((await rpc.request({ type: "get_messages" })).data).toMatchObject({
      messages: [
        { role: "bashExecution", command: "echo out; echo err >&2; exit 4", exitCode: 4, fullOutputPath: null },
        { role: "bashExecution", excludeFromContext: true },
      ],
    });
  });

  test("bash with long output names the file that has all of it", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour", "--no-session"], { env: { TMPDIR: workspace.root } });
    const { data } = await rpc.request({ type: "bash", command: "seq 3000" });
    expect(data).toMatchObject({ truncated: true, outputLines: 2000, totalLines: 3000 });
    expect(String(data?.fullOutputPath)).toMatch(new RegExp(`^${workspace.root}/`));
  });
});

describe("RP-005 RP-006 responses", () => {
  test("the id of each comes back as it was, whatever value it has", async () => {
    const ids = [0, "", null, false, "a\u2028b", 1.5, [1, { a: 2 }], { nested: { id: [null] } }];
    const rpc = await serveHere(workspace, { model: "demo/tour", session: "memory" });
    for (const id of ids) rpc.send({ id, type: "get_messages" }, { id, type: "nonsense" }, { id, type: "prompt" }, { id });
    expect(await rpc.end()).toBe(0);
    for (const id of ids) {
      const answers = rpc.records.filter((record) => JSON.stringify(record.id) === JSON.stringify(id));
      expect(answers.map(({ command }) => command).sort()).toEqual(["get_messages", "nonsense", "prompt", "unknown"]);
    }
    expect(rpc.records).toHaveLength(4 * ids.length);
  });

  test("without an id there is none in the response", async () => {
    const rpc = await serveHere(workspace, { model: "demo/tour", session: "memory" });
    rpc.send({ type: "get_messages" });
    expect(await rpc.waitFor({ type: "response" })).toEqual({
      type: "response",
      command: "get_messages",
      success: true,
      data: { messages: [] },
    });
  });

  test("that of prompt comes before the first event of its run, every time", async () => {
    const rpc = await serveHere(workspace, { model: await workspace.script(hello, hello, hello) });
    for (const message of ["one", "two", "three"]) {
      const records = await rpc.promptAndWait(message);
      expect(records.slice(0, 2).map(({ type }) => type)).toEqual(["response", "agent_start"]);
      expect(records.filter(({ type }) => type === "agent_end")).toMatchObject([{ willRetry: false }]);
      expect(records.at(-1)).toEqual({ type: "agent_settled" });
    }
  });

  test("SE-002 that of prompt comes when the user's message is in the file", async () => {
    const script = await workspace.script({ text: "slow", delayMs: 60_000 });
    const rpc = startRpc(workspace, ["--model", script]);
    await rpc.request({ type: "prompt", message: "Remember me" });
    rpc.child.kill("SIGKILL");
    await rpc.exited;
    expect((await workspace.sessionLines()).at(-1)).toMatchObject({ message: { content: "Remember me" } });
  });

  test("reads see the effect of every earlier line, sent in one write", async () => {
    // A run that is not over before the next line is read.
    const script = await workspace.script({ ...hello, delayMs: 60_000 });
    const rpc = await serveHere(workspace, { model: "demo/tour" });
    rpc.send(
      { id: 1, type: "set_model", provider: "script", modelId: script.slice("script/".length) },
      { id: 2, type: "get_state" },
      { id: 3, type: "prompt", message: "Hi" },
      { id: 4, type: "get_state" },
      { id: 5, type: "new_session" },
      { id: 6, type: "get_state" },
    );
    await rpc.waitFor({ id: 6 });
    expect(rpc.records.filter(({ type }) => type === "response").map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    const state = (id: number) => rpc.records.find((record) => record.id === id)?.data;
    expect(state(2)).toMatchObject({ model: { provider: "script" }, isStreaming: false });
    expect(state(4)).toMatchObject({ isStreaming: true });
    expect(state(6)).toMatchObject({ isStreaming: false, messageCount: 0 });
  });

  test("RP-007 get_state, get_messages and abort_bash are answered while a run and a bash are going", async () => {
    const script = await workspace.script({ toolCalls: [{ name: "bash", arguments: { command: "sleep 30" } }] });
    const rpc = await serveHere(workspace, { model: script });
    await rpc.request({ type: "prompt", message: "Work" });
    await rpc.waitFor({ type: "tool_execution_start" });
    rpc.send({ id: "bash", type: "bash", command: "sleep 30" });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ isStreaming: true });
    expect((await rpc.request({ type: "get_messages" })).data).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant" }],
    });
    await rpc.request({ type: "abort_bash" });
    await rpc.request({ type: "abort" });
    expect(await rpc.waitFor({ id: "bash" })).toMatchObject({ success: true, data: { cancelled: true, exitCode: null } });
  });
});

describe("refusals", () => {
  test("RP-007 a prompt during a run is refused with what to do, and the run goes on", async () => {
    const script = await workspace.script(
      { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
      hello,
    );
    const rpc = await serveHere(workspace, { model: script });
    await rpc.request({ type: "prompt", message: "One" });
    expect(await rpc.request({ type: "prompt", message: "Two" })).toMatchObject({
      success: false,
      error: expect.stringContaining('set streamingBehavior: "steer"'),
    });
    await workspace.write("work/go", "");
    await rpc.waitFor({ type: "agent_settled" });
    expect((await workspace.sessionLines()).filter(({ message }) => message?.role === "user")).toHaveLength(1);
  });

  test.each([
    ["no model", [], { type: "prompt", message: "Hi" }, "No model is chosen"],
    ["no key", ["--provider", "openai"], { type: "prompt", message: "Hi" }, "OPENAI_API_KEY"],
    ["an empty message", ["--model", "demo/tour"], { type: "prompt", message: "" }, "The message is empty"],
    ["a wrong field", ["--model", "demo/tour"], { type: "prompt", message: 5 }, 'Field "message"'],
    [
      "an attachment of bytes",
      ["--model", "demo/tour"],
      {
        type: "prompt",
        message: "Hi",
        attachments: [{ id: "1", type: "document", fileName: "a.bin", mimeType: "x/y", size: 1, content: "/w==" }],
      },
      '"a.bin"',
    ],
  ])("a prompt with %s: once, also as an error event when it has no id; nothing is stored", async (_name, args, command, text) => {
    const rpc = startRpc(workspace, args);
    const response = await rpc.request(command);
    expect(response).toMatchObject({ command: "prompt", success: false, error: expect.stringContaining(text) });
    rpc.send(command);
    const event = await rpc.waitFor({ type: "error" });
    expect(event).toEqual({ type: "error", error: response.error });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ messageCount: 0, isStreaming: false });
    expect(rpc.records.map(({ type }) => type)).toEqual(["response", "response", "error", "response"]);
    expect(await rpc.end()).toBe(0);
    expect(await workspace.sessionFiles()).toEqual([]);
  });
});

test("B9 images that are none are refused by name, by every command that takes some, and the session goes on", async () => {
  const rpc = await serveHere(workspace, { model: await workspace.script(hello, hello) });
  const text = Buffer.from("not an image").toString("base64");
  const good = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  const attachment = { id: "1", type: "image", fileName: "a.png", mimeType: "image/png", size: 3, content: text };
  const why = "its data is not a PNG, JPEG, GIF or WebP image";
  for (const type of ["prompt", "steer", "follow_up", "abort_and_prompt"]) {
    const images = [good, { ...good, data: text }];
    expect(await rpc.request({ type, message: "See", images })).toMatchObject({
      success: false,
      error: `Field "images.1.data" must be an image in base64, but ${why}.`,
    });
    expect(await rpc.request({ type, message: "See", attachments: [attachment] })).toMatchObject({
      success: false,
      error: `Field "attachments.0.content" must be an image in base64, but ${why}.`,
    });
    const broken = [{ ...good, data: "no base64!" }];
    expect(await rpc.request({ type, message: "See", images: broken })).toMatchObject({
      success: false,
      error: 'Field "images.0.data" must be an image in base64, but its data is not valid base64.',
    });
  }
  expect(await rpc.ask({ type: "get_messages" })).toEqual({ messages: [] });
  rpc.send({ type: "prompt", message: "See", images: [{ ...good, mimeType: "image/jpeg" }] });
  const { messages } = await rpc.waitFor({ type: "agent_end" });
  expect(messages).toMatchObject([{ content: [{ text: "See" }, good] }, {}]);
});

test("attachments and images of a prompt come back as they were sent, wherever messages are told, also from the file; an image is stored once", async () => {
  const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
  const attachment = {
    id: "1",
    type: "image",
    fileName: "a.png",
    mimeType: "image/png",
    size: 3,
    content: "iVBORw0KGgo=",
    extractedText: null,
    preview: null,
  };
  const note = { ...attachment, id: "2", type: "document", fileName: "n.txt", mimeType: "text/plain", content: "aGk=" };
  const last = { ...attachment, id: "3", content: "/9j/4A==" };
  rpc.send({
    type: "prompt",
    message: "See",
    attachments: [attachment, note, last],
    images: [{ type: "image", data: "R0lGODlh", mimeType: "image/gif" }],
  });
  const { messages } = await rpc.waitFor({ type: "agent_end" });
  const sent = {
    content: [
      { type: "text", text: "See" },
      { type: "text", text: "n.txt\nhi" },
      { type: "image", data: "R0lGODlh" },
      { type: "image", data: "iVBORw0KGgo=" },
      { type: "image", data: "/9j/4A==" },
    ],
    attachments: [
      { id: "1", fileName: "a.png", content: "iVBORw0KGgo=" },
      { id: "2", content: "aGk=" },
      { id: "3", content: "/9j/4A==" },
    ],
  };
  expect(messages).toMatchObject([sent, {}]);
  expect(await rpc.waitFor({ type: "message_start" })).toMatchObject({ message: sent });
  expect(await rpc.waitFor({ type: "message_end" })).toMatchObject({ message: sent });
  const { sessionFile } = await rpc.state();
  const again = startRpc(workspace, ["--fork", String(sessionFile)]);
  for (const each of [rpc, again]) {
    expect((await each.ask({ type: "get_messages" })).messages).toMatchObject([sent, {}]);
    expect((await each.ask({ type: "get_entries" })).entries).toContainEqual(
      expect.objectContaining({
        message: expect.objectContaining({ attachments: expect.arrayContaining([expect.objectContaining(sent.attachments[2])]) }),
      }),
    );
    expect(JSON.stringify(await each.ask({ type: "get_tree" })).split('"/9j/4A=="')).toHaveLength(3);
  }
  expect((await readFile(String(sessionFile), "utf8")).split('"/9j/4A=="')).toHaveLength(2);
});

test("--session-dir, --session-id and --no-session say where a session is kept", async () => {
  const folder = join(workspace.root, "elsewhere");
  const script = await workspace.script(hello, hello);
  const rpc = startRpc(workspace, ["--model", script, "--session-dir", folder, "--session-id", "job-7"]);
  await rpc.promptAndWait("Hi");
  const { data } = await rpc.request({ type: "get_state" });
  expect(data).toMatchObject({ sessionId: "job-7", sessionFile: expect.stringMatching(/^.*\/elsewhere\/.*_job-7\.jsonl$/) });
  await rpc.end();
  const again = startRpc(workspace, ["--session-dir", folder, "--session-id", "job-7"]);
  expect((await again.request({ type: "get_state" })).data).toMatchObject({ messageCount: 2, model: { provider: "script" } });
  const none = startRpc(workspace, ["--model", script, "--no-session"]);
  expect(await none.state()).not.toHaveProperty("sessionFile");
});
