import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { AgentProcessError, isRpcError, RpcClient, RpcCommandError } from "../src/index.ts";
import { clientOf, errorOf, fixture, startClient } from "./helpers/clients.ts";

test("RC-001 start rejects when the program is missing", async () => {
  const missing = new RpcClient({ cliPath: "/nowhere/pi.js" });
  expect(await errorOf(missing.start())).toMatchObject({ code: "not_found", message: expect.stringContaining("/nowhere/pi.js") });
  const runtime = clientOf("plain", { runtime: "/nowhere/node" });
  expect(await errorOf(runtime.start())).toMatchObject({ code: "not_found", message: expect.stringContaining("/nowhere/node") });
  const folder = clientOf("plain", { cwd: "/nowhere" });
  expect(await errorOf(folder.start())).toMatchObject({ code: "not_found", message: expect.stringContaining("folder /nowhere") });
});

test("RC-001 start rejects when the program cannot be run", async () => {
  const client = clientOf("plain", { runtime: fixture("plain") });
  expect(await errorOf(client.start())).toMatchObject({ code: "start_failed", message: expect.stringContaining("EACCES") });
  const badOption = clientOf("plain", { args: ["a\0b"] });
  expect(await errorOf(badOption.start())).toMatchObject({ code: "start_failed" });
});

test("RC-001 start rejects when the program exits at once, with its exit code and the end of its stderr", async () => {
  const client = clientOf("exits-at-once");
  const error = (await errorOf(client.start())) as AgentProcessError;
  expect(error).toBeInstanceOf(AgentProcessError);
  expect(error).toMatchObject({ code: "exited", exitCode: 3, signal: null, stderrTail: "no licence found\n" });
  expect(error.message).toBe("The agent ended unexpectedly with exit code 3; the end of its stderr: no licence found");
  expect(isRpcError(error)).toBe(true);
  expect(await errorOf(client.getState())).toBe(error);
});

test("RC-001 start rejects when the first answer does not come in time, and the program is gone then", async () => {
  const loading = join(mkdtempSync(join(tmpdir(), "rpc-client-")), "loading");
  const clock = holdClock();
  const client = clientOf("never-answers", { startTimeoutMs: 60_000, env: { LOADING: loading } });
  const starting = errorOf(client.start());
  await until("the program says that it loads", () => existsSync(loading));
  clock.pass(60_000);
  const error = await starting;
  expect(error).toMatchObject({ code: "start_timeout", stderrTail: "still loading\n" });
  expect(error).toMatchObject({ message: expect.stringMatching(/within 60000 ms .*still loading$/) });
  expect(await errorOf(client.getState())).toBe(error);
});

test("RC-001 start rejects when the program does not know the first command", async () => {
  const client = clientOf("refuses-state");
  const error = await errorOf(client.start());
  expect(error).toMatchObject({ code: "start_failed", message: expect.stringContaining("Unknown command: get_state") });
  expect((error as Error).cause).toBeInstanceOf(RpcCommandError);
});

test.each(["refuse", "drop"])(
  "an older agent, which cannot say its version (it %ss what it does not know), starts too",
  async (agent) => {
    await using client = clientOf("older", { env: { AGENT: agent } });
    await client.start();
    expect(await client.getState()).toEqual({});
  },
);

test("an agent of another protocol version is an error that names both, and it is gone then", async () => {
  const client = clientOf("older", { env: { AGENT: "v2" } });
  const error = await errorOf(client.start());
  expect(error).toMatchObject({ code: "wrong_version" });
  expect((error as Error).message).toMatch(/^The agent \(pi 1\.2\.3\) speaks version 2 .* speaks version 1;/);
  expect(await errorOf(client.getState())).toBe(error);
});

test("a start whose signal is aborted rejects, and the process is gone then", async () => {
  const client = clientOf("never-answers");
  const controller = new AbortController();
  const starting = errorOf(client.start({ signal: controller.signal }));
  controller.abort("too slow");
  expect(await starting).toMatchObject({ code: "aborted", command: "start", cause: "too slow" });
  expect(await errorOf(client.start({ signal: controller.signal }))).toMatchObject({ code: "aborted" });
  expect(await errorOf(client.getState())).toMatchObject({ code: "stopped", signal: null });
});

test("RC-011 start is refused while the agent runs, and works again after stop with a clean state", async () => {
  const client = clientOf("plain");
  const starting = client.start();
  expect(await errorOf(client.start())).toMatchObject({ code: "already_started" });
  await starting;
  const first = JSON.parse((await client.getLastAssistantText()) ?? "");
  const unanswered = errorOf(client.getMessages());
  await client.stop();
  expect(await unanswered).toMatchObject({ code: "stopped" });
  expect(await errorOf(client.getState())).toMatchObject({ code: "stopped" });
  await client.start();
  const second = JSON.parse((await client.getLastAssistantText()) ?? "");
  expect(second.pid).not.toBe(first.pid);
  await client.stop();
});

test("RC-011 ids never repeat, also not after another start", async () => {
  const client = clientOf("answers-out-of-order");
  const ids: (string | null)[] = [];
  for (let run = 0; run < 2; run++) {
    await client.start();
    const texts = Promise.all([client.getLastAssistantText(), client.getLastAssistantText()]);
    await client.abort();
    ids.push(...(await texts));
    await client.stop();
  }
  expect(new Set(ids).size).toBe(4);
});

test("a command before start rejects", async () => {
  expect(await errorOf(clientOf("plain").prompt("Hi"))).toMatchObject({ code: "not_started" });
});

test("RC-012 the agent runs without a shell under the running runtime; cwd, env and args arrive unchanged", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "rpc client ")));
  const value = `"quoted" $HOME 'and' \`ticks\`; echo \\ \n é`;
  await using client = await startClient("plain", {
    cwd,
    env: { VALUE: value, HOME: undefined },
    provider: "demo",
    model: "tour",
    sessionDir: "/some where",
    noSession: true,
    args: ["--append-system-prompt", value, "", "*"],
  });
  const seen = JSON.parse((await client.getLastAssistantText()) ?? "");
  const args = ["--mode", "rpc", "--provider", "demo", "--model", "tour", "--session-dir", "/some where"];
  args.push("--no-session", "--append-system-prompt", value, "", "*");
  expect(seen).toEqual({ pid: expect.any(Number), runtime: realpathSync(process.execPath), cwd, args, value });
});
