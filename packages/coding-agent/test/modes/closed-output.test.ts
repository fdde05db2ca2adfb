import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments, spawnCli } from "../helpers/cli.ts";
import { expectProcessGone, readPid } from "../helpers/processes.ts";
import { rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const working = { toolCalls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] };

/** Runs `pi` with a shell's redirections; `input` is held open unless it is null. */
async function runInShell(args: readonly string[], redirection: string, input: string | null) {
  const command = ["exec", process.execPath, ...cliArguments, ...args, redirection].join(" ");
  const child = spawn("sh", ["-c", command], { cwd: workspace.cwd, env: cleanEnvironment(workspace) });
  child.stdin.on("error", () => {}); // EPIPE: it has ended without reading everything
  if (input === null) child.stdin.end();
  else child.stdin.write(input);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, stderr };
}

describe.runIf(existsSync("/dev/full"))("a full disk on stdout", () => {
  const line = "Cannot write to stdout: ENOSPC. The output is incomplete.\n";

  test("RPC mode: one line on stderr and exit code 1, although stdin stays open; its processes are ended", async () => {
    const script = await workspace.script(working, { text: "Never." });
    const input = `{"type":"prompt","message":"Go"}\n`;
    expect(await runInShell(["--mode", "rpc", "--no-ready", "--model", script], "> /dev/full", input)).toEqual({
      exitCode: 1,
      stderr: line,
    });
    const pid = await readFile(`${workspace.cwd}/pid`, "utf8").catch(() => undefined);
    if (pid !== undefined) await expectProcessGone(Number(pid));
    expect(rolesIn(await workspace.sessionLines())[0]).toBe("user");
  });

  test("RPC mode with nothing to write ends with 0", async () => {
    expect(await runInShell(["--mode", "rpc", "--no-ready", "--model", "demo/tour"], "> /dev/full", null)).toEqual({
      exitCode: 0,
      stderr: "",
    });
  });

  test("JSON mode: the same line and exit code", async () => {
    const script = await workspace.script({ text: "Hi." });
    expect(await runInShell(["--mode", "json", "--model", script, "Hi"], "> /dev/full", null)).toEqual({
      exitCode: 1,
      stderr: line,
    });
  });
});

describe("RP-011 a reader that goes away", () => {
  test("takes along what a host tool, a command and a call have going: no process is left, nothing is on stderr", async () => {
    const script = await workspace.script(working, { text: "Never." });
    const child = spawn(process.execPath, [...cliArguments, "--mode", "rpc", "--model", script], {
      cwd: workspace.cwd,
      env: cleanEnvironment(workspace),
    });
    child.stdin.on("error", () => {}); // EPIPE: it has ended
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    child.stdin.write('{"type":"bash","command":"echo $$ > bash.pid; sleep 60"}\n{"type":"prompt","message":"Go"}\n');
    const pids = [await readPid(`${workspace.cwd}/bash.pid`), await readPid(`${workspace.cwd}/pid`)];
    child.stdout.destroy();
    child.stdin.write('{"type":"get_state"}\n');
    expect(await ended).toBe(0);
    for (const pid of pids) await expectProcessGone(pid);
    expect(stderr).toBe("");
    expect(rolesIn(await workspace.sessionLines())).toContain("user");
  });

  test("in a pipeline of the shell, as with head", async () => {
    const script = await workspace.script({ text: "word ".repeat(3000), delayMs: 20 });
    const { exitCode, stderr } = await runInShell(["--mode", "json", "--model", script, "Talk", "2> err"], "| head -n 1", null);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const isStored = async () => rolesIn(await workspace.sessionLines().catch(() => [])).includes("assistant");
    await until("what there was of the answer is stored", isStored);
    expect(await readFile(`${workspace.cwd}/err`, "utf8")).toBe("");
  });
});

test.each([[["doctor"]], [["completion", "bash"]], [["rpc", "schema"]], [["--help"]], [["--version"]], [["--list-models"]]])(
  "pi %j whose reader has gone ends with 1 and says nothing",
  async (args) => {
    const child = spawnCli(workspace, args);
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  },
);
