import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments, runCli, spawnCli } from "../helpers/cli.ts";
import { findViolations } from "../helpers/outgoing.ts";
import { expectProcessGone, readPid } from "../helpers/processes.ts";
import type { WireRecord } from "../helpers/rpc-process.ts";
import { isInstalled } from "../helpers/terminal.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

function parse(stdout: string): WireRecord[] {
  const lines = stdout.split("\n");
  expect(lines.pop()).toBe("");
  const records = lines.map((line) => JSON.parse(line) as WireRecord);
  expect(records.flatMap(findViolations)).toEqual([]);
  return records;
}

const hello = { text: "Hello there." };

describe("RP-019 JSON mode", () => {
  test("prints the header of the session file, then the events; the last answer's is exit code 0", async () => {
    const { stdout, stderr, exitCode } = await runCli(workspace, [
      "--mode",
      "json",
      "--model",
      await workspace.script(hello),
      "Hi",
    ]);
    const [header, ...events] = parse(stdout);
    expect(header).toEqual((await workspace.sessionLines())[0]);
    expect(header).toMatchObject({ type: "session", version: 3, cwd: workspace.cwd });
    expect(events.map(({ type }) => type).filter((type) => type !== "message_update")).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  test("runs several prompts in order; exit code 1 and one line on stderr when the last answer failed", async () => {
    const script = await workspace.script({ error: { status: 400, message: "first" } }, hello, {
      error: { status: 400, message: "last" },
    });
    const good = await runCli(workspace, ["--mode", "json", "--model", script, "--no-session", "one", "two"]);
    expect(parse(good.stdout).filter(({ type }) => type === "agent_start")).toHaveLength(2);
    expect(good).toMatchObject({ exitCode: 0, stderr: "" });
    const bad = await runCli(workspace, ["--mode", "json", "--model", script, "--no-session", "one", "two", "three"]);
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toMatch(/^[^\n]*last[^\n]*\n$/);
    expect(parse(bad.stdout).at(-1)).toEqual({ type: "agent_settled" });
  });

  test.each([[["--print", "--mode", "json"]], [["--mode", "json", "-p"]]])(
    "a program that asks for JSON gets JSON, also with -p: %j",
    async (args) => {
      const { stdout, exitCode } = await runCli(workspace, [...args, "--model", await workspace.script(hello), "Hi"]);
      expect(parse(stdout).map(({ type }) => type)).toEqual(expect.arrayContaining(["session", "agent_start", "agent_settled"]));
      expect(exitCode).toBe(0);
    },
  );

  test("a program that starts it with a prompt and leaves stdin open gets the header at once, and its answer", async () => {
    const child = spawnCli(workspace, ["--mode", "json", "--model", await workspace.script(hello), "Hi"]);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const [first] = await once(child.stdout, "data");
    expect(parse(String(first))).toMatchObject([{ type: "session" }]);
    const rest = await child.stdout.toArray();
    expect(parse(rest.join("")).at(-1)).toEqual({ type: "agent_settled" });
    expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(0);
    expect(stderr).toBe("No data on stdin for 3 s. Continuing without it.\n");
  });

  test("--stream deltas leaves the snapshots out", async () => {
    const script = await workspace.script(hello);
    const { stdout } = await runCli(workspace, ["--mode", "json", "--stream", "deltas", "--model", script, "Hi"]);
    const updates = parse(stdout).filter(({ type }) => type === "message_update");
    expect(updates.length).toBeGreaterThan(1);
    for (const update of updates) expect(update).not.toHaveProperty("message");
  });

  test("everything reaches a slow pipe before the process ends", async () => {
    const script = await workspace.script({ text: "0123456789 ".repeat(200_000), deltas: 200 });
    const child = spawnCli(workspace, ["--mode", "json", "--model", script, "--no-session", "Talk"]);
    child.stdin.end();
    child.stderr.resume();
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) {
      chunks.push(chunk as Buffer);
      // no race: a slow reader; it may take as long as it likes.
      if (chunks.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const records = parse(Buffer.concat(chunks).toString());
    expect(records.at(-1)).toEqual({ type: "agent_settled" });
    expect(JSON.stringify(records.at(-2)).length).toBeGreaterThan(2_000_000);
  });

  test.skipIf(!isInstalled("python3"))("RP-010 a terminal that is non-blocking and full gets everything", async () => {
    const script = await workspace.script({ text: "0123456789 ".repeat(4000), deltas: 10 });
    const fixture = fileURLToPath(new URL("../fixtures/slow-terminal.py", import.meta.url));
    const { stdout } = await promisify(execFile)(
      "python3",
      [fixture, process.execPath, ...cliArguments, "--mode", "json", "--no-session", "--model", script, "Talk"],
      { cwd: workspace.cwd, env: cleanEnvironment(workspace), maxBuffer: 100_000_000 },
    );
    const records = parse(stdout);
    expect(records.at(-1)).toEqual({ type: "agent_settled" });
    expect(records.at(-2)).toMatchObject({ messages: [{}, { content: [{ text: "0123456789 ".repeat(4000) }] }] });
  });

  test("RP-011 a reader that goes away ends it quietly; a second prompt is not begun", async () => {
    const script = await workspace.script(
      { text: "word ".repeat(5000), delayMs: 20 },
      { toolCalls: [{ name: "bash", arguments: { command: "touch second" } }] },
    );
    const child = spawnCli(workspace, ["--mode", "json", "--model", script, "one", "two"]);
    child.stdin.end();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [exitCode] = await once(child, "close");
    expect(exitCode).toBe(1);
    expect(stderr).toBe("");
    expect((await workspace.sessionLines()).filter(({ message }) => message?.role === "user")).toHaveLength(1);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s exits %i when the session is saved and the processes are ended", async (signal, exitCode) => {
    const script = await workspace.script(
      { toolCalls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] },
      hello,
    );
    const child = spawnCli(workspace, ["--mode", "json", "--model", script, "Work"]);
    child.stdin.end();
    child.stdout.resume();
    const closed = once(child, "close");
    const pid = await readPid(`${workspace.cwd}/pid`);
    child.kill(signal);
    expect((await closed)[0]).toBe(exitCode);
    await expectProcessGone(pid);
    expect((await workspace.sessionLines()).slice(-2)).toMatchObject([
      { message: { role: "toolResult", isError: true } },
      { message: { role: "assistant", stopReason: "aborted", content: [] } },
    ]);
  });

  test("without a key: one sentence, nothing on stdout but a header at most", async () => {
    const { stdout, stderr, exitCode } = await runCli(workspace, ["--mode", "json", "--provider", "openai", "Hi"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^No API key for openai: set OPENAI_API_KEY[^\n]*\n$/);
    expect(stdout).not.toContain("agent_start");
    expect(await workspace.sessionFiles()).toEqual([]);
  });
});
