import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import { expectProcessGone, readPid } from "../../helpers/processes.ts";
import { type RpcProcess, startRpc } from "../../helpers/rpc-process.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const pidFile = () => `${workspace.cwd}/pid`;

const working = { text: "I work.", toolCalls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] };

/** A process in the middle of a tool call, and the pid of the call's shell. */
async function startWorking(): Promise<{ rpc: RpcProcess; pid: number }> {
  const rpc = startRpc(workspace, ["--model", await workspace.script(working, { text: "Never." })]);
  await rpc.request({ type: "prompt", message: "Work" });
  return { rpc, pid: await readPid(pidFile()) };
}

async function storedRoles(): Promise<string[]> {
  return rolesIn(await workspace.sessionLines());
}

describe("RP-012 the end of stdin", () => {
  test("in the middle of a run aborts it, saves and tells what there is, ends its processes, exits 0", async () => {
    const { rpc, pid } = await startWorking();
    expect(await rpc.end()).toBe(0);
    await expectProcessGone(pid);
    expect(rpc.records.slice(-2).map(({ type }) => type)).toEqual(["agent_end", "agent_settled"]);
    expect(await storedRoles()).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(rpc.stderr).toBe("");
  });

  test("right behind a prompt: it is answered, its run ends aborted, and both are stored", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script({ text: "slow", delayMs: 60_000 })]);
    rpc.child.stdin.end('{"id":1,"type":"prompt","message":"Hi"}');
    expect(await rpc.exited).toBe(0);
    expect(rpc.records[0]).toMatchObject({ id: 1, success: true });
    expect(rpc.records.at(-1)).toEqual({ type: "agent_settled" });
    expect(await storedRoles()).toEqual(["user", "assistant"]);
  });

  test("with a shell command of the user's running: it is stopped, answered and stored", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    rpc.child.stdin.end('{"id":1,"type":"bash","command":"echo begun; sleep 60"}\n');
    expect(await rpc.exited).toBe(0);
    expect(rpc.records).toMatchObject([{ id: 1, success: true, data: { cancelled: true } }]);
    expect(await storedRoles()).toEqual(["bashExecution"]);
  });

  test("behind many commands: each is answered", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour", "--no-session"]);
    const ids = Array.from({ length: 200 }, (_, n) => n);
    rpc.child.stdin.end(
      ids.map((id) => JSON.stringify({ id, type: ["get_state", "get_messages", "abort", "nope"][id % 4] })).join("\n"),
    );
    expect(await rpc.exited).toBe(0);
    expect(rpc.records.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids);
  });
});

describe("RP-012 signals", () => {
  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("%s in the middle of a run exits %i, with the file intact and the processes ended", async (signal, exitCode) => {
    const { rpc, pid } = await startWorking();
    rpc.child.kill(signal);
    expect(await rpc.exited).toBe(exitCode);
    await expectProcessGone(pid);
    expect(await storedRoles()).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(rpc.stderr).toBe("");
  });

  test("SIGTERM when idle exits 143", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    await rpc.request({ type: "get_state" });
    rpc.child.kill("SIGTERM");
    expect(await rpc.exited).toBe(143);
  });

  test("kill -9 in the middle of a run leaves a file with everything that was told, and it can be continued", async () => {
    const { rpc } = await startWorking();
    await rpc.waitFor({ type: "tool_execution_start" });
    rpc.child.kill("SIGKILL");
    expect(await rpc.exited).toBeNull();
    expect(await storedRoles()).toEqual(["user", "assistant"]);
    process.kill(await readPid(pidFile()), "SIGKILL");
    const again = startRpc(workspace, ["--continue", "--model", await workspace.script({ text: "Back." })]);
    await again.promptAndWait("Go on");
    expect((await again.request({ type: "get_last_assistant_text" })).data).toEqual({ text: "Back." });
  });
});

describe("RP-011 a reader that goes away", () => {
  test("in the middle of a run ends the process quietly and its children with it", async () => {
    const { rpc, pid } = await startWorking();
    rpc.child.stdout.destroy();
    rpc.send({ type: "get_state" }, { type: "get_state" });
    await expectProcessGone(pid);
    expect(await rpc.exited).toBe(0);
    expect(rpc.stderr).toBe("");
    expect((await storedRoles()).slice(0, 2)).toEqual(["user", "assistant"]);
  });

  test("while an answer streams ends the process", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script({ text: "word ".repeat(2000), delayMs: 20 })]);
    await rpc.request({ type: "prompt", message: "Talk" });
    await rpc.waitFor({ type: "message_update" });
    rpc.child.stdout.destroy();
    expect(await rpc.exited).toBe(0);
    expect(rpc.stderr).toBe("");
  });
});

test("RP-010 RP-019 a reader that reads nothing until the end stalls no run and gets everything", async () => {
  const rpc = startRpc(workspace, [
    "--model",
    await workspace.script({ text: "0123456789 ".repeat(20_000), deltas: 20_000 }, { text: "b" }),
  ]);
  await rpc.request({ type: "get_state" });
  rpc.child.stdout.pause();
  rpc.send({ type: "prompt", message: "Talk" });
  // The run is over when its answer is in the file, although nobody reads.
  const isStored = async () =>
    (await workspace.sessionLines().catch(() => [])).some(({ message }) => message?.role === "assistant");
  await until("the answer is stored", isStored);
  rpc.child.stdout.resume();
  await rpc.waitFor({ type: "agent_settled" });
  const bytes = rpc.lines.reduce((sum, line) => sum + line.length, 0);
  // Each of 20,000 snapshots on its own would be 4 GB.
  expect(bytes).toBeLessThan(50_000_000);
  expect(rpc.records.at(-2)).toMatchObject({ messages: [{}, { content: [{ text: "0123456789 ".repeat(20_000) }] }] });
  expect(await rpc.end()).toBe(0);
});

test("stdout may be a file", async () => {
  const script = [...cliArguments, "--mode", "rpc", "--no-ready", "--model", "demo/tour", "--no-session"]
    .map((part) => `'${part}'`)
    .join(" ");
  const child = spawn("bash", ["-c", `echo '{"type":"get_state"}' | '${process.execPath}' ${script} > out.jsonl`], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace),
    stdio: "ignore",
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  expect(JSON.parse(await readFile(`${workspace.cwd}/out.jsonl`, "utf8"))).toMatchObject({ command: "get_state", success: true });
});
