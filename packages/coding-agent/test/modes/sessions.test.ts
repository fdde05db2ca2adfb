import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments, runCli } from "../helpers/cli.ts";
import type { WireRecord } from "../helpers/rpc-process.ts";
import { expectSubsequence } from "../helpers/subsequence.ts";
import { isInstalled } from "../helpers/terminal.ts";
import { readLines, rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const text = (each: string) => ({ text: each });

function parse(stdout: string): WireRecord[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as WireRecord);
}

const json = (...args: string[]) => runCli(workspace, ["--mode", "json", ...args]);
const print = (...args: string[]) => runCli(workspace, ["-p", ...args]);

describe("JSON mode", () => {
  test("--continue goes on with the latest session: the same header, the messages in front; a name is told of", async () => {
    const first = parse((await json("--model", await workspace.script(text("One")), "a")).stdout);
    const second = await json("--continue", "--name", "kept", "--model", await workspace.script(text("Two")), "b");
    const [header, ...events] = parse(second.stdout);
    expect(header).toEqual(first[0]);
    expect(events.find(({ type }) => type === "agent_end")?.messages).toMatchObject([{ content: "b" }, { role: "assistant" }]);
    const lines = await workspace.sessionLines();
    expect(rolesIn(lines)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(lines.filter(({ type }) => type === "session_info")).toMatchObject([{ name: "kept" }]);
    expect(second).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("--fork goes on in a copy whose header names the source, which stays as it was", async () => {
    await print("--model", await workspace.script(text("One")), "a");
    const [source = ""] = await workspace.sessionFiles();
    const before = await readFile(source, "utf8");
    const forked = await json("--fork", source, "--model", await workspace.script(text("Two")), "b");
    const [header] = parse(forked.stdout);
    expect(header).toMatchObject({ type: "session", version: 3, parentSession: source, cwd: workspace.cwd });
    expect(await readFile(source, "utf8")).toBe(before);
    const copy = (await workspace.sessionFiles()).find((file) => file !== source);
    expect(rolesIn(await readLines(String(copy)))).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("--session-id begins a session and goes on with it; --no-session leaves nothing", async () => {
    for (const word of ["One", "Two"]) {
      const [header] = parse((await json("--session-id", "job-1", "--model", await workspace.script(text(word)), word)).stdout);
      expect(header).toMatchObject({ id: "job-1" });
    }
    expect(rolesIn(await workspace.sessionLines())).toHaveLength(4);
    const none = await json("--no-session", "--model", await workspace.script(text("Three")), "c");
    expect(parse(none.stdout)[0]).toMatchObject({ type: "session", cwd: workspace.cwd });
    expect(await workspace.sessionFiles()).toHaveLength(1);
  });

  test.each([
    ["--session", "ffffffff", 1],
    ["--fork", "none.jsonl", 1],
    ["--session-id", "a/b", 2],
  ])("%s %s ends with one line on stderr, nothing on stdout and exit code %i", async (option, value, exitCode) => {
    const given = value.endsWith(".jsonl") ? join(workspace.root, value) : value;
    const result = await json(option, given, "--model", "demo/tour", "Hi");
    expect(result).toMatchObject({ exitCode, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(await workspace.sessionFiles()).toEqual([]);
  });

  test("two options that choose a session exclude each other", async () => {
    expect(await json("--continue", "--fork", "x", "--model", "demo/tour", "Hi")).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test.skipIf(!isInstalled("jq"))("its document's pipeline through jq gives the whole messages, a line each", async () => {
    const script = await workspace.script(
      { text: "Let me\u2028look.", toolCalls: [{ name: "bash", arguments: { command: "echo noise >&2; ls" } }] },
      text("An empty folder."),
    );
    const pi = [process.execPath, ...cliArguments].map((part) => `'${part}'`).join(" ");
    const pipeline = `${pi} --mode json --model '${script}' "List files" 2>/dev/null | jq -c 'select(.type == "message_end")'`;
    const child = spawn("sh", ["-c", pipeline], {
      cwd: workspace.cwd,
      env: cleanEnvironment(workspace),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    const messages = parse(stdout).map(({ message }) => message as { role: string; content: unknown });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(messages[1]?.content).toMatchObject([{ type: "text", text: "Let me\u2028look." }, { type: "toolCall" }]);
  });

  test("its document's output is a part of ours, in order", async () => {
    const { stdout } = await json(
      "--model",
      await workspace.script({ text: "Hello there", deltas: ["Hello", " there"], delayMs: 5 }),
      "Hi",
    );
    const assistant = { role: "assistant" };
    const printed = [
      { type: "session", version: 3, id: expect.any(String), timestamp: expect.any(String), cwd: workspace.cwd },
      { type: "agent_start" },
      { type: "turn_start" },
      { type: "message_start", message: { ...assistant, content: [] } },
      { type: "message_update", message: assistant, assistantMessageEvent: { type: "text_delta", delta: "Hello" } },
      { type: "message_end", message: assistant },
      { type: "turn_end", message: assistant, toolResults: [] },
      { type: "agent_end", messages: [{}, assistant] },
    ];
    expectSubsequence(parse(stdout), printed);
  });
});

describe("print mode", () => {
  test("--continue, --fork and --session go on with what was said", async () => {
    expect(await print("--model", await workspace.script(text("One")), "a")).toMatchObject({ stdout: "One\n", exitCode: 0 });
    const [file = ""] = await workspace.sessionFiles();
    expect(await print("-c", "--model", await workspace.script(text("Two")), "b")).toMatchObject({ stdout: "Two\n", exitCode: 0 });
    expect(await print("--session", file, "--model", await workspace.script(text("Three")), "c")).toMatchObject({
      stdout: "Three\n",
    });
    expect(rolesIn(await readLines(file))).toHaveLength(6);
    expect(await print("--fork", file, "--model", await workspace.script(text("Four")), "d")).toMatchObject({ stdout: "Four\n" });
    expect(rolesIn(await readLines(file))).toHaveLength(6);
    expect(await workspace.sessionFiles()).toHaveLength(2);
  });

  test("exit code 1 when the last answer failed, whatever the session is; what was said is kept", async () => {
    await print("--model", await workspace.script(text("One")), "a");
    const failing = await workspace.script({ error: { status: 400, message: "not today" } });
    const failed = await print("-c", "--model", failing, "b");
    expect(failed).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]*not today[^\n]*\n$/) });
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "user", "assistant"]);
    expect(await print("-c", "--model", await workspace.script(text("Two")), "c")).toMatchObject({ stdout: "Two\n", exitCode: 0 });
  });
});
