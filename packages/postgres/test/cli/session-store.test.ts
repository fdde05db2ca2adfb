import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { spawnCli } from "../../../coding-agent/test/helpers/cli.ts";
import { RpcProcess } from "../../../coding-agent/test/helpers/rpc-process.ts";
import { useMachine } from "./helpers.ts";

const machine = useMachine();

test("a conversation is stored in the database, listed, continued, forked and exported; there are no files", async () => {
  await machine.ask("We need milk.", "Noted.", "--name", "Shopping");
  const [first, ...others] = await machine.sessions();
  expect(others).toEqual([]);
  expect(first).toEqual({
    ...{ id: expect.any(String), cwd: machine.workspace.cwd, name: "Shopping", firstPrompt: "We need milk.", interrupted: false },
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    modifiedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const id = first?.id ?? "";
  await machine.ask("And bread.", "Noted, too.", "--continue");
  await machine.ask("And salt.", "Salt, too.", "--session", id.slice(0, -1));
  await machine.ask("Or pepper.", "Pepper.", "--fork", id);
  await machine.ask("Something else.", "Yes.", "--session-id", "my-own-id");
  const sessions = await machine.sessions();
  expect(sessions.map(({ firstPrompt }) => firstPrompt)).toEqual(["Something else.", "We need milk.", "We need milk."]);
  expect(sessions[0]?.id).toBe("my-own-id");
  expect(sessions[1]?.parentSession).toBe(id);
  const page = join(machine.workspace.root, "page.html");
  await machine.succeed("--export", id, page);
  const html = await readFile(page, "utf8");
  for (const text of ["We need milk.", "And bread.", "And salt."]) expect(html).toContain(text);
  expect(html).not.toContain("Or pepper.");
  expect(await machine.workspace.sessionFiles()).toEqual([]);
});

test("the list is that of this folder, or with --all of every folder", async () => {
  await machine.ask("Here", "Yes.");
  const elsewhere = { cwd: machine.workspace.root };
  expect(await machine.pi(["sessions"], elsewhere)).toMatchObject({
    stdout: "",
    stderr: `There is no session of ${machine.workspace.root}. pi sessions --all lists those of every folder.\n`,
  });
  expect((await machine.pi(["sessions", "--all"], elsewhere)).stdout).toMatch(/^\S+ {2}now {13}\/.*work {2}Here\n$/);
});

test("--session-store takes precedence over the variable; --session-dir and --no-session over it, too", async () => {
  const { address, workspace } = machine;
  const model = await workspace.script({ text: "Yes." });
  const ask = (...options: string[]) => machine.pi(["-p", "--model", model, ...options, "Hello"]);
  expect(await ask("--no-session")).toMatchObject({ exitCode: 0 });
  expect(await ask("--session-dir", join(workspace.root, "files"))).toMatchObject({ exitCode: 0 });
  expect(await machine.sessions()).toEqual([]);
  expect(await machine.sessions("--session-dir", join(workspace.root, "files"))).toHaveLength(1);
  machine.address = "postgres://nobody@127.0.0.1:1/none";
  expect(await ask("--session-store", address)).toMatchObject({ exitCode: 0 });
  expect(await machine.sessions("--session-store", address)).toHaveLength(1);
});

test("in json mode and in rpc mode, the session is one of the database and has no file", async () => {
  const model = await machine.workspace.script({ text: "Yes." });
  const { stdout } = await machine.pi(["--mode", "json", "--model", model, "Hello"]);
  const { id } = JSON.parse(stdout.split("\n", 1)[0] ?? "") as { id: string };
  expect((await machine.sessions()).map((session) => session.id)).toEqual([id]);
  const commands = [
    { id: "1", type: "switch_session", sessionPath: id },
    { id: "2", type: "get_state" },
    { id: "3", type: "new_session" },
    { id: "4", type: "switch_session", sessionPath: "no-such-session" },
  ];
  const rpc = await machine.pi(["--mode", "rpc", "--model", model], {
    input: commands.map((command) => `${JSON.stringify(command)}\n`).join(""),
  });
  const answers = rpc.stdout.split("\n").flatMap((line) => (line.includes('"type":"response"') ? [JSON.parse(line)] : []));
  expect(answers).toMatchObject([
    { id: "1", success: true, data: { cancelled: false } },
    { id: "2", success: true, data: { sessionId: id, messageCount: 2 } },
    { id: "3", success: true },
    { id: "4", success: false, error: expect.stringContaining("no-such-session") },
  ]);
  expect(answers[1].data).not.toHaveProperty("sessionFile");
});

test("agent-rpc continues the conversation of a key in another process", async () => {
  const chat = (message: string) => ({ jsonrpc: "2.0", id: 1, method: "agent_chat", params: { message, session_key: "a" } });
  const model = await machine.workspace.script({ text: "Yes." });
  for (const message of ["First", "Second"]) {
    const { exitCode } = await machine.pi(["agent-rpc", "--model", model], { input: `${JSON.stringify(chat(message))}\n` });
    expect(exitCode).toBe(0);
  }
  const [session, ...others] = await machine.sessions();
  expect(others).toEqual([]);
  const page = join(machine.workspace.root, "page.html");
  await machine.succeed("--export", session?.id ?? "", page);
  expect(await readFile(page, "utf8")).toMatch(/First.*Second/s);
});

test("a process that ends in order leaves nothing of itself in the database", async () => {
  await machine.ask("Hello", "Yes.");
  const client = new Client({ connectionString: machine.address });
  await client.connect();
  const { rows } = await client.query(
    "select (select count(*) from pikit.owners) as owners, (select count(*) from pikit.sessions) as sessions",
  );
  await client.end();
  expect(rows).toEqual([{ owners: "0", sessions: "1" }]);
});

test("a session that another process has open is refused, until that process ends or is killed", async () => {
  await machine.ask("Hello", "Yes.", "--session-id", "mine");
  const model = await machine.workspace.script({ text: "Again." });
  const env = { PI_SESSION_STORE: machine.address };
  const use = () => machine.pi(["-p", "--session", "mine", "--model", model, "And now?"]);
  for (const end of [(pi: RpcProcess) => pi.child.stdin.end(), (pi: RpcProcess) => pi.child.kill("SIGKILL")]) {
    const pi = new RpcProcess(spawnCli(machine.workspace, ["--mode", "rpc", "--session", "mine", "--model", model], { env }));
    await pi.request({ type: "get_state" });
    expect(await use()).toMatchObject({ stdout: "", stderr: expect.stringContaining("mine"), exitCode: 1 });
    end(pi);
    await pi.exited;
    expect(await use()).toMatchObject({ stdout: "Again.\n", stderr: "", exitCode: 0 });
  }
});

test("doctor names the store without its password, and whether it answers", async () => {
  const url = new URL(machine.address);
  url.password = "hush"; // the server of the tests asks for none
  machine.address = url.href;
  const { stdout } = await machine.pi(["doctor"]);
  expect(stdout).toMatch(/^✓ sessions +stored in postgres:\/\/pikit:…@.*, which answers \(pi sessions\)$/m);
  url.pathname = "/no_such_database";
  const refused = await machine.pi(["doctor", "--session-store", url.href]);
  expect(refused.stdout).toMatch(/^✗ sessions +postgres:\/\/pikit:…@.*no_such_database.* cannot be used: .*does not exist/m);
  expect(stdout + refused.stdout).not.toContain("hush");
  expect(refused.exitCode).toBe(1);
});

test("a store that does not answer is one error at the start, in every mode", async () => {
  machine.address = "postgres://pikit:hush@127.0.0.1:1/none";
  const model = await machine.workspace.script({ text: "Yes." });
  const problem =
    "Cannot list the sessions in the database postgres://pikit@127.0.0.1:1/none: connect ECONNREFUSED 127.0.0.1:1. Check the address, and that the server runs and can be reached.\n";
  const starts = [
    ["-p", "--model", model, "Hello"],
    ["--mode", "json", "--model", model, "Hello"],
    ["--mode", "rpc", "--model", model],
    ["agent-rpc", "--model", model],
    ["sessions"],
    ["--export", "x"],
  ];
  const results = await Promise.all(starts.map((args) => machine.pi(args)));
  for (const { stdout, stderr, exitCode } of results) {
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toBe(problem);
  }
});
