import { createServer } from "node:net";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { runCli, spawnCli } from "../../helpers/cli.ts";
import { begin, call, command, openEvents, openSocket, type Served } from "../../helpers/http-client.ts";
import { expectProcessGone, readPid } from "../../helpers/processes.ts";
import { startServe } from "../../helpers/serve.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const pidFile = () => `${workspace.cwd}/pid`;
const working = { text: "I work.", toolCalls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] };

/** Begins a session whose run waits in a command, and resolves with its id and the pid of the command's shell. */
async function startWorking(served: Served, options: object = {}): Promise<{ id: string; pid: number }> {
  const id = await begin(served, { model: await workspace.script(working, { text: "Done." }), ...options });
  await command(served, id, { type: "prompt", message: "Work" });
  return { id, pid: await readPid(pidFile()) };
}

describe("the start", () => {
  test("says as JSON where it listens, and writes the token nowhere", async () => {
    const pi = await startServe(workspace);
    expect(new URL(pi.url)).toMatchObject({ protocol: "http:", hostname: "127.0.0.1" });
    expect(pi.tokenFile).toBe(`${workspace.agentDir}/serve-token`);
    expect((await call(pi, "GET", "/v1/sessions")).json).toEqual({ sessions: [] });
    pi.child.kill("SIGTERM");
    expect(await pi.exited).toBe(0);
    expect(pi.stderr()).toBe("");
  });

  test("without --json says so in words; the link with the token is for terminals", async () => {
    const child = spawnCli(workspace, ["serve", "--port", "0"]);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    await until("it has said where it listens", () => stdout.includes("\n"));
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(stdout).toMatch(/^pi serves sessions at http:\/\/127\.0\.0\.1:\d+\. The token for clients is in \S+serve-token\.\n$/);
  });

  test.each([
    [["--port", "70000"], 2, /^--port must be a number from 0 to 65535/],
    [["--port", "x"], 2, /^--port must be a number/],
    [["--sandbox", "yes"], 2, /^Unknown value "yes" for --sandbox: expected off, workspace, require\./],
    [["--bind", "x"], 2, /^Unknown option '--bind'/],
    [["--host", "0.0.0.0"], 2, /^--host 0\.0\.0\.0 can be reached by other machines\. .*--token-file.*TLS/],
    [["--host", "203.0.113.7", "--token-file", "t"], 1, /^Cannot listen on 203\.0\.113\.7, port 4711: EADDRNOTAVAIL/],
    [["--host", "no.such.host.invalid", "--token-file", "t"], 1, /^Cannot listen on no\.such\.host\.invalid/],
    [["--root", "/no/such"], 1, /^The root \/no\/such is not a folder/],
  ])("%j ends with exit code %i and one line", async (args, exitCode, problem) => {
    const result = await runCli(workspace, ["serve", ...args]);
    expect(result).toMatchObject({ exitCode, stdout: "" });
    expect(result.stderr).toMatch(problem);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  test("a port in use is named in one line", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const result = await runCli(workspace, ["serve", "--port", String(port)]);
    other.close();
    expect(result).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Port ${port} of 127.0.0.1 is in use. Give another one with --port, or 0 for any free port.\n`,
    });
  });

  test("settings that are not numbers end it", async () => {
    await workspace.write("agent/settings.json", { serve: { idleMinutes: "long" } });
    const result = await runCli(workspace, ["serve", "--port", "0"]);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('"serve.idleMinutes"') });
  });

  test("on all addresses with a token file it listens, and says that TLS belongs in front", async () => {
    const pi = await startServe(workspace, ["--host", "0.0.0.0", "--token-file", "my-token", "--allow-host", "agents.example"]);
    expect(pi.stderr()).toContain("Put a proxy with TLS in front.");
    expect(pi.tokenFile).toBe(`${workspace.cwd}/my-token`);
    const hosts = ["agents.example", "evil.example"];
    const statuses = await Promise.all(
      hosts.map(async (host) => (await call(pi, "GET", "/v1/health", { headers: { host } })).status),
    );
    expect(statuses).toEqual([200, 403]);
  });

  test("--help", async () => {
    const { exitCode, stdout } = await runCli(workspace, ["serve", "--help"]);
    expect([exitCode, stdout.startsWith("Usage: pi serve [options]")]).toEqual([0, true]);
  });

  test("its output may be closed at once", async () => {
    const pi = await startServe(workspace);
    pi.child.stdout.destroy();
    expect((await call(pi, "GET", "/v1/health")).status).toBe(200);
    pi.child.kill("SIGTERM");
    expect(await pi.exited).toBe(0);
  });
});

describe("SIGTERM", () => {
  test("with a run: it may end within the grace period, is stored, and the exit code is 0", async () => {
    const pi = await startServe(workspace);
    const held = { toolCalls: [{ name: "bash", arguments: { command: "echo $$ > pid; until [ -e go ]; do sleep 0.02; done" } }] };
    const id = await begin(pi, { model: await workspace.script(held, { text: "Done." }) });
    const events = await openEvents(pi, id);
    const { waitFor, ended } = await openSocket(pi, id);
    await command(pi, id, { type: "prompt", message: "Work" });
    await readPid(pidFile());
    pi.child.kill("SIGTERM");
    await until("it is ending", async () => (await call(pi, "GET", "/v1/health")).status === 503);
    await workspace.write("work/go", "");
    await events.waitFor({ type: "agent_settled" });
    await waitFor({ type: "agent_settled" });
    expect(await pi.exited).toBe(0);
    await Promise.all([events.ended, ended]);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(pi.stderr()).toBe("");
  });

  test("with a run that outlasts the grace period: it is aborted and stored", async () => {
    await workspace.write("agent/settings.json", { serve: { graceSeconds: 0 } });
    const pi = await startServe(workspace);
    const { pid } = await startWorking(pi);
    pi.child.kill("SIGTERM");
    expect(await pi.exited).toBe(0);
    await expectProcessGone(pid);
    expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test("twice ends it at once", async () => {
    const pi = await startServe(workspace);
    await startWorking(pi);
    pi.child.kill("SIGTERM");
    await until("it is ending", async () => (await call(pi, "GET", "/v1/health")).status === 503);
    pi.child.kill("SIGTERM");
    expect(await pi.exited).toBe(143);
  });
});

test("kill -9 and a restart: the list shows what was interrupted, and a prompt continues it with its options", async () => {
  const first = await startServe(workspace);
  const done = await begin(first, { model: await workspace.script({ text: "Fine." }), name: "done" });
  const events = await openEvents(first, done);
  await command(first, done, { type: "prompt", message: "Hi" });
  await events.waitFor({ type: "agent_settled" });
  const { id } = await startWorking(first, { name: "cut", approval: "on-risk" });
  first.child.kill("SIGKILL");
  await first.exited;

  const second = await startServe(workspace);
  const { sessions } = (await call(second, "GET", "/v1/sessions")).json;
  const shown = sessions.map(({ name, interrupted, live }: Record<string, unknown>) => ({ name, interrupted, live }));
  expect(shown).toEqual([
    { name: "cut", interrupted: true, live: false },
    { name: "done", interrupted: false, live: false },
  ]);
  await workspace.script({ text: "I continue." });
  const again = await openEvents(second, id);
  expect(await again.waitFor({ type: "resync" })).toMatchObject({ reason: "start" });
  await command(second, id, { type: "prompt", message: "Go on" });
  await again.waitFor({ type: "agent_settled" });
  expect((await command(second, id, { type: "get_last_assistant_text" })).data.text).toBe("I continue.");
  expect((await call(second, "GET", `/v1/sessions/${id}`)).json).toMatchObject({ interrupted: false, live: true });
});

test("an internal fault does not end the server, and an extension that asks for the end ends only its session", async () => {
  await workspace.write(
    "agent/extensions/quit.ts",
    `export default function (pi) {
      pi.registerCommand("quit", { handler: async (_args, ctx) => ctx.shutdown() });
    }`,
  );
  const fault = "process.on('SIGUSR2',()=>{throw/**/new/**/Error('a/fault/of/ours')})";
  const pi = await startServe(workspace, [], { env: { NODE_OPTIONS: `--import=data:text/javascript,${fault}` } });
  const [id, other] = [await begin(pi), await begin(pi)];
  pi.child.kill("SIGUSR2");
  await until("it is reported", () => pi.stderr().includes("the server continues: a/fault/of/ours."));
  const events = await openEvents(pi, other);
  await command(pi, other, { type: "prompt", message: "/quit" });
  await events.ended;
  expect((await command(pi, id, { type: "get_state" })).data.sessionId).toBe(id);
  expect((await call(pi, "GET", `/v1/sessions/${other}`)).json.live).toBe(false);
});
