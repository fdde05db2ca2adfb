import { execFile } from "node:child_process";
import { readdir, readFile, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Context, createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { openai, startProviderServer } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { absentUser, type UserInterface } from "../../src/user-interface.ts";
import { readPid } from "../helpers/processes.ts";
import { bashThenDone, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const examples = fileURLToPath(new URL("../../../../examples/extensions", import.meta.url));
const workspace = useWorkspace();
const prices = { cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
let told: string[];
let user: UserInterface;

beforeEach(() => {
  told = [];
  user = {
    ...absentUser,
    notify: (message) => void told.push(message),
    setStatus: (key, text) => void told.push(`${key}: ${text}`),
    setWidget: (key, lines) => void told.push(`${key}: ${lines?.join(", ")}`),
  };
});

afterEach(() => vi.unstubAllEnvs());

/** A session with one of the examples, and what its model was asked. */
async function openExample(name: string, answers: readonly ScriptedAnswer[], options: CreateAgentSessionOptions = {}) {
  const asked: Context[] = [];
  const model = createScriptedModel({
    overrides: prices,
    script(context, callIndex) {
      asked.push(structuredClone({ ...context, tools: [] }));
      return answers[callIndex] ?? { error: { message: "More model calls than the test expects." } };
    },
  });
  const opened = await openSession(workspace, {
    ...{ model, user, extensions: [join(examples, `${name}.ts`)], session: "memory" },
    onProblem: (problem) => expect.fail(problem),
    ...options,
  });
  return { ...opened, asked };
}

const call = (name: string, args: Record<string, unknown>): ScriptedAnswer => ({ toolCalls: [{ name, arguments: args }] });
const done = { text: "Done." };

/** The texts of results, and every failure of the extension itself. */
function results(events: readonly AgentSessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "extension_error") return [`extension_error: ${event.error}`];
    if (event.type !== "tool_execution_end") return [];
    return [event.result.content.map((block) => (block.type === "text" ? block.text.trim() : "")).join("")];
  });
}

async function git(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: workspace.root, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@localhost"];
  return (await promisify(execFile)("git", [...identity, ...args], { cwd: workspace.cwd, env })).stdout.trimEnd();
}

test("the README names every example, and each says at its top what it does", async () => {
  const files = (await readdir(examples)).filter((name) => name.endsWith(".ts")).sort();
  const readme = await readFile(join(examples, "README.md"), "utf8");
  expect([...readme.matchAll(/^\| \[(.+?)\]/gm)].map((match) => match[1]).sort()).toEqual(files);
  const texts = await Promise.all(files.map((name) => readFile(join(examples, name), "utf8")));
  expect(texts.filter((text) => !text.startsWith("// "))).toEqual([]);
});

describe("permission-gate", () => {
  const answers = [call("bash", { command: "rm -rf build && echo gone" }), call("bash", { command: "echo harmless" }), done];

  test.each([
    [true, ["gone", "harmless"]],
    [false, [expect.stringContaining("did not allow"), "harmless"]],
  ])("asks before a risky command alone; the answer is %s", async (answer, expected) => {
    const questions: unknown[] = [];
    user.confirm = async ({ title, message }) => {
      questions.push([title, message]);
      return answer;
    };
    const { session, events } = await openExample("permission-gate", answers);
    await session.prompt("Go");
    expect(questions).toEqual([["This command deletes files. Run it?", "rm -rf build && echo gone"]]);
    expect(results(events)).toEqual(expected);
  });

  test("refuses a risky command where nobody can be asked", async () => {
    const { session, events } = await openExample("permission-gate", answers);
    await session.prompt("Go");
    expect(results(events)).toEqual([expect.stringContaining("did not allow"), "harmless"]);
  });
});

test("protected-paths blocks edit and write on the paths and within them, however they are spelt", async () => {
  vi.stubEnv("PI_PROTECTED_PATHS", ["secret.txt", "vendor"].join(delimiter));
  await workspace.write("work/secret.txt", "key\n");
  await workspace.write("work/vendor/a.js", "1\n");
  await symlink(join(workspace.cwd, "vendor"), join(workspace.cwd, "link"));
  const write = (path: string) => call("write", { path, content: "x" });
  const refused = ["./vendor/../secret.txt", "@secret.txt", "link/deep/new.js", `file://${workspace.cwd}/secret.txt`];
  const { session, events } = await openExample("protected-paths", [
    call("edit", { path: "vendor/a.js", oldText: "1", newText: "2" }),
    ...refused.map(write),
    write("secret.txt.md"),
    write("..vendor"),
    call("read", { path: "secret.txt" }),
    done,
  ]);
  await session.prompt("Go");
  expect(results(events)).toEqual([
    ...["vendor/a.js", ...refused].map((path) => expect.stringContaining(`${path} is protected (`)),
    "Created secret.txt.md (1 B).",
    "Created ..vendor (1 B).",
    "key",
  ]);
  expect(await readFile(join(workspace.cwd, "vendor/a.js"), "utf8")).toBe("1\n");
});

describe("git-checkpoint", () => {
  test("keeps each turn's state beside the branch and the index, and restores it", async () => {
    await git("init", "--initial-branch=main");
    await workspace.write("work/a.txt", "committed");
    await git("add", "a.txt");
    await git("commit", "-m", "first");
    await workspace.write("work/b.txt", "new");
    await workspace.write("work/a.txt", "mine");
    await git("add", "a.txt");
    const { session, events } = await openExample("git-checkpoint", [
      call("write", { path: "a.txt", content: "the model's" }),
      call("read", { path: "a.txt" }),
      call("bash", { command: "rm b.txt" }),
      done,
    ]);
    const before = [await git("rev-parse", "HEAD"), await git("ls-files", "--stage")];
    await session.prompt("Go");
    expect(results(events).filter((text) => text.startsWith("extension_error"))).toEqual([]);
    expect([await git("rev-parse", "HEAD"), await git("ls-files", "--stage")]).toEqual(before);
    await session.prompt("/checkpoints");
    const folder = `pi/${session.sessionId}`;
    const list = [`${folder}/0003 after bash`, `${folder}/0002 after write`, `${folder}/0001 before the run`];
    expect(told.splice(0)).toEqual([list.join("\n")]);
    await session.prompt(`/checkpoints restore ${folder}/0001`);
    const read = (name: string) => readFile(join(workspace.cwd, name), "utf8");
    expect([await read("a.txt"), await read("b.txt")]).toEqual(["mine", "new"]);
    expect(told).toEqual([`The files are as in ${folder}/0001.`]);
  });

  test("works before the first commit, and leaves a folder without git alone", async () => {
    const { session, events } = await openExample("git-checkpoint", [done, done]);
    await session.prompt("Go");
    await session.prompt("/checkpoints");
    await git("init");
    await workspace.write("work/a.txt", "1");
    await session.prompt("Go");
    await session.prompt("/checkpoints");
    expect(told).toEqual(["This folder is not in a git repository.", `pi/${session.sessionId}/0001 before the run`]);
    expect(results(events)).toEqual([]);
  });
});

test("todo-command keeps a list in the session, which is there when it is opened again", async () => {
  const first = await openExample("todo-command", [done], { session: "new" });
  await first.session.prompt("Hello");
  for (const line of ["/todo", "/todo add Buy milk", "/todo add Call Ann", "/todo done 1", "/todo done 7"])
    await first.session.prompt(line);
  expect(told.splice(0)).toEqual([
    "todo: undefined",
    "Nothing to do.",
    "todo: 1. [ ] Buy milk",
    "todo: 1. [ ] Buy milk, 2. [ ] Call Ann",
    "todo: 1. [x] Buy milk, 2. [ ] Call Ann",
    expect.stringContaining("Write /todo"),
  ]);
  await first.session.dispose();
  const again = await openExample("todo-command", [], { session: "continue" });
  await again.session.prompt("/todo");
  expect(told).toEqual(["todo: 1. [x] Buy milk, 2. [ ] Call Ann", "1. [x] Buy milk\n2. [ ] Call Ann"]);
  expect(first.asked).toHaveLength(1);
});

test("notify tells how a run has ended, and what it cost", async () => {
  vi.stubEnv("PI_NOTIFY_AFTER_SECONDS", "0");
  const usage = { input: 1000, output: 500 };
  const { session } = await openExample("notify", [
    { ...call("bash", { command: "true" }), usage },
    { ...done, usage },
    { error: { status: 400, message: "No such model." } },
  ]);
  await session.prompt("Go");
  await session.prompt("Again").catch(() => undefined);
  expect(told).toEqual([
    expect.stringMatching(/^Done \(\d+ s, model calls: 2, \$0\.0030\)$/),
    expect.stringMatching(/^Failed: .*No such model.* \(\d+ s, model calls: 1, \$/),
  ]);
});

test("custom-provider: its models are asked where GATEWAY_URL says, with the key of GATEWAY_KEY", async () => {
  const server = await startProviderServer();
  onTestFinished(() => server.close());
  vi.stubEnv("GATEWAY_URL", `${server.url}/v1`);
  vi.stubEnv("GATEWAY_KEY", "sk-gateway");
  server.respond(openai.answer([{ text: "From the gateway." }]));
  const { session } = await openExample("custom-provider", [], { model: "gateway/small" });
  await session.prompt("Hi");
  expect(session.lastAssistantText()).toBe("From the gateway.");
  expect(server.requests).toEqual([
    expect.objectContaining({
      path: "/v1/chat/completions",
      headers: expect.objectContaining({ authorization: "Bearer sk-gateway", "x-team": "docs" }),
      body: expect.objectContaining({ model: "small" }),
    }),
  ]);
});

describe("custom-compaction", () => {
  const long = (text: string) => `${text} ${"and so on ".repeat(1000)}`;
  const answers = [call("write", { path: "a.txt", content: "x" }), { text: "Written." }, done, { text: "The model's summary." }];
  const open = () => openExample("custom-compaction", answers, { compaction: { keepRecentTokens: 100 } });

  test("keeps the user's words, the changed files and the last answer, and asks no model", async () => {
    const { session, asked } = await open();
    await session.prompt("Write a.txt");
    await session.prompt(long("Think"));
    const { summary } = await session.compact();
    expect(summary).toContain("The user asked, in this order:\n- Write a.txt");
    expect(summary).toContain("Files that were edited or written:\n- a.txt");
    expect(summary).toContain("Your last answer:\nWritten.");
    expect(asked).toHaveLength(3);
  });

  test("leaves a compaction with instructions to the model", async () => {
    const { session } = await open();
    await session.prompt("Write a.txt");
    await session.prompt(long("Think"));
    expect((await session.compact({ instructions: "Be short" })).summary).toContain("The model's summary.");
  });
});

describe("tool-override", () => {
  test("runs bash through the prefix, unchanged, and failures are told with their output", async () => {
    vi.stubEnv("PI_BASH_PREFIX", "env PLACE=box");
    const { session, events } = await openExample("tool-override", [
      call("bash", { command: `echo "it's $PLACE"; echo err >&2` }),
      call("bash", { command: "echo before; exit 3" }),
      call("bash", { command: "echo begun; echo $$ > pid; sleep 600", timeout: 60 }),
      done,
    ]);
    const clock = holdClock();
    const settled = session.prompt("Go");
    await readPid(join(workspace.cwd, "pid"));
    clock.pass(60_000);
    clock.release();
    await settled;
    expect(results(events)).toEqual([
      "it's box\nerr",
      "before\n\n\nCommand exited with code 3.",
      "begun\n\n\nKilled: stopped, or not over after 60 seconds.",
    ]);
  });

  test("ssh, which joins its arguments for a shell over there, gets the command quoted", async () => {
    // What sshd does with the words behind the host.
    const ssh = await workspace.write("bin/ssh", '#!/bin/sh\nshift\nexec sh -c "$*"\n');
    await promisify(execFile)("chmod", ["+x", ssh]);
    await workspace.write("far away/notes.txt", "x");
    vi.stubEnv("PI_BASH_PREFIX", `${ssh} host`);
    vi.stubEnv("PI_BASH_FOLDER", join(workspace.root, "far away"));
    const { session, events } = await openExample("tool-override", bashThenDone(`ls; echo "it's"; [[ a < b ]] && echo bash # end`));
    await session.prompt("Go");
    expect(results(events)).toEqual(["notes.txt\nit's\nbash"]);
  });
});

test("test-summary: the model gets the output of the tests, and the user a summary of it", async () => {
  vi.stubEnv("PI_TEST_COMMAND", "cat results.tap #");
  await workspace.write(
    "work/results.tap",
    "TAP version 13\nok 1 - adds\nnot ok 2 - divides\n  ---\n  error: by zero\n  ...\n1..2\n",
  );
  const { session, events } = await openExample("test-summary", [
    call("run_tests", { files: ["math.test.js"] }),
    call("run_tests", {}),
    done,
  ]);
  await session.prompt("Test");
  expect(results(events)).toEqual([expect.stringContaining("error: by zero"), expect.stringContaining("error: by zero")]);
  expect(events.flatMap((event) => (event.type === "tool_execution_end" ? [event.result.display] : []))).toEqual([
    { call: "math.test.js", result: ["1 of 2 tests failed:", "  divides"] },
    { call: "all tests", result: ["1 of 2 tests failed:", "  divides"] },
  ]);
});

describe("structured-output", () => {
  const answer = { summary: "A leak.", severity: "major", files: ["a.ts"] };

  test("what does not fit the schema is done again; the data are in the details and in the file", async () => {
    vi.stubEnv("PI_FINAL_ANSWER_FILE", "answer.json");
    const { session, events, asked } = await openExample("structured-output", [
      call("final_answer", { ...answer, severity: "awful" }),
      call("final_answer", answer),
      done,
    ]);
    await session.prompt("Review");
    expect(asked[0]?.systemPrompt).toMatch(/call the tool final_answer once/);
    expect(results(events)).toEqual([
      expect.stringContaining("Invalid arguments for final_answer"),
      expect.stringContaining("Received."),
    ]);
    expect(events.findLast(({ type }) => type === "tool_execution_end")).toMatchObject({
      result: { details: answer },
      isError: false,
    });
    expect(JSON.parse(await readFile(join(workspace.cwd, "answer.json"), "utf8"))).toEqual(answer);
  });

  test("a model that ends with prose is reminded once, in the same run", async () => {
    const { session, events, asked } = await openExample("structured-output", [
      { text: "There is a leak." },
      call("final_answer", answer),
      done,
      { text: "Prose." },
      { text: "Prose again." },
    ]);
    await session.prompt("Review");
    expect(asked).toHaveLength(3);
    expect(results(events)).toEqual([expect.stringContaining("Received.")]);
    await session.prompt("Once more");
    expect(asked).toHaveLength(5);
    expect(events.filter(({ type }) => type === "agent_start")).toHaveLength(2);
  });
});

test("cost-limit ends a run past the limit, and the next one begins at zero", async () => {
  vi.stubEnv("PI_COST_LIMIT_USD", "1.5");
  const usage = { input: 1_000_000, output: 0 };
  const work = { ...call("bash", { command: "true" }), usage };
  const { session, events, asked } = await openExample("cost-limit", [work, work, { ...done, usage }]);
  await session.prompt("Go");
  expect(asked).toHaveLength(2);
  expect(events.at(-1)?.type).toBe("agent_settled");
  expect(told.splice(0)).toEqual([
    "cost-limit: $1.00 of $1.50",
    "cost-limit: $2.00 of $1.50",
    "The run has cost $2.00, and $1.50 is its limit. It was stopped.",
    // The turn that says that the run was aborted.
    "cost-limit: $2.00 of $1.50",
  ]);
  await session.prompt("Again");
  expect(session.lastAssistantText()).toBe("Done.");
  expect(told).toEqual(["cost-limit: $1.00 of $1.50"]);
});
