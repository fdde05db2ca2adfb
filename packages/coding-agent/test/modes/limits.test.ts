import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { runTextMode } from "../../src/modes/text.ts";
import { runCli, spawnCli } from "../helpers/cli.ts";
import { findViolations } from "../helpers/outgoing.ts";
import { expectProcessGone, readPid } from "../helpers/processes.ts";
import { startRpc, type WireRecord } from "../helpers/rpc-process.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { story } from "../helpers/story.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const work = (command: string) => ({ text: "I look.", toolCalls: [{ name: "bash", arguments: { command } }] });
const turnsLimit = "Stopped: the run reached its limit --max-turns.\n";

function parse(stdout: string): WireRecord[] {
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as WireRecord);
  expect(records.flatMap(findViolations)).toEqual([]);
  return records;
}

describe("print and text mode", () => {
  test.each([[["-p"]], [[]]])("arguments %j: a limit is one line on stderr, and exit code 1", async (args) => {
    const script = await workspace.script(work("echo 1"), work("echo 2"), { text: "Never" });
    const { stdout, stderr, exitCode } = await runCli(workspace, [...args, "--model", script, "--max-turns", "2", "Work"]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    if (args.length > 0) expect(stderr).toBe(turnsLimit);
    else expect(stderr.endsWith(`✓ 2\n${turnsLimit}`)).toBe(true);
  });

  test("on a terminal the work is shown, then why it stopped", async () => {
    const { session } = await createScriptedSession(workspace, [work("echo 1")], { limits: { maxTurns: 1 } });
    const stdout: string[] = [];
    const stderr: string[] = [];
    const streams = {
      stdout: { isTTY: true, write: (text: string) => stdout.push(text) },
      stderr: { write: (text: string) => stderr.push(text) },
    };
    expect(await runTextMode(session, Promise.resolve([{ text: "Work" }]), streams)).toBe(1);
    expect(stdout.join("")).toBe("I look.\n");
    expect(stderr.join("")).toBe(`▸ bash {"command":"echo 1"}\n  ✓ 1\n${turnsLimit}`);
  });

  test("each prompt has its own limit, and the last run decides the exit code", async () => {
    const script = await workspace.script(work("echo 1"), work("echo 2"), { text: "Fine." });
    const args = ["-p", "--model", script, "--max-turns", "2"];
    expect(await runCli(workspace, [...args, "one", "two"])).toEqual({ stdout: "Fine.\n", stderr: turnsLimit, exitCode: 0 });
  });

  test("a limit that is not reached changes nothing, however large it is", async () => {
    const script = await workspace.script(work("echo 1"), { text: "Done." });
    const limits = ["--max-turns", "2", "--max-tool-calls", "1", "--max-time", "9999999", "--max-cost", "1"];
    expect(await runCli(workspace, ["-p", "--model", script, ...limits, "Work"])).toEqual({
      stdout: "Done.\n",
      stderr: "",
      exitCode: 0,
    });
  });

  test("a limit that is no number is one line on stderr, exit code 2, and nothing runs", async () => {
    const result = await runCli(workspace, ["-p", "--model", "demo/tour", "--max-time", "soon", "Work"]);
    expect(result).toEqual({ stdout: "", stderr: '--max-time must be a number of at least 0, but is "soon".\n', exitCode: 2 });
    expect(await workspace.sessionFiles()).toEqual([]);
  });
});

describe("JSON mode", () => {
  test.each([
    ["--max-turns", "1", work("echo 1"), "limit max-turns 1"],
    ["--max-tool-calls", "0", work("touch ran"), "limit max-tool-calls 0"],
    ["--max-cost", "0", work("echo 1"), "limit max-cost 0"],
  ])("%s %s: limit_reached before agent_end, one line on stderr, exit code 1", async (option, value, answer, line) => {
    const script = await workspace.script(answer, { text: "Never" });
    const { stdout, stderr, exitCode } = await runCli(workspace, [...["--mode", "json", "--model", script, option, value, "Work"]]);
    expect(story(parse(stdout)).slice(-4)).toEqual(["turn_end", line, "agent_end", "agent_settled"]);
    expect(stderr).toBe(`Stopped: the run reached its limit ${option}.\n`);
    expect(exitCode).toBe(1);
  });

  test("--max-time: the command that runs is killed, the session is saved, exit code 1", async () => {
    const script = await workspace.script(work("echo $$ > pid; sleep 60"), { text: "Never" });
    const held = new URL("../helpers/held-timers.mjs", import.meta.url);
    const child = spawnCli(workspace, ["--mode", "json", "--model", script, "--max-time", "3600", "Work"], {
      env: { NODE_OPTIONS: `--import=${held.href}` },
    });
    child.stdin.end();
    const output = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    const pid = await readPid(`${workspace.cwd}/pid`);
    child.kill("SIGUSR2"); // The hour is over.
    const [stdout, stderr, [exitCode]] = await output;
    expect(parse(stdout).find(({ type }) => type === "limit_reached")).toEqual({
      type: "limit_reached",
      limit: "max-time",
      value: 3600,
    });
    expect({ stderr, exitCode }).toEqual({ stderr: "Stopped: the run reached its limit --max-time.\n", exitCode: 1 });
    expect(parse(stdout).at(-1)).toEqual({ type: "agent_settled" });
    await expectProcessGone(pid);
    expect((await workspace.sessionLines()).slice(-2)).toMatchObject([
      { message: { role: "toolResult", isError: true } },
      { message: { role: "assistant", stopReason: "aborted", content: [] } },
    ]);
  });

  test("settings.json sets limits, too", async () => {
    await workspace.write("agent/settings.json", { limits: { maxTurns: 1 } });
    const script = await workspace.script(work("echo 1"), { text: "Never" });
    const { stdout, exitCode } = await runCli(workspace, ["--mode", "json", "--model", script, "Work"]);
    expect(story(parse(stdout))).toContain("limit max-turns 1");
    expect(exitCode).toBe(1);
  });
});

describe("RPC mode", () => {
  test("a limit ends the run with limit_reached; each prompt has its own", async () => {
    const script = await workspace.script(work("echo 1"), { text: "One." }, work("echo 2"), work("echo 3"), { text: "Three." });
    const rpc = startRpc(workspace, ["--model", script, "--max-turns", "2"]);
    const limits: string[][] = [];
    for (const message of ["one", "two", "three"]) {
      limits.push(story(await rpc.promptAndWait(message)).filter((line) => line.startsWith("limit")));
    }
    expect(limits).toEqual([[], ["limit max-turns 2"], []]);
    expect((await rpc.request({ type: "get_last_assistant_text" })).data).toEqual({ text: "Three." });
    expect(await rpc.end()).toBe(0);
    expect(rpc.stderr).toBe("");
  });
});
