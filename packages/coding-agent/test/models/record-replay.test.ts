import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { replay } from "@pikit/ai";
import { anthropic, cut, importOptions, openai, type ProviderServer, type Wire } from "@pikit/test-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import { type CliResult, cleanEnvironment, runCli } from "../helpers/cli.ts";
import { serveModels, testKey } from "../helpers/endpoints.ts";
import { startRpc } from "../helpers/rpc-process.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const wires: { name: string; model: string; wire: Wire }[] = [
  { name: "anthropic-messages", model: "local-anthropic/claude", wire: anthropic },
  { name: "openai-completions", model: "local-openai/gpt", wire: openai },
];

/** A run with two tool calls, one of them on an absolute path that comes in pieces of a few characters, as models write. */
async function respondWithTools(server: ProviderServer, wire: Wire): Promise<void> {
  await workspace.write("work/notes", "alpha\nbeta\n");
  const path = JSON.stringify({ path: join(workspace.cwd, "notes") });
  server.respond(
    wire.answer([{ text: "Let me look." }, { toolCall: "read", deltas: path.match(/.{1,5}/g) ?? [] }]),
    wire.toolCall("bash", { command: "cat notes && pwd" }),
    wire.text(`All is well in ${workspace.cwd}.`),
  );
}

describe.each(wires)("a run over $name through the command line", ({ model, wire }) => {
  const prompt = ["--no-session", "--mode", "json", "Look around"];

  test("is recorded, and replayed without server and key with the same events", async () => {
    const server = await serveModels(workspace);
    await respondWithTools(server, wire);
    const live = await runCli(workspace, ["--record", "run.jsonl", "--model", model, ...prompt]);
    expect([live.exitCode, live.stderr]).toEqual([0, ""]);
    await server.close();
    await rm(join(workspace.agentDir, "models.json"));

    const again = await runCli(workspace, ["--model", "replay/run.jsonl", ...prompt]);
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    expect(eventsOf(again)).toEqual(eventsOf(live));
    expect(eventsOf(again).filter(({ type }) => type === "tool_execution_end")).toHaveLength(2);
  });

  test("is recorded without credentials and without the name of the folder, for its owner only", async () => {
    const server = await serveModels(workspace);
    await respondWithTools(server, wire);
    await runCli(workspace, ["--record", "run.jsonl", "--model", model, ...prompt]);
    const file = join(workspace.cwd, "run.jsonl");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    expect(text).not.toContain(testKey);
    expect(text).not.toMatch(/authorization|x-api-key/i);
    expect(text).not.toContain(workspace.root);
  });

  test("is replayed in another folder, where its tools then work", async () => {
    const server = await serveModels(workspace);
    await respondWithTools(server, wire);
    await runCli(workspace, ["--record", "run.jsonl", "--model", model, ...prompt]);
    await server.close();
    const elsewhere = join(workspace.root, "another/place");
    await cp(workspace.cwd, elsewhere, { recursive: true });
    await rm(workspace.cwd, { recursive: true });
    const { stdout, exitCode } = await runCli(workspace, ["--no-session", "-p", "--model", "replay/run.jsonl", "Look around"], {
      cwd: elsewhere,
    });
    expect([exitCode, stdout]).toEqual([0, `All is well in ${elsewhere}.\n`]);
  });

  test("is replayed in process with every single event as it was", async () => {
    const server = await serveModels(workspace);
    await respondWithTools(server, wire);
    const live = await openSession(workspace, { model, record: "run.jsonl", session: "memory" });
    await live.session.prompt("Look around");
    await server.close();
    const again = await openSession(workspace, { model: "replay/run.jsonl", session: "memory" });
    await again.session.prompt("Look around");
    expect(comparable(again.events)).toEqual(comparable(live.events));
  });
});

/** The records of JSON mode. Updates are left out: how many deltas one of them holds depends on how fast the reader was. */
function eventsOf({ stdout }: CliResult): { type: string }[] {
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  return withoutIds(
    records.filter(({ type }) => type !== "session" && type !== "message_update" && type !== "tool_execution_update"),
  );
}

/** Events of the tools' output are left out: how a command's output is cut depends on the system. */
function comparable(events: readonly AgentSessionEvent[]): AgentSessionEvent[] {
  return withoutIds(events.filter(({ type }) => type !== "tool_execution_update"));
}

function withoutIds<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === "timestamp" || key === "id" ? undefined : inner)));
}

describe("a replay through the command line", () => {
  async function recordAnswer(): Promise<void> {
    const server = await serveModels(workspace);
    server.respond(anthropic.text("Hello"));
    await runCli(workspace, ["--no-session", "-p", "--record", "run.jsonl", "--model", "local-anthropic/claude", "Hi"]);
    await server.close();
  }

  test("of another prompt fails and says where the request differs", async () => {
    await recordAnswer();
    const { exitCode, stderr } = await runCli(workspace, ["--no-session", "-p", "--model", "replay/run.jsonl", "Hi there"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'The request differs from the one of answer 1 of run.jsonl (line 2) in message 1 (user), its text: from character 3 on, expected "Hi", received "Hi there".',
    );
  });

  test("past the last answer fails and says so", async () => {
    await recordAnswer();
    const { exitCode, stderr } = await runCli(workspace, ["--no-session", "-p", "--model", "replay/run.jsonl", "Hi", "More"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("run.jsonl holds 1 answer, but call 2 needs another one. Record a longer run.");
  });

  test("of an answer that was cut ends as that did", async () => {
    const server = await serveModels(workspace);
    server.respond(...Array(8).fill(anthropic.answer([{ text: "Half an" }], { ending: [cut] })));
    const settings = { retry: { enabled: false } };
    await workspace.write("agent/settings.json", settings);
    const live = await runCli(workspace, [
      "--no-session",
      "-p",
      "--record",
      "run.jsonl",
      "--model",
      "local-anthropic/claude",
      "Hi",
    ]);
    await server.close();
    const again = await runCli(workspace, ["--no-session", "-p", "--model", "replay/run.jsonl", "Hi"]);
    expect(live.exitCode).toBe(1);
    expect(again).toEqual(live);
  });

  test.each([
    ["a missing recording", ["--model", "replay/gone.jsonl"], "Cannot read the recording"],
    ["recording a script", ["--record", "run.jsonl", "--model", "demo/tour"], "demo/tour plays a script and uses no provider"],
    ["recording a replay", ["--record", "more.jsonl", "--model", "replay/run.jsonl"], "already plays a recording"],
    ["recording where nothing can be written", ["--record", "no/such/run.jsonl", "--model", "local-anthropic/claude"], "ENOENT"],
  ])("%s is one line on stderr and exit code 1", async (_name, args, message) => {
    await recordAnswer();
    const { exitCode, stderr } = await runCli(workspace, ["--no-session", "-p", ...args, "Hi"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

test("models chosen during a run are recorded, and a replay offers just them, by name and without keys", async () => {
  const server = await serveModels(workspace);
  server.respond(anthropic.text("I am claude"), openai.text("I am gpt"));
  const { session } = await openSession(workspace, { model: "local-anthropic/claude", record: "run.jsonl" });
  await session.prompt("Who are you?");
  await session.models.set((await session.models.find("local-openai", "gpt")) as never);
  await session.prompt("And you?");
  await server.close();
  await rm(join(workspace.agentDir, "models.json"));

  const rpc = startRpc(workspace, ["--model", "replay/run.jsonl"], { env: { OPENAI_API_KEY: "unused-key" } });
  await rpc.promptAndWait("Who are you?");
  const available = await rpc.request({ type: "get_available_models" });
  expect(available.data).toMatchObject({
    models: [
      { provider: "local-anthropic", id: "claude" },
      { provider: "local-openai", id: "gpt" },
    ],
  });
  expect(await rpc.request({ type: "set_model", provider: "openai", modelId: "gpt-5.1" })).toMatchObject({ success: false });
  expect(await rpc.request({ type: "set_model", provider: "local-openai", modelId: "gpt" })).toMatchObject({ success: true });
  await rpc.promptAndWait("And you?");
  expect((await rpc.request({ type: "get_last_assistant_text" })).data).toEqual({ text: "I am gpt" });
});

test("a replay made in the program is a model like any other, and needs no key either", async () => {
  const server = await serveModels(workspace);
  server.respond(anthropic.text("Hello"));
  const models = await readFile(join(workspace.agentDir, "models.json"), "utf8");
  await workspace.write("agent/models.json", models.replaceAll(`"apiKey":"${testKey}"`, '"apiKey":"$PIKIT_TEST_UNSET"'));
  const live = await openSession(workspace, { model: "local-anthropic/claude", record: "run.jsonl", apiKey: "a-key" });
  await live.session.prompt("Hi");
  await server.close();
  const model = await replay(join(workspace.cwd, "run.jsonl"), { cwd: workspace.cwd });
  const { session } = await openSession(workspace, { model, session: "memory" });
  await session.prompt("Hi");
  expect(session.lastAssistantText()).toBe("Hello");
});

test("the program of docs/record-replay.md runs, and prints what it promises", async () => {
  const text = await readFile(new URL("../../../../docs/record-replay.md", import.meta.url), "utf8");
  const block = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(text)?.[1] ?? "";
  await workspace.write("work/count.jsonl", block("jsonl"));
  await workspace.write("work/notes", "one\ntwo\nthree\n");
  // Inside the package, so that the program finds what a user's own project would have installed.
  const folder = fileURLToPath(new URL("../.generated-record-replay", import.meta.url));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  const program = join(folder, "program.ts");
  await writeFile(program, block("ts"));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...importOptions, program], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace),
  });
  expect([stdout, stderr]).toEqual([block("text"), ""]);
});
