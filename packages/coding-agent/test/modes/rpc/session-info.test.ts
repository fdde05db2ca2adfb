import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { anthropic, type ProviderResponse } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { commandAliases, commandDispatch } from "../../../src/protocol/dispatch.ts";
import { events } from "../../../src/protocol/events.ts";
import { runCli } from "../../helpers/cli.ts";
import { serveModels } from "../../helpers/endpoints.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const hello = { text: "Hello <b>there</b>." };

describe("get_session_stats", () => {
  test("SE-022 counts everything of the session, and how full the window is", async () => {
    const server = await serveModels(workspace);
    const usage = { usage: { input: 100, output: 20, cacheRead: 30, cacheWrite: 4 } };
    server.respond(anthropic.toolCall("bash", { command: "true" }, usage), anthropic.text("Done.", usage));
    const rpc = startRpc(workspace, ["--model", "local-anthropic/claude", "--no-context-files"]);
    await rpc.ask({ type: "set_auto_compaction", enabled: false });
    await rpc.promptAndWait("Go");
    const { sessionFile, sessionId } = await rpc.state();
    const expected = {
      ...{ sessionFile, sessionId, userMessages: 1, assistantMessages: 2, toolCalls: 1, toolResults: 1, totalMessages: 4 },
      tokens: { input: 200, output: 40, cacheRead: 60, cacheWrite: 8, total: 308 },
      cost: expect.closeTo((200 * 1 + 40 * 2) / 1_000_000, 9),
      contextUsage: { tokens: 154, contextWindow: 1000, percent: 15.4 },
    };
    expect(await rpc.ask({ type: "get_session_stats" })).toEqual(expected);
    // What was left behind on another branch counts too; the window is that of the branch.
    const { messages } = await rpc.ask({ type: "get_branch_messages" });
    await rpc.ask({ type: "branch", entryId: (messages as { entryId: string }[])[0]?.entryId });
    expect(await rpc.ask({ type: "get_session_stats" })).toMatchObject({ totalMessages: 4, tokens: { total: 308 } });
  });

  test("of an empty session in memory has every field", async () => {
    const rpc = startRpc(workspace, ["--no-session"]);
    expect(await rpc.ask({ type: "get_session_stats" })).toEqual({
      ...{ sessionId: expect.any(String), userMessages: 0, assistantMessages: 0, toolCalls: 0, toolResults: 0 },
      ...{ totalMessages: 0, tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }, cost: 0 },
      contextUsage: { tokens: null, contextWindow: 0, percent: null },
    });
  });
});

describe("export_html", () => {
  test("writes a safe page to pi-session-<id>.html in the working folder, also of a session in memory", async () => {
    const rpc = await serveHere(workspace, { model: await workspace.script(hello), session: "memory" });
    await rpc.promptAndWait("Say <script>alert(1)</script>");
    const { sessionId } = await rpc.state();
    const { path } = await rpc.ask({ type: "export_html" });
    expect(path).toBe(join(workspace.cwd, `pi-session-${sessionId}.html`));
    const html = await readFile(String(path), "utf8");
    expect(html).toContain("&lt;script&gt;alert(1)");
    expect(html).not.toContain("<script");
    expect(html).not.toContain("<b>there</b>");
    expect((await stat(String(path))).mode & 0o777).toBe(0o600);
  });

  test("takes a path, relative to the working folder; null is none; one that cannot be written is refused", async () => {
    const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
    await rpc.promptAndWait("Hi");
    expect(await rpc.ask({ type: "export_html", outputPath: "page.html" })).toEqual({ path: join(workspace.cwd, "page.html") });
    const elsewhere = join(workspace.root, "other.html");
    expect(await rpc.ask({ type: "export_html", outputPath: elsewhere })).toEqual({ path: elsewhere });
    expect((await rpc.ask({ type: "export_html", outputPath: null })).path).toContain("pi-session-");
    for (const outputPath of ["no/such/folder/x.html", 5]) {
      expect(await rpc.request({ type: "export_html", outputPath })).toMatchObject({ command: "export_html", success: false });
    }
    expect((await readdir(workspace.cwd)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("--export writes the page of a session that another process holds, and prints where", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello)]);
    await rpc.promptAndWait("Hi");
    const { sessionFile, sessionId } = await rpc.state();
    const named = await runCli(workspace, ["--export", String(sessionFile), "out.html"]);
    expect(named).toEqual({ exitCode: 0, stderr: "", stdout: `${join(workspace.cwd, "out.html")}\n` });
    const unnamed = await runCli(workspace, ["--export", String(sessionId).slice(0, 13)]);
    expect(unnamed.stdout).toBe(`${join(workspace.cwd, `pi-session-${sessionId}.html`)}\n`);
    const redacted = await runCli(workspace, ["--export", String(sessionFile), "redacted.html", "--redact-paths"]);
    expect(await readFile(redacted.stdout.trim(), "utf8")).not.toContain(workspace.cwd);
    expect(await readFile(named.stdout.trim(), "utf8")).toContain(workspace.cwd);
    const missing = await runCli(workspace, ["--export", join(workspace.root, "none.jsonl")]);
    expect(missing).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]*none\.jsonl[^\n]*\n$/) });
  });
});

test("get_protocol_info names what there is: version, commands with their aliases, events, modes", async () => {
  const rpc = startRpc(workspace, ["--no-session"]);
  const info = await rpc.ask({ type: "get_protocol_info" });
  expect(info).toEqual({
    protocolVersion: 1,
    version: (await runCli(workspace, ["--version"])).stdout.trim(),
    commands: expect.arrayContaining([...Object.keys(commandDispatch), ...Object.keys(commandAliases)]),
    events: expect.arrayContaining(Object.keys(events)),
    streamModes: ["snapshots", "deltas"],
  });
  // Every one of them is known: what is asked for wrongly is refused for another reason.
  for (const type of info.commands as string[]) {
    const { error = "" } = await rpc.request({ type, message: 5, command: 5, mode: 5, outputPath: 5, customInstructions: 5 });
    expect(String(error)).not.toContain("Unknown command");
  }
});

test("get_commands lists what users call by name; without extensions, prompts and skills there is nothing", async () => {
  const rpc = startRpc(workspace, ["--no-session"]);
  expect(await rpc.ask({ type: "get_commands" })).toEqual({ commands: [] });
});

describe("set_stream_mode", () => {
  /** An answer that stands still behind its first word until it is let go. */
  function stopping(): { answer: ProviderResponse; letGo(): void } {
    const { steps = [], ...head } = anthropic.answer([{ text: ["one ", "two ", "three"] }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const at = steps.findIndex((step) => String(step).includes("two "));
    return { answer: { ...head, steps: [...steps.slice(0, at), promise, ...steps.slice(at)] }, letGo: resolve };
  }
  const isSnapshot = (record: object) => "message" in record;

  test("in the middle of an answer takes effect with the next one", async () => {
    const server = await serveModels(workspace);
    const { answer, letGo } = stopping();
    server.respond(answer, anthropic.answer([{ text: ["one ", "two ", "three"] }]));
    const rpc = await serveHere(workspace, { model: "local-anthropic/claude" });
    await rpc.request({ type: "prompt", message: "Go" });
    const typeOf = ({ assistantMessageEvent }: WireRecord) => (assistantMessageEvent as { type: string } | undefined)?.type;
    await rpc.waitFor((record) => typeOf(record) === "text_delta");
    const from = rpc.records.length;
    expect(await rpc.ask({ type: "set_stream_mode", mode: "deltas" })).toEqual({ mode: "deltas" });
    expect(await rpc.state()).toMatchObject({ streamMode: "deltas" });
    letGo();
    await rpc.waitFor({ type: "agent_settled" });
    const rest = rpc.records.slice(from).filter(({ type }) => type === "message_update");
    expect(rest.length).toBeGreaterThan(1);
    expect(rest.every(isSnapshot)).toBe(true);
    expect(rest.at(-1)).toMatchObject({ assistantMessageEvent: { type: "done" } });
    const second = (await rpc.promptAndWait("Again")).filter(({ type }) => type === "message_update");
    expect(second.some(isSnapshot)).toBe(false);
    // Deltas that wait for the reader leave as one.
    const types = second.map(typeOf);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual(["text_start", "text_delta", "text_end"]);
  });

  test.each(["all", null, undefined, 1])("%j is refused and changes nothing", async (mode) => {
    const rpc = startRpc(workspace, ["--no-session", "--stream", "deltas"]);
    expect(await rpc.request({ type: "set_stream_mode", mode })).toMatchObject({
      success: false,
      error: expect.stringContaining('"mode" must be "snapshots" or "deltas"'),
    });
    expect(await rpc.state()).toMatchObject({ streamMode: "deltas" });
  });
});

describe("null and absent are the same in every optional field", () => {
  test("of prompts and queued messages", async () => {
    const rpc = await serveHere(workspace, { model: await workspace.script(hello) });
    const nothing = { attachments: null, images: null };
    expect(await rpc.request({ type: "steer", message: "s", ...nothing })).toMatchObject({ success: true });
    expect(await rpc.request({ type: "follow_up", message: "f", ...nothing })).toMatchObject({ success: true });
    await rpc.ask({ type: "clear_queue" });
    const image = {
      type: "image",
      fileName: "a.png",
      mimeType: "image/png",
      size: 3,
      content: "iVBORw0KGgo=",
      extractedText: null,
      preview: null,
    };
    const attachments = [{ id: "1", ...image }];
    expect(await rpc.request({ type: "prompt", message: "p", attachments, images: null, streamingBehavior: null })).toMatchObject({
      success: true,
    });
    await rpc.waitFor({ type: "agent_settled" });
  });

  test("of nested values too: a task's id and status, a tool's label and timeout", async () => {
    const rpc = startRpc(workspace, ["--no-session"]);
    const phases = [{ id: null, name: "P", tasks: [{ id: null, content: "T", status: null }] }];
    expect(await rpc.ask({ type: "set_todos", phases })).toMatchObject({ todoPhases: [{ tasks: [{ status: "pending" }] }] });
    const tools = [{ name: "t", label: null, description: "T", parameters: { type: "object", default: null }, timeoutMs: null }];
    expect(await rpc.ask({ type: "set_host_tools", tools })).toEqual({ toolNames: ["t"] });
  });

  test("a required field that is null is refused", async () => {
    const rpc = startRpc(workspace, ["--no-session"]);
    for (const command of [
      { type: "prompt", message: null },
      { type: "set_session_name", name: null },
      { type: "set_auto_retry", enabled: null },
      { type: "set_todos", phases: null },
      { type: "switch_session", sessionPath: null },
    ]) {
      expect(await rpc.request(command)).toMatchObject({ success: false, error: expect.stringMatching(/must be .* but is null/) });
    }
  });
});
