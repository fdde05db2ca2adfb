import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileLimits } from "@pikit/ai/files";
import { deviceIn } from "@pikit/test-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentSession } from "../src/session/agent-session.ts";
import { createAgentSession } from "../src/session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../src/session/options.ts";
import { useWorkspace } from "./helpers/workspace.ts";

const workspace = useWorkspace();

/** Makes a pipe that nobody writes to; the path is relative to the root. */
function makePipe(path: string): string {
  const pipe = join(workspace.root, path);
  mkdirSync(dirname(pipe), { recursive: true });
  execFileSync("mkfifo", [pipe]);
  return pipe;
}

const problems: string[] = [];

async function open(options: CreateAgentSessionOptions = {}): Promise<AgentSession> {
  problems.length = 0;
  const { cwd, agentDir } = workspace;
  const onProblem = (problem: string) => void problems.push(problem);
  const session = await createAgentSession({ cwd, agentDir, session: "memory", onProblem, ...options });
  onTestFinished(() => session.dispose());
  return session;
}

const aPipe = "it is a pipe, and a regular file is needed (EFTYPE)";

describe("a pipe in the place of a file holds up no start: it is refused, with its path and what to do", () => {
  test.each<[name: string, options: CreateAgentSessionOptions]>([
    ["settings.json", {}],
    ["models.json", { model: "openai/gpt-5" }],
    ["auth.json", {}],
  ])("agent/%s", async (name, options) => {
    const path = makePipe(`agent/${name}`);
    const advice = "Move it away, or put a JSON file in its place.";
    await expect(open(options)).rejects.toThrow(`Cannot read ${path}: ${aPipe}. ${advice}`);
  });

  test("the settings of a project, and the list of trusted folders", async () => {
    const settings = makePipe("work/.pi/settings.json");
    await expect(open({ trustProject: true })).rejects.toThrow(`Cannot read ${settings}: ${aPipe}.`);
    const trust = makePipe("agent/trust.json");
    await expect(open()).rejects.toThrow(`Cannot read ${trust}: ${aPipe}.`);
  });

  test("a session, and a file that is to be recorded to or replayed", async () => {
    const path = makePipe("odd.jsonl");
    const cases: [CreateAgentSessionOptions, string][] = [
      [{ session: { path } }, `Cannot read the session file ${path}: ${aPipe}. Give the path of an existing session.`],
      [{ session: { fork: path } }, `Cannot read the session file ${path}: ${aPipe}. Give the path of an existing session.`],
      [
        { model: "openai/gpt-5", apiKey: "key", record: path },
        `Cannot write the recording ${path}: ${aPipe}. Choose a file that can be written.`,
      ],
      [{ model: `replay/${path}` }, `Cannot read the recording ${path}: ${aPipe}. Make one with record() or pi --record.`],
      [{ model: `script/${path}` }, `Cannot read the script ${path}: ${aPipe}. Expected a JSONL file with one answer per line.`],
    ];
    for (const [options, message] of cases) await expect(open(options)).rejects.toThrow(message);
  });
});

describe("a pipe or a device among files that are looked for is passed over and named", () => {
  test("extensions, also a package's manifest", async () => {
    const manifest = makePipe("agent/extensions/a/package.json");
    const own = makePipe("agent/extensions/odd.ts");
    const named = makePipe("named.ts");
    await open({ extensions: [named, "/dev/zero"] });
    const aDevice = "it is a device, and a regular file is needed (EFTYPE)";
    expect(problems).toEqual([
      `The extension ${manifest} was not loaded: It cannot be read: ${aPipe}.`,
      `The extension ${own} was not loaded: It cannot be loaded: ${aPipe}.`,
      `The extension ${named} was not loaded: It cannot be loaded: ${aPipe}.`,
      `The extension /dev/zero was not loaded: It cannot be loaded: ${aDevice}.`,
    ]);
  });

  test("an extension that is larger than its limit", async () => {
    const large = await workspace.write("large.ts", "export default () => undefined;");
    truncateSync(large, fileLimits.extension + 1);
    await open({ extensions: [large] });
    expect(problems).toEqual([`The extension ${large} was not loaded: It cannot be loaded: it is larger than 64 MB (EFBIG).`]);
  });

  test("stream rules, templates, skills and context files", async () => {
    const rule = makePipe("agent/rules/odd.md");
    const template = makePipe("agent/prompts/odd.md");
    const skill = makePipe("agent/skills/odd/SKILL.md");
    const context = makePipe("work/AGENTS.md");
    const session = await open({ model: "demo/tour" });
    await session.prompt("Hi");
    expect(problems.sort()).toEqual([
      `Skills in ${skill} cannot be read: it is not a regular file.`,
      `The context file ${context} cannot be read: it is not a regular file.`,
      `The prompt template ${template} cannot be used: it is not a regular file.`,
      `The stream rule ${rule} cannot be used: ${aPipe}. Move it away.`,
    ]);
  });
});

describe("a session in a place that takes no files", () => {
  test.runIf(existsSync("/proc/self/fd")).each([
    ["/proc/pikit", "ENOENT"],
    ["/proc/self/fd", "ENOENT"],
    ["/dev/null/sessions", "ENOTDIR"],
  ])("goes on in memory and says why: a folder %s", async (sessionDir, code) => {
    const session = await open({ session: "new", sessionDir, model: "demo/tour" });
    const errors: string[] = [];
    session.subscribe((event) => void (event.type === "error" && errors.push(event.error)));
    await session.prompt("Hi");
    expect(session.lastAssistantText()).not.toBe("");
    const file = session.sessionFile ?? "";
    expect(errors).toEqual([`Cannot write to the session file ${file}: ${code}. Choose another folder for sessions.`]);
  });

  // Files of /proc say that they are empty, and the last one waits for its next line when it is read.
  test.runIf(existsSync("/proc/self/fd")).each([
    ["/proc/self/status", /^\/proc\/self\/status is not a session file/],
    ["/proc/self/mem", /^Cannot read the session file \/proc\/self\/mem: E/],
    ["/proc/kmsg", /^Cannot read the session file \/proc\/kmsg: E/],
  ])("is refused: %s", async (path, message) => {
    await expect(open({ session: { path } })).rejects.toThrow(message);
  });
});

test("a search in a folder with pipes reads none of them, whatever their names are, and finds the rest", async () => {
  for (const name of [".gitignore", "below/.gitignore", "odd.txt"]) makePipe(`work/${name}`);
  await workspace.write("work/below/file.txt", "needle\n");
  const search = (args: object) => ({ name: "grep", arguments: { pattern: "needle", ...args } });
  const model = await workspace.script({ toolCalls: [search({}), search({ path: "odd.txt" })] }, { text: "done" });
  const session = await open({ model, tools: ["grep"] });
  await session.prompt("Search");
  const results = session.messages.flatMap((message) => (message.role === "toolResult" ? message.content : []));
  expect(results.map((content) => (content.type === "text" ? content.text : ""))).toEqual([
    "below/file.txt:1: needle",
    "Cannot search odd.txt: it is a device, pipe or socket. Give a file or a folder.",
  ]);
});

test("four writes and four edits of pipes are refused, and files can still be read and written", async () => {
  const names = ["a", "b", "c", "d"];
  for (const name of names) makePipe(`work/${name}`);
  const calls = names.flatMap((path) => [
    { name: "write", arguments: { path, content: "x" } },
    { name: "edit", arguments: { path, oldText: "x", newText: "y" } },
  ]);
  const model = await workspace.script(
    { toolCalls: calls },
    { toolCalls: [{ name: "write", arguments: { path: "file", content: "x" } }] },
    { text: "done" },
  );
  const session = await open({ model });
  await session.prompt("Write");
  const results = session.messages.flatMap((message) => (message.role === "toolResult" ? message.content : []));
  const text = results.map((content) => (content.type === "text" ? content.text : ""));
  expect(text).toEqual([
    ...names.flatMap((name) => [
      `Cannot write ${name}: it is a device, pipe or socket. Use bash to write to it.`,
      `Cannot edit ${name}: it is a device, pipe or socket. Only regular files can be used.`,
    ]),
    "Created file (1 B).",
  ]);
});

test("an export to a device, a pipe or a link to one is refused, and leaves it what it is", async () => {
  const pipe = makePipe("pipe.html");
  const link = join(workspace.root, "link.html");
  const device = deviceIn(workspace.root, "null");
  symlinkSync(device, link);
  const session = await open({ model: "demo/tour" });
  await session.prompt("Hi");
  for (const [path, reason] of [
    [device, "it is a device"],
    [pipe, "it is a pipe"],
    [link, "it is a device"],
  ] as const) {
    const message = `Cannot write the export to ${path}: ${reason}, and a regular file is needed (EFTYPE). Give another path.`;
    await expect(session.history.exportHtml(path)).rejects.toThrow(message);
  }
  expect([lstatSync(device).isCharacterDevice(), lstatSync(pipe).isFIFO(), lstatSync(link).isSymbolicLink()]).toEqual([
    true,
    true,
    true,
  ]);
});
