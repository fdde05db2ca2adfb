import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { expectSubsequence } from "../../helpers/subsequence.ts";
import { isInstalled } from "../../helpers/terminal.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

/**
 * The example session of the first protocol, as its document prints it; what it leaves out (`...`) is left out. Ours may have more
 * records between these, and more fields in them.
 */
const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const prompt = { role: "user", content: "List files in the current directory", timestamp: expect.any(Number) };
const answer = { role: "assistant", api: "scripted", provider: "script", model: expect.any(String) };
const call = { type: "toolCall", id: expect.any(String), name: "bash", arguments: { command: "ls" } };
const result = {
  role: "toolResult",
  toolCallId: expect.any(String),
  toolName: "bash",
  content: [{ type: "text", text: "notes.txt\n" }],
  isError: false,
  timestamp: expect.any(Number),
};
const firstAnswer = { ...answer, content: [{ type: "text", text: "I'll list the files for you." }, call], stopReason: "toolUse" };
const lastAnswer = { ...answer, content: [{ type: "text", text: "Here are the files" }], stopReason: "stop" };

const transcript = [
  { type: "agent_start" },
  { type: "turn_start" },
  { type: "message_start", message: prompt },
  { type: "message_end", message: prompt },
  { type: "message_start", message: { ...answer, content: [], usage, stopReason: "stop", timestamp: expect.any(Number) } },
  { type: "message_update", message: answer, assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "I'll list" } },
  { type: "message_update", message: answer, assistantMessageEvent: { type: "toolcall_start", contentIndex: 1, partial: answer } },
  {
    type: "message_update",
    message: answer,
    assistantMessageEvent: { type: "toolcall_end", contentIndex: 1, toolCall: call, partial: answer },
  },
  { type: "message_end", message: firstAnswer },
  { type: "tool_execution_start", toolCallId: expect.any(String), toolName: "bash", args: { command: "ls" } },
  { type: "tool_execution_end", toolName: "bash", result: { content: [{ type: "text", text: "notes.txt\n" }] }, isError: false },
  { type: "message_start", message: result },
  { type: "message_end", message: result },
  { type: "turn_end", message: firstAnswer, toolResults: [result] },
  { type: "turn_start" },
  { type: "message_start", message: { ...answer, content: [] } },
  {
    type: "message_update",
    message: answer,
    assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "Here are the files" },
  },
  { type: "message_end", message: lastAnswer },
  { type: "turn_end", message: lastAnswer, toolResults: [] },
  { type: "agent_end", messages: [prompt, firstAnswer, result, lastAnswer] },
];

const answers = [
  {
    text: "I'll list the files for you.",
    deltas: ["I'll list", " the files for you."],
    toolCalls: [{ name: "bash", arguments: { command: "ls" } }],
  },
  { text: "Here are the files", deltas: 1 },
];

test("the example session of the first protocol is contained in ours, field by field", async () => {
  await workspace.write("work/notes.txt", "x");
  // Deltas that wait for the same write are joined; one at a time they are as the model sent them.
  const script = await workspace.script(...answers.map((answer) => ({ ...answer, delayMs: 5 })));
  const rpc = startRpc(workspace, ["--no-session", "--model", script]);
  rpc.send({ type: "prompt", message: "List files in the current directory" });
  await rpc.waitFor({ type: "agent_end" });
  expectSubsequence(rpc.records, transcript);
});

const pythonClient = `
import json, subprocess, sys
proc = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def send(command):
    proc.stdin.write(json.dumps(command) + "\\n")
    proc.stdin.flush()
send({"type": "prompt", "message": "Hello!"})
for line in proc.stdout:
    event = json.loads(line)
    if event.get("type") == "message_update":
        delta = event.get("assistantMessageEvent", {})
        if delta.get("type") == "text_delta":
            print(delta["delta"], end="", flush=True)
    if event.get("type") == "agent_end":
        print()
        break
proc.stdin.close()
print(proc.wait())
`;

const nodeClient = `
const { spawn } = require("child_process");
const readline = require("readline");
const agent = spawn(process.argv[1], process.argv.slice(2));
readline.createInterface({ input: agent.stdout }).on("line", (line) => {
  const event = JSON.parse(line);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
    process.stdout.write(event.assistantMessageEvent.delta);
  }
  if (event.type === "agent_end") { process.stdout.write("\\n"); agent.stdin.end(); }
});
agent.on("close", (code) => process.stdout.write(code + "\\n"));
agent.stdin.write(JSON.stringify({ type: "prompt", message: "Hello" }) + "\\n");
`;

/** Shows texts and tools, and aborts at Ctrl-C, as the first protocol's client does. */
const interactiveClient = `
const { spawn } = require("child_process");
const readline = require("readline");
const agent = spawn(process.argv[1], process.argv.slice(2));
const pending = new Map();
readline.createInterface({ input: agent.stdout }).on("line", (line) => {
  const event = JSON.parse(line);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
    process.stdout.write(event.assistantMessageEvent.delta);
  }
  if (event.type === "tool_execution_start") {
    pending.set(event.toolCallId, { name: event.toolName, args: event.args });
    console.log("\\n[Tool: " + event.toolName + "]");
  }
  if (event.type === "tool_execution_end") {
    const call = pending.get(event.toolCallId);
    pending.delete(event.toolCallId);
    const text = event.result.content.filter((block) => block.type === "text").map((block) => block.text).join("\\n");
    console.log("$ " + call.args.command + (event.isError ? " failed" : "\\n" + text));
  }
  if (event.type === "turn_end") {
    const calls = event.message.content.filter((block) => block.type === "toolCall");
    console.log(calls.every((call) => event.toolResults.some((result) => result.toolCallId === call.id)) + " " + calls.length);
  }
  if (event.type === "agent_end") { const { role, stopReason } = event.messages.at(-1); console.log(role, stopReason); agent.stdin.end(); }
});
agent.on("close", (code) => console.log(code));
agent.stdin.write(JSON.stringify({ type: "prompt", message: "Hello" }) + "\\n");
process.on("SIGINT", () => agent.stdin.write(JSON.stringify({ type: "abort" }) + "\\n"));
`;

test("a client as the first protocol shows it joins calls with their results, and aborts at Ctrl-C", async () => {
  const bash = (command: string) => ({ toolCalls: [{ name: "bash", arguments: { command } }] });
  const script = await workspace.script({ text: "I look.", ...bash("echo found") }, bash("echo up > up; sleep 60"));
  const args = ["-e", interactiveClient, process.execPath, ...cliArguments, "--mode", "rpc", "--no-session", "--model", script];
  const client = spawn(process.execPath, args, { cwd: workspace.cwd, env: cleanEnvironment(workspace) });
  let stdout = "";
  client.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (stdout.split("[Tool: bash]").length === 3) client.kill("SIGINT");
  });
  await new Promise((resolve) => client.on("close", resolve));
  expect(stdout.split("\n")).toEqual([
    ...["I look.", "[Tool: bash]", "$ echo found", "found", "", "true 1"],
    ...["", "[Tool: bash]", "$ echo up > up; sleep 60 failed", "true 1", "true 0", "assistant aborted", "0", ""],
  ]);
});

const isPrinted = "prints the answer, U+2028 and U+0085 included";

test.skipIf(!isInstalled("python3"))(`a client as the second protocol shows it (Python, text mode) ${isPrinted}`, async () => {
  await expectAnswerPrinted("python3", ["-c", pythonClient]);
});

test(`a client as the second protocol shows it (Node with readline) ${isPrinted}`, async () => {
  await expectAnswerPrinted(process.execPath, ["-e", nodeClient]);
});

async function expectAnswerPrinted(program: string, args: readonly string[]): Promise<void> {
  const text = "One\u2028two\u0085three\r four.";
  const script = await workspace.script({ text, deltas: 3 });
  const { stdout } = await promisify(execFile)(
    program,
    [...args, process.execPath, ...cliArguments, "--mode", "rpc", "--no-session", "--model", script],
    { cwd: workspace.cwd, env: { ...cleanEnvironment(workspace), PATH: process.env.PATH } },
  );
  expect(stdout).toBe(`${text}\n0\n`);
}
