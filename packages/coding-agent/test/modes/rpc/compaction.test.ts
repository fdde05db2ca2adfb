import { anthropic, keepOpen, type ProviderServer, type Responder, startProviderServer } from "@pikit/test-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { describeMessage } from "../../helpers/story.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";
import { isEcho } from "../../run/compaction/helpers.ts";

const workspace = useWorkspace();

/** Tokens of the model's window; the reserve and what is kept are a quarter each. */
const contextWindow = 40_000;
/** Some 6,000 tokens: of three, two are more than what is kept. */
const long = (name: string) => `${name} `.padEnd(24_000, "x");
const small = { usage: { input: 100, output: 5 } };
const isSummary = (body: unknown) => JSON.stringify(body).includes("You write the memory");

interface Started {
  server: ProviderServer;
  rpc: RpcConnection;
}

/** A conversation of three long prompts with a model on this machine. */
async function startLong(): Promise<Started> {
  const server = await startProviderServer();
  onTestFinished(() => server.close());
  await workspace.write("agent/models.json", {
    providers: {
      local: { baseUrl: server.url, api: "anthropic-messages", apiKey: "k", models: [{ id: "m", contextWindow, maxTokens: 4000 }] },
    },
  });
  const rpc = await serveHere(workspace, { model: "local/m" });
  for (const [index, name] of ["one", "two", "three"].entries()) {
    server.respond(anthropic.text(`Answer ${name}.`, { usage: { input: 8000 + 6000 * index } }));
    await rpc.promptAndWait(long(name));
    await server.nextRequest();
  }
  return { server, rpc };
}

const summary = (text = "What was said."): Responder => {
  return ({ body }) => (isSummary(body) ? anthropic.text(text, small) : anthropic.error(400, "this was to be a summary"));
};
/** A summary that comes when the test lets it. */
function heldSummary(): { responder: Responder; go(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { responder: { ...anthropic.text("What was said.", small), after: promise }, go: () => resolve() };
}

/** Turns, answers and compactions (under their first name), a line each. */
function outline(records: readonly WireRecord[]): string[] {
  return records.flatMap((record, index) => {
    if (isEcho(record, records[index - 1])) return [];
    const { type, reason, aborted, result, willRetry, errorMessage } = record as WireRecord & Record<string, unknown>;
    if (type.endsWith("compaction_start")) return [`${type} ${reason}`];
    if (type.endsWith("compaction_end")) {
      const outcome = result ? "done" : aborted ? "aborted" : `failed: ${errorMessage}`;
      return [`${type} ${reason} ${outcome}${willRetry ? ", will retry" : ""}`];
    }
    if (type === "message_end") return [describeMessage(record.message as never).slice(0, 30)];
    if (type === "response") return [`response ${record.command} ${record.success}`];
    return ["agent_start", "agent_end", "agent_settled", "turn_start"].includes(type) ? [type] : [];
  });
}

describe("compact", () => {
  test("summarises with the instructions, tells the outcome twice, and the context begins with it; get_entries has everything", async () => {
    const { server, rpc } = await startLong();
    const before = (await rpc.ask({ type: "get_entries" })).entries as { id: string }[];
    const from = rpc.records.length;
    server.respond(summary());
    const data = await rpc.ask({ type: "compact", customInstructions: "Mind the numbers." });
    expect(Object.keys(data).sort()).toEqual(
      ["details", "estimatedTokensAfter", "firstKeptEntryId", "summary", "tokensBefore", "usage"].sort(),
    );
    expect(data).toMatchObject({ summary: expect.stringContaining("What was said."), usage: { input: 100, totalTokens: 105 } });
    expect(before.map(({ id }) => id)).toContain(data.firstKeptEntryId);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Mind the numbers.");
    expect(rpc.records.slice(from)).toEqual([
      { type: "compaction_start", reason: "manual" },
      { type: "compaction_end", reason: "manual", result: data, aborted: false, willRetry: false },
      expect.objectContaining({ type: "response", command: "compact" }),
    ]);
    const { messages } = await rpc.ask({ type: "get_messages" });
    expect((messages as unknown[])[0]).toMatchObject({ role: "compactionSummary", summary: data.summary });
    expect(await rpc.state()).toMatchObject({ messageCount: (messages as unknown[]).length, isCompacting: false });
    const after = (await rpc.ask({ type: "get_entries" })).entries as { type: string }[];
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ type: "compaction", firstKeptEntryId: data.firstKeptEntryId });
    expect(await rpc.ask({ type: "get_session_stats" })).toMatchObject({
      userMessages: 3,
      assistantMessages: 3,
      contextUsage: { tokens: null, contextWindow, percent: null },
    });
  });

  test("CP-006 with nothing to compact is refused; no model is asked and nothing is told", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script({ text: "A" }, { text: "Summary." }, { text: "B" })]);
    const refusal = { command: "compact", success: false, error: expect.stringMatching(/nothing to compact/i) };
    for (const customInstructions of [undefined, null, "x"]) {
      expect(await rpc.request({ type: "compact", customInstructions })).toMatchObject(refusal);
    }
    await rpc.promptAndWait("Hi");
    expect(await rpc.request({ type: "compact", customInstructions: 5 })).toMatchObject({
      error: expect.stringContaining('"customInstructions" must be a string'),
    });
    expect(rpc.records.filter(({ type }) => type.includes("compaction"))).toEqual([]);
    // One short prompt that was answered is enough, and one compaction is.
    expect(await rpc.ask({ type: "compact" })).toMatchObject({ summary: "Summary." });
    expect(outline(rpc.records).slice(-3)).toEqual([
      ...["compaction_start manual", "compaction_end manual done", "response compact true"],
    ]);
    expect(await rpc.request({ type: "compact" })).toMatchObject(refusal);
    await rpc.promptAndWait("Go on");
    const { messages } = await rpc.ask({ type: "get_messages" });
    expect((messages as { role: string }[]).map(({ role }) => role)).toEqual(["compactionSummary", "user", "assistant"]);
  });

  test("CP-015 abort ends it: both are answered, the conversation is as it was", async () => {
    const { server, rpc } = await startLong();
    const before = await rpc.ask({ type: "get_messages" });
    const from = rpc.records.length;
    server.respond({ ...anthropic.text("x"), steps: [keepOpen] });
    rpc.send({ id: "c", type: "compact" });
    await rpc.waitFor({ type: "compaction_start" });
    expect(await rpc.state()).toMatchObject({ isCompacting: true, isStreaming: false });
    await rpc.request({ type: "abort" });
    expect(await rpc.waitFor({ id: "c" })).toMatchObject({ success: false, error: expect.stringContaining("aborted") });
    expect(outline(rpc.records.slice(from))).toEqual([
      ...["compaction_start manual", "response get_state true", "compaction_end manual aborted"],
      ...["response compact false", "response abort true"],
    ]);
    expect(await rpc.ask({ type: "get_messages" })).toEqual(before);
    expect(await rpc.state()).toMatchObject({ isCompacting: false });
    expect((await workspace.sessionLines()).filter(({ type }) => type === "compaction")).toEqual([]);
  });

  test("abort right behind it in the same write stops it, also one that has not begun", async () => {
    const { rpc } = await startLong();
    const asked = rpc.records.length;
    rpc.send({ id: "c", type: "compact" }, { id: "a", type: "abort" });
    expect(await rpc.waitFor({ id: "c" })).toMatchObject({ success: false, error: expect.stringContaining("aborted") });
    expect(await rpc.waitFor({ id: "a" })).toMatchObject({ success: true });
    expect(rpc.records.slice(asked).filter(({ type, result }) => type === "compaction_end" && result !== null)).toEqual([]);
  });

  test("CP-014 a prompt during it is accepted and stored, and runs when it has ended; a second compact is refused", async () => {
    const { server, rpc } = await startLong();
    const held = heldSummary();
    server.respond(held.responder, anthropic.text("Later.", small));
    const from = rpc.records.length;
    rpc.send({ id: "c", type: "compact" });
    await rpc.waitFor({ type: "compaction_start" });
    await rpc.request({ type: "prompt", message: "Next" });
    expect(await rpc.state()).toMatchObject({ isStreaming: true, isCompacting: true });
    expect((await workspace.sessionLines()).at(-1)).toMatchObject({ message: { content: "Next" } });
    held.go();
    await rpc.waitFor({ type: "agent_settled" }, from);
    expect(outline(rpc.records.slice(from))).toEqual([
      ...["compaction_start manual", "response prompt true", "response get_state true"],
      ...["compaction_end manual done", "response compact true"],
      ...["agent_start", "turn_start", "user: Next", "assistant: Later.", "agent_end", "agent_settled"],
    ]);
  });

  test("CP-014 a second compact during it is refused, and the first goes on", async () => {
    const { server, rpc } = await startLong();
    const held = heldSummary();
    server.respond(held.responder);
    rpc.send({ id: "c", type: "compact" });
    await rpc.waitFor({ type: "compaction_start" });
    expect(await rpc.request({ type: "compact" })).toMatchObject({ success: false, error: expect.stringContaining("already") });
    held.go();
    expect(await rpc.waitFor({ id: "c" })).toMatchObject({ success: true });
    expect(rpc.records.filter(({ type }) => type.includes("compaction"))).toHaveLength(2);
  });

  test("CP-015 a run that is going is aborted first", async () => {
    const { server, rpc } = await startLong();
    server.respond({ ...anthropic.text("x"), steps: [keepOpen] }, summary());
    await rpc.request({ type: "prompt", message: "Work" });
    await server.nextRequest();
    const from = rpc.records.length;
    await rpc.ask({ type: "compact" });
    const told = outline(rpc.records.slice(from));
    expect(told.slice(told.indexOf("agent_end"))).toEqual([
      ...["agent_end", "agent_settled", "compaction_start manual", "compaction_end manual done", "response compact true"],
    ]);
  });

  test("CP-010 a summary that fails is an error with the reason; nothing is changed", async () => {
    const { server, rpc } = await startLong();
    const before = await rpc.ask({ type: "get_messages" });
    server.respond(anthropic.error(400, "no summaries today"));
    const response = await rpc.request({ type: "compact" });
    expect(response).toMatchObject({ success: false, error: expect.stringContaining("no summaries today") });
    expect(rpc.records.find(({ type }) => type === "compaction_end")).toMatchObject({
      result: null,
      aborted: false,
      willRetry: false,
    });
    expect(await rpc.ask({ type: "get_messages" })).toEqual(before);
  });

  test("the end of stdin ends it, and it is answered", async () => {
    const { server, rpc } = await startLong();
    server.respond({ ...anthropic.text("x"), steps: [keepOpen] });
    rpc.send({ id: "c", type: "compact" });
    await rpc.waitFor({ type: "compaction_start" });
    expect(await rpc.end()).toBe(0);
    expect(rpc.records.find(({ id }) => id === "c")).toMatchObject({ success: false });
    expect(rpc.records.find(({ type }) => type === "compaction_end")).toMatchObject({ aborted: true });
  });
});

describe("automatic", () => {
  /** An answer that says that the window is nearly full. */
  const full = anthropic.text("Full.", { usage: { input: 35_000, output: 5 } });

  test("CP-013 past the threshold, between agent_end and agent_settled, and never as a manual one", async () => {
    const { server, rpc } = await startLong();
    server.respond(full, summary());
    const records = await rpc.promptAndWait("Go");
    expect(outline(records)).toEqual([
      ...["response prompt true", "agent_start", "turn_start", "user: Go", "assistant: Full.", "agent_end"],
      ...["auto_compaction_start threshold", "auto_compaction_end threshold done", "agent_settled"],
    ]);
    expect(records.find(({ type }) => type === "auto_compaction_end")).toEqual({
      type: "auto_compaction_end",
      reason: "threshold",
      result: expect.objectContaining({ summary: expect.stringContaining("What was said."), tokensBefore: expect.any(Number) }),
      aborted: false,
      willRetry: false,
    });
    expect(rolesIn(await workspace.sessionLines())).toHaveLength(8);
  });

  test("CP-014 a follow-up that is queued during it is delivered when it ends", async () => {
    const { server, rpc } = await startLong();
    const held = heldSummary();
    server.respond(full, held.responder, anthropic.text("Followed.", small));
    await rpc.request({ type: "prompt", message: "Go" });
    const from = rpc.records.length;
    await rpc.waitFor({ type: "auto_compaction_start" }, from);
    expect(await rpc.state()).toMatchObject({ isStreaming: true, isCompacting: true });
    await rpc.ask({ type: "follow_up", message: "More" });
    held.go();
    await rpc.waitFor({ type: "agent_settled" }, from);
    const told = outline(rpc.records.slice(from));
    expect(told.slice(told.indexOf("auto_compaction_end threshold done"))).toEqual([
      ...["auto_compaction_end threshold done", "agent_start", "turn_start", "user: More", "assistant: Followed."],
      ...["agent_end", "agent_settled"],
    ]);
    expect(told.filter((line) => line === "agent_settled")).toHaveLength(1);
    expect(await rpc.state()).toMatchObject({ queuedMessageCount: 0, isStreaming: false });
  });

  test("CP-011 an overflow is compacted and asked again in the same run", async () => {
    const { server, rpc } = await startLong();
    const overflow = `prompt is too long: ${contextWindow + 1} tokens > ${contextWindow} maximum`;
    // A summary of what is too long may take more than one request.
    const either: Responder = ({ body }) => anthropic.text(isSummary(body) ? "What was said." : "Fits.", small);
    server.respond(anthropic.error(400, overflow, { type: "invalid_request_error" }), either, either, either);
    const records = await rpc.promptAndWait("Go");
    expect(outline(records)).toEqual([
      ...["response prompt true", "agent_start", "turn_start", "user: Go", expect.stringMatching(/^assistant:.* \[error\]$/)],
      ...["auto_compaction_start overflow", "auto_compaction_end overflow done, will retry"],
      ...["turn_start", "assistant: Fits.", "agent_end", "agent_settled"],
    ]);
    const { messages } = records.find(({ type }) => type === "agent_end") as WireRecord;
    expect(messages).toMatchObject([{ role: "user" }, { stopReason: "error" }, { stopReason: "stop" }]);
  });

  test("CP-015 RP-008 abort ends one that is going, and the run settles", async () => {
    const { server, rpc } = await startLong();
    server.respond(full, { ...anthropic.text("x"), steps: [keepOpen] });
    await rpc.request({ type: "prompt", message: "Go" });
    const from = rpc.records.length;
    await rpc.waitFor({ type: "auto_compaction_start" }, from);
    await rpc.request({ type: "abort" });
    expect(outline(rpc.records).slice(-4)).toEqual([
      ...["auto_compaction_start threshold", "auto_compaction_end threshold aborted", "agent_settled", "response abort true"],
    ]);
    expect(await rpc.state()).toMatchObject({ isStreaming: false, isCompacting: false });
  });

  test("set_auto_compaction turns it off and on, and get_state tells", async () => {
    const { server, rpc } = await startLong();
    expect(await rpc.state()).toMatchObject({ autoCompactionEnabled: true });
    expect(await rpc.request({ type: "set_auto_compaction", enabled: false })).toEqual({
      id: expect.any(String),
      type: "response",
      command: "set_auto_compaction",
      success: true,
    });
    expect(await rpc.state()).toMatchObject({ autoCompactionEnabled: false });
    server.respond(full);
    await rpc.promptAndWait("Go");
    expect(rpc.records.filter(({ type }) => type.includes("compaction"))).toEqual([]);
    expect(await rpc.ask({ type: "get_session_stats" })).toMatchObject({
      contextUsage: { tokens: 35_005, contextWindow, percent: (100 * 35_005) / contextWindow },
    });
    await rpc.ask({ type: "set_auto_compaction", enabled: true });
    server.respond(summary(), anthropic.text("Done.", small));
    const records = await rpc.promptAndWait("Again");
    expect(outline(records).slice(1, 4)).toEqual([
      ...["auto_compaction_start threshold", "auto_compaction_end threshold done", "agent_start"],
    ]);
    expect(await rpc.request({ type: "set_auto_compaction", enabled: "no" })).toMatchObject({
      success: false,
      error: expect.stringContaining('"enabled" must be a boolean'),
    });
  });
});
