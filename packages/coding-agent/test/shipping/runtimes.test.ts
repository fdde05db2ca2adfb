import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { describeOldBun } from "../../src/runtime.ts";
import { built, cleanEnvironment, root, run, temporaryFolder } from "./helpers.ts";

const runtimes = join(root, "tools/runtimes/node_modules");
/** Where the platform has no such package, the tests of that runtime are skipped by name. */
const binaries = {
  "Node 20.19": join(runtimes, "node20/bin/node"),
  "Node 22.19": join(runtimes, "node22/bin/node"),
  "Node 24": join(root, "node_modules/.bin/node"),
  "Node 26": join(runtimes, "node26/bin/node"),
  "Bun 1.4": join(runtimes, "@oven/bun-linux-x64/bin/bun"),
};

/** A shell command by both streams, also by their names; a search; and an answer. */
const script = [
  { toolCalls: [{ name: "bash", arguments: { command: "echo out; echo err >&2; echo named > /dev/stderr; exit 3" } }] },
  { toolCalls: [{ name: "grep", arguments: { pattern: "Lighthouse" } }] },
  { text: "Two lamps." },
];
const commandResult = "out\nerr\nnamed\n\nCommand exited with code 3.";
const searchResult = "README.md:1: # Lighthouse";

describe.each(Object.entries(binaries))("what is built, on %s", (_name, runtime) => {
  const pi = built("coding-agent", "cli.js");

  /** Runs a program, or `pi`, in a folder with something to look at and a scripted model. */
  async function start(file: string, args: readonly string[] = [], program = "") {
    const folder = await temporaryFolder({
      "README.md": "# Lighthouse\n\nA lamp for ships.\n",
      "script.jsonl": script.map((answer) => `${JSON.stringify(answer)}\n`).join(""),
      "program.mjs": program,
    });
    return run(runtime, [file, ...args], { cwd: folder, env: cleanEnvironment(folder) });
  }

  test.skipIf(!existsSync(runtime))("pi prints its version and nothing else", async () => {
    expect(await start(pi, ["--version"])).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
  });

  test.skipIf(!existsSync(runtime))("pi answers a prompt with the offline demo", async () => {
    const finished = await start(pi, ["-p", "--model", "demo/tour", "--no-session", "Give me a tour of this folder."]);
    expect(finished).toEqual({ code: 0, stdout: expect.stringContaining("Lighthouse"), stderr: "" });
  });

  test.skipIf(!existsSync(runtime))("json mode tells what commands and searches gave", async () => {
    const args = ["--mode", "json", "--model", "script/script.jsonl", "--tools", "bash,grep", "Look."];
    const { code, stdout, stderr } = await start(pi, args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    const results = events.flatMap(({ type, result }) => (type === "tool_execution_end" ? [result.content[0].text] : []));
    expect(results).toEqual([commandResult, expect.stringContaining(searchResult)]);
    expect(events.at(-1)).toEqual({ type: "agent_settled" });
  });

  test.skipIf(!existsSync(runtime))("a program drives a session in process, in memory and on disk", async () => {
    const program = `
      import { createAgentSession } from ${JSON.stringify(built("coding-agent", "index.js"))};
      const tools = ["bash", "grep"];
      const session = await createAgentSession({ model: "script/script.jsonl", tools });
      session.subscribe((event) => {
        if (event.type === "tool_execution_end") console.log(JSON.stringify(event.result.content[0].text));
      });
      await session.prompt("Look.");
      console.log(session.lastAssistantText());
      await session.dispose();
      const again = await createAgentSession({ model: "demo/tour", session: { path: session.sessionFile } });
      console.log(again.messages.length);
      await again.dispose();`;
    const { code, stdout, stderr } = await start("program.mjs", [], program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [command, search, answer, count] = stdout.split("\n");
    expect(JSON.parse(command ?? "")).toBe(commandResult);
    expect(JSON.parse(search ?? "")).toContain(searchResult);
    expect([answer, count]).toEqual(["Two lamps.", "6"]);
  });

  test.skipIf(!existsSync(runtime))("the client starts pi in rpc mode, runs a command, prompts it and stops it", async () => {
    const program = `
      import { createPool, RpcClient } from ${JSON.stringify(built("rpc-client", "index.js"))};
      const options = { cliPath: ${JSON.stringify(pi)}, model: "script/script.jsonl", noSession: true, args: ["--tools", "bash,grep"] };
      const client = new RpcClient(options);
      await client.start();
      const { output, exitCode } = await client.bash("echo out; echo err >&2; exit 3");
      console.log(JSON.stringify({ output, exitCode }));
      client.onEvent("tool_execution_end", ({ result }) => console.log(JSON.stringify(result.content[0].text)));
      console.log((await client.promptAndWait("Look.")).at(-1).content[0].text);
      await client.stop();
      const pool = createPool({ ...options, size: 1 });
      console.log(await pool.use(async (agent) => (await agent.getState()).model.id));
      await pool.close();`;
    const { code, stdout, stderr } = await start("program.mjs", [], program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [bash, command, search, ...rest] = stdout.split("\n");
    expect(JSON.parse(bash ?? "")).toEqual({ output: "out\nerr\n", exitCode: 3 });
    expect(JSON.parse(command ?? "")).toBe(commandResult);
    expect(JSON.parse(search ?? "")).toContain(searchResult);
    expect(rest).toEqual(["Two lamps.", "script.jsonl", ""]);
  });
});

test.each(["18.20.4", "20.18.3"])("on Node %s the CLI says in one sentence which versions it needs", async (version) => {
  // What the first file of the CLI can see of an older Node: its version, and no module.enableCompileCache or process.getBuiltinModule.
  const preload = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
    Object.defineProperty(process, "version", { value: "v${version}" });
    delete require("node:module").enableCompileCache;
    delete process.getBuiltinModule;`;
  const folder = await temporaryFolder({ "old-node.cjs": preload });
  const args = ["--require", join(folder, "old-node.cjs"), built("coding-agent", "cli.js"), "--version"];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: folder, env: cleanEnvironment(folder) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toContain(version);
  expect(stderr).toContain("20.19");
});

test.each(["ai", "agent", "coding-agent", "postgres", "rpc-client"])(
  "on Node 20.18 the import of @pikit/%s says in one sentence which versions it needs",
  async (name) => {
    const folder = await temporaryFolder({
      "old-node.cjs": `
        Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });
        delete process.getBuiltinModule;`,
    });
    const program = `import(${JSON.stringify(built(name, "index.js"))}).catch(({ message }) => console.log(message));`;
    const finished = await run(process.execPath, ["--require", join(folder, "old-node.cjs"), "-e", program], { cwd: folder });
    const stdout = "pikit needs Node 20.19 or newer, but this is Node 20.18.3. Install a newer Node.\n";
    expect(finished).toEqual({ code: 0, stdout, stderr: "" });
  },
);

test("on Windows pi says in one sentence where it works", async () => {
  const folder = await temporaryFolder({ "windows.cjs": 'Object.defineProperty(process, "platform", { value: "win32" });' });
  const args = ["--require", join(folder, "windows.cjs"), built("coding-agent", "cli.js")];
  const options = { cwd: folder, env: cleanEnvironment(folder) };
  expect(await run(process.execPath, [...args, "--version"], options)).toMatchObject({ code: 0, stderr: "" });
  const { code, stdout, stderr } = await run(process.execPath, [...args, "-p", "--model", "demo/tour", "Hi"], options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^[^\n]*does not work on Windows itself[^\n]*WSL\.\n$/);
});

test("nothing that is built needs what Node 20 lacks, nor adds to the globals of a program", () => {
  const newer = /\b(Promise\.(withResolvers|try)|Array\.fromAsync|(Object|Map)\.groupBy|RegExp\.escape|Iterator\.from)\b/g;
  const found = ["ai", "agent", "coding-agent", "rpc-client"].flatMap((name) => {
    const dist = dirname(built(name, "index.js"));
    return (
      readdirSync(dist, { recursive: true, encoding: "utf8" })
        // The page of pi serve runs in browsers.
        .filter((file) => file.endsWith(".js") && !file.startsWith("page"))
        .flatMap((file) => (readFileSync(join(dist, file), "utf8").match(newer) ?? []).map((use) => `${name}/dist/${file}: ${use}`))
    );
  });
  expect(found).toEqual([]);
});

test("a Bun that is too old is named in one sentence", () => {
  expect(describeOldBun("1.3.14")).toBe(
    "pikit needs Bun 1.4 or newer, but this is Bun 1.3.14. Install a newer Bun, or run it with Node.",
  );
  expect(["1.4.0", "1.10.1", "2.0.0"].map((version) => describeOldBun(version))).toEqual([undefined, undefined, undefined]);
});

describe("under a Bun that is too old", () => {
  /** Starts `pi` with a runtime that says that it is an old Bun. `node` is what a PATH has. */
  async function start(args: readonly string[], path = dirname(binaries["Node 24"])) {
    const folder = await temporaryFolder({ "old-bun.cjs": 'globalThis.Bun = { version: "1.3.14" };' });
    const env = { ...cleanEnvironment(folder), PATH: path };
    return { folder, env, args: ["--require", join(folder, "old-bun.cjs"), built("coding-agent", "cli.js"), ...args] };
  }

  test("pi speaks RPC: it runs with the node of the PATH, on the same streams", async () => {
    const { folder, env, args } = await start(["--mode", "rpc", "--no-session", "--model", "demo/tour"]);
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
    const lines: string[] = [];
    child.stdin.write('{"id": 1, "type": "get_state"}\n');
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === 2) child.stdin.end();
    }
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ type: "ready" }, { id: 1, success: true }]);
    expect(await exitOf(child)).toEqual([0, null]);
  });

  test("a signal ends it as it ends pi", async () => {
    const { folder, env, args } = await start(["--mode", "rpc", "--no-session", "--model", "demo/tour"]);
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await exitOf(child)).toEqual([143, null]);
  });

  test("without a node, one sentence names the versions", async () => {
    const { folder, env, args } = await start(["-p", "--no-session", "--model", "demo/tour", "Hi"], "/nowhere");
    const { code, stdout, stderr } = await run(process.execPath, args, { cwd: folder, env });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `${String(describeOldBun("1.3.14"))}\n` });
  });
});

async function exitOf(child: ChildProcess): Promise<unknown> {
  return child.exitCode === null && child.signalCode === null ? await once(child, "exit") : [child.exitCode, child.signalCode];
}
