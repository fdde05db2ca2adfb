import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type RpcProcess, resultText, startRpc, startSource, type WireRecord } from "../../helpers/rpc-process.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const bash = (command: string) => ({ toolCalls: [{ name: "bash", arguments: { command } }] });
const done = { text: "Done." };
const exists = (name: string) =>
  access(join(workspace.cwd, name)).then(
    () => true,
    () => false,
  );
const endOf = (records: readonly WireRecord[]) => records.findLast(({ type }) => type === "tool_execution_end");

describe("approvals ask through confirm", () => {
  async function startAsking(...args: string[]): Promise<{ rpc: RpcProcess; question: WireRecord }> {
    const script = await workspace.script(bash("touch made"), done, bash("touch again"), done);
    const rpc = startRpc(workspace, ["--approval", "always", "--model", script, ...args]);
    await rpc.request({ type: "prompt", message: "Go" });
    return { rpc, question: await rpc.waitFor({ type: "extension_ui_request" }) };
  }

  test("with a yes the call runs", async () => {
    const { rpc, question } = await startAsking();
    expect(question).toEqual({
      ...{ type: "extension_ui_request", id: expect.any(String), method: "confirm", timeout: 600_000 },
      ...{ title: expect.any(String), message: expect.stringContaining("touch made") },
      approval: {
        toolCallId: expect.any(String),
        ...{ reasons: "", call: "touch made", isDiff: false, rule: "bash(touch made)" },
        answers: ["once", "no", "session", "never", "always", "forbid"],
        ruleFile: "~/agent/settings.json",
      },
    });
    expect(await exists("made")).toBe(false);
    expect(await rpc.state()).toMatchObject({ isStreaming: true });
    rpc.send({ type: "extension_ui_response", id: question.id, confirmed: true });
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc.records)).toMatchObject({ isError: false });
    expect(await exists("made")).toBe(true);
    expect(rpc.records.filter(({ type }) => type === "response")).toHaveLength(2);
  });

  test.each([
    ["a no", { confirmed: false }],
    ["a cancel", { cancelled: true }],
    ["a cancel beside a yes", { cancelled: true, confirmed: true }],
    ["a mistyped answer", { confirmed: "yes" }],
    ["an answer of another dialog", { value: "yes" }],
    ["an empty answer", {}],
  ])("with %s it does not, and the model is told", async (_name, answer) => {
    const { rpc, question } = await startAsking();
    rpc.send({ type: "extension_ui_response", id: question.id, ...answer });
    await rpc.waitFor({ type: "agent_settled" });
    expect(endOf(rpc.records)).toMatchObject({ isError: true });
    expect(resultText(endOf(rpc.records))).toContain("declined");
    expect(await exists("made")).toBe(false);
    expect(await rpc.ask({ type: "get_last_assistant_text" })).toEqual({ text: "Done." });
  });

  test("an answer for the session holds until it ends, one for always is also in the settings, and a no has a reason", async () => {
    const calls = [bash("touch a"), bash("touch a"), bash("touch b"), bash("touch c"), bash("touch c"), bash("touch d"), done];
    const rpc = startRpc(workspace, ["--approval", "always", "--model", await workspace.script(...calls)]);
    const answers = [
      { value: "session" },
      { value: "always" },
      { value: "forbid", reason: "Not c." },
      { value: "no", reason: "Not d." },
    ];
    await rpc.request({ type: "prompt", message: "Go" });
    let from = 0;
    for (const answer of answers) {
      const question = await rpc.waitFor({ type: "extension_ui_request" }, from);
      from = rpc.records.indexOf(question) + 1;
      rpc.send({ type: "extension_ui_response", id: question.id, ...answer });
    }
    await rpc.waitFor({ type: "agent_settled" });
    const asked = rpc.records.filter(({ type }) => type === "extension_ui_request");
    expect(asked.map(({ approval }) => (approval as { call: string }).call)).toEqual(["touch a", "touch b", "touch c", "touch d"]);
    const ends = rpc.records.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map((end) => (end.isError === true ? resultText(end) : ""))).toEqual([
      ...["", "", ""],
      "Not run: the user was asked and declined, with this reason: Not c.",
      expect.stringContaining("the user's rules refuse it (deny: bash(touch c))"),
      "Not run: the user was asked and declined, with this reason: Not d.",
    ]);
    expect(JSON.parse(await readFile(join(workspace.agentDir, "settings.json"), "utf8"))).toEqual({
      approvalRules: { allow: ["bash(touch b)"], deny: ["bash(touch c)"] },
    });
  });

  test("unknown, late and repeated answers are passed over", async () => {
    const { rpc, question } = await startAsking();
    for (const id of ["ui_99", 1, null, "__proto__"]) rpc.send({ type: "extension_ui_response", id, confirmed: true });
    rpc.send({ type: "extension_ui_response", confirmed: true });
    expect(await rpc.state()).toMatchObject({ isStreaming: true });
    rpc.send(
      { type: "extension_ui_response", id: question.id, confirmed: false },
      { type: "extension_ui_response", id: question.id, confirmed: true },
    );
    await rpc.waitFor({ type: "agent_settled" });
    rpc.send({ type: "extension_ui_response", id: question.id, confirmed: true });
    await rpc.state();
    expect(await exists("made")).toBe(false);
    // The next question is another one.
    await rpc.request({ type: "prompt", message: "Again" });
    const next = await rpc.waitFor(({ type, id }) => type === "extension_ui_request" && id !== question.id);
    rpc.send({ type: "extension_ui_response", id: next.id, confirmed: true });
    await rpc.waitFor({ type: "agent_settled" }, rpc.records.indexOf(next));
    expect(await exists("again")).toBe(true);
  });

  test("abort closes the question with a no, and the run settles", async () => {
    const { rpc, question } = await startAsking();
    await rpc.request({ type: "abort" });
    expect(rpc.records.at(-2)).toEqual({ type: "agent_settled" });
    expect(endOf(rpc.records)).toMatchObject({ isError: true });
    rpc.send({ type: "extension_ui_response", id: question.id, confirmed: true });
    await rpc.state();
    expect(await exists("made")).toBe(false);
  });

  test("the end of input means no, exit code 0", async () => {
    const { rpc } = await startAsking();
    expect(await rpc.end()).toBe(0);
    expect(endOf(rpc.records)).toMatchObject({ isError: true });
    expect(await exists("made")).toBe(false);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(rpc.stderr).toBe("");
  });

  test("--read-only refuses without asking, and what only looks runs", async () => {
    await workspace.write("work/notes.txt", "secret plans");
    const read = { name: "read", arguments: { path: "notes.txt" } };
    const script = await workspace.script({ toolCalls: [read] }, bash("touch made"), done);
    const rpc = startRpc(workspace, ["--read-only", "--model", script]);
    const records = await rpc.promptAndWait("Go");
    const ends = records.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual([
      ["read", false],
      ["bash", true],
    ]);
    expect(resultText(ends[1])).toContain("read-only");
    expect(records.some(({ type }) => type === "extension_ui_request")).toBe(false);
    expect(await exists("made")).toBe(false);
  });

  test("on-risk asks for what is risky only; never-ask, the default, for nothing", async () => {
    const script = await workspace.script(bash("touch made"), bash("rm -rf made"), done);
    const rpc = startRpc(workspace, ["--approval", "on-risk", "--model", script]);
    await rpc.request({ type: "prompt", message: "Go" });
    const question = await rpc.waitFor({ type: "extension_ui_request" });
    expect(question.message).toContain("rm -rf made");
    expect(await exists("made")).toBe(true);
    rpc.send({ type: "extension_ui_response", id: question.id, confirmed: false });
    await rpc.waitFor({ type: "agent_settled" });
    expect(await exists("made")).toBe(true);
    const trusting = startRpc(workspace, ["--model", script]);
    const records = await trusting.promptAndWait("Go");
    expect(records.some(({ type }) => type === "extension_ui_request")).toBe(false);
    expect(await exists("made")).toBe(false);
  });
});

describe("dialogs of tools and extensions", () => {
  const program = fileURLToPath(new URL("../fixtures/dialog-host.ts", import.meta.url));
  const start = (env: NodeJS.ProcessEnv = {}) => startSource(workspace, program, env);

  const frames = {
    select: { title: "Which?", options: ["red", "green"] },
    confirm: { title: "Sure?", message: "It cannot be undone." },
    input: { title: "Branch name", placeholder: "feature/…" },
    editor: { title: "Message", prefill: "Draft" },
  };
  const cases: [method: keyof typeof frames, answer: object, result: string][] = [
    ["select", { value: "green" }, '"green"'],
    ["select", { value: "blue" }, "undefined"],
    ["select", { value: 5 }, "undefined"],
    ["select", { cancelled: true }, "undefined"],
    ["confirm", { confirmed: true }, "true"],
    ["confirm", { confirmed: 1 }, "false"],
    ["confirm", { cancelled: true }, "false"],
    ["input", { value: "feature/rpc" }, '"feature/rpc"'],
    ["input", { value: "" }, '""'],
    ["input", { value: ["x"] }, "undefined"],
    ["input", { cancelled: true }, "undefined"],
    ["editor", { value: "Line 1\nLine 2" }, '"Line 1\\nLine 2"'],
    ["editor", { confirmed: true }, "undefined"],
  ];

  test("each method has its frame, its answer and its default", async () => {
    const rpc = start();
    for (const [method, answer, expected] of cases) {
      const from = rpc.records.length;
      await rpc.request({ type: "prompt", message: `ask ${method}` });
      const frame = await rpc.waitFor({ type: "extension_ui_request" }, from);
      expect(frame).toEqual({ type: "extension_ui_request", id: expect.any(String), method, ...frames[method] });
      rpc.send({ type: "extension_ui_response", id: frame.id, ...answer });
      await rpc.waitFor({ type: "agent_settled" }, from);
      expect([method, answer, resultText(endOf(rpc.records))]).toEqual([method, answer, expected]);
    }
    expect(new Set(rpc.records.flatMap(({ type, id }) => (type === "extension_ui_request" ? [id] : []))).size).toBe(cases.length);
  });

  test("a timeout resolves each to its default, and says so in the frame", async () => {
    const rpc = start();
    for (const method of Object.keys(frames)) {
      const records = await rpc.promptAndWait(`ask_briefly ${method}`);
      // no race: nobody answers.
      expect(records.find(({ type }) => type === "extension_ui_request")).toMatchObject({ method, timeout: 20 });
      expect(resultText(endOf(records))).toBe(method === "confirm" ? "false" : "undefined");
    }
  });

  test("abort resolves each to its default", async () => {
    const rpc = start();
    for (const method of Object.keys(frames)) {
      const from = rpc.records.length;
      await rpc.request({ type: "prompt", message: `ask ${method}` });
      await rpc.waitFor({ type: "extension_ui_request" }, from);
      await rpc.request({ type: "abort" });
      expect(rpc.records.slice(from).filter(({ type }) => type === "agent_settled")).toHaveLength(1);
    }
  });

  test("what only tells has frames without an answer; titles are told to those that ask for them", async () => {
    const told = (records: WireRecord[]) =>
      records.flatMap(({ type, id, ...frame }) => (type === "extension_ui_request" && typeof id === "string" ? [frame] : []));
    const title = { method: "setTitle", title: "Work" };
    const expected = [
      { method: "notify", message: "Built." },
      { method: "notify", message: "Careful.", notifyType: "warning" },
      { method: "setStatus", statusKey: "build", statusText: "running" },
      { method: "setStatus", statusKey: "build" },
      { method: "setWidget", widgetKey: "plan", widgetLines: ["one", "two"], widgetPlacement: "belowEditor" },
      { method: "setWidget", widgetKey: "plan" },
      title,
      { method: "set_editor_text", text: "Next prompt" },
    ];
    expect(told(await start({ PI_RPC_EMIT_TITLE: "1" }).promptAndWait("tell"))).toEqual(expected);
    expect(told(await start().promptAndWait("tell"))).toEqual(expected.filter((frame) => frame !== title));
  });
});
