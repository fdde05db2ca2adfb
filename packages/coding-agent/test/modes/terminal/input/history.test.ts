import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentMessage } from "@pikit/agent";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../../../ai/test/helpers/characters.ts";
import { PromptHistory } from "../../../../src/modes/terminal/input/history.ts";
import { HistoryFile } from "../../../../src/modes/terminal/input/history-file.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const path = () => join(workspace.agentDir, "prompt-history.jsonl");
const line = (text: string) => `${JSON.stringify({ text, timestamp: 1 })}\n`;

async function storedTexts(): Promise<string[]> {
  const lines = (await readFile(path(), "utf8")).trimEnd().split("\n");
  return lines.map((each) => JSON.parse(each).text);
}

async function writeHistory(content: string): Promise<void> {
  await mkdir(workspace.agentDir, { recursive: true });
  await writeFile(path(), content);
}

function open(options: { isStored?: boolean; messages?: AgentMessage[]; problems?: string[] } = {}): PromptHistory {
  const { isStored = true, messages = [], problems = [] } = options;
  const onProblem = (problem: string) => void problems.push(problem);
  return new PromptHistory({ agentDir: workspace.agentDir, isStored, messages: () => messages, onProblem });
}

const userMessage = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });

describe("the file", () => {
  test("prompts are there for the next session, each once, in a private file", async () => {
    const first = open();
    for (const text of ["one", "two\nlines", "two\nlines", "three \u2028 \u0000"]) first.add(text);
    expect(first.list()).toEqual(["one", "two\nlines", "three \u2028 \u0000"]);
    await first.settled();
    const second = open();
    expect(second.list()).toEqual(["one", "two\nlines", "three \u2028 \u0000"]);
    second.add("one");
    await second.settled();
    expect(second.list()).toEqual(["two\nlines", "three \u2028 \u0000", "one"]);
    expect(await storedTexts()).toEqual(["one", "two\nlines", "three \u2028 \u0000", "one"]);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await readdir(workspace.agentDir)).toEqual(["prompt-history.jsonl"]);
  });

  test("the same prompt of another process in a row is stored once", async () => {
    const [one, other] = [open(), open()];
    one.add("same");
    await one.settled();
    other.add("same");
    await other.settled();
    expect(await storedTexts()).toEqual(["same"]);
    expect(other.list()).toEqual(["same"]);
  });

  test("a session in memory reads it and writes nothing", async () => {
    await writeHistory(line("old"));
    const history = open({ isStored: false });
    history.add("new");
    await history.settled();
    expect(history.list()).toEqual(["old", "new"]);
    expect(await storedTexts()).toEqual(["old"]);
  });

  test("damaged lines are skipped, and a line that was cut short damages no other", async () => {
    await writeHistory(`${line("a")}{"text":1}\nnull\n\n{"te\n"b"\n[]\n${line("c")}{"text":"cut`);
    const history = open();
    expect(history.list()).toEqual(["a", "c"]);
    history.add("d");
    await history.settled();
    expect(open().list()).toEqual(["a", "c", "d"]);
  });

  test("it holds 1,100 prompts at most, and the latest 1,000 are offered", async () => {
    await writeHistory(Array.from({ length: 1099 }, (_, index) => line(`prompt ${index}`)).join(""));
    const history = open();
    expect(history.list()).toHaveLength(1000);
    for (const text of ["x", "y"]) history.add(text);
    await history.settled();
    const stored = await storedTexts();
    expect([stored.length, stored[0], ...stored.slice(-3)]).toEqual([1000, "prompt 101", "prompt 1098", "x", "y"]);
    expect(history.list()).toEqual(stored);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
  });

  test("its bytes are limited, those of a prompt, too", async () => {
    const long = "x".repeat(60_000);
    const history = open();
    for (let index = 0; index < 40; index += 1) history.add(`${index} ${long}`);
    history.add("y".repeat(70_000));
    await history.settled();
    expect((await stat(path())).size).toBeLessThanOrEqual(1024 * 1024);
    const stored = await storedTexts();
    expect(stored.at(-1)).toBe(`39 ${long}`);
    // In this session it is there.
    expect(history.list().at(-1)).toBe("y".repeat(70_000));
  });

  test("of a file that is too large only the end is read", async () => {
    await writeHistory(line("x".repeat(1000)).repeat(2000) + line("last"));
    expect(open().list()).toEqual(["x".repeat(1000), "last"]);
  });

  test("a change by another process is seen", async () => {
    await writeHistory(line("a"));
    const history = open();
    expect(history.list()).toEqual(["a"]);
    await appendFile(path(), line("b"));
    expect(history.list()).toEqual(["a", "b"]);
  });

  test("a folder in its place is reported once, and the prompts of the session stay", async () => {
    await mkdir(path(), { recursive: true });
    const problems: string[] = [];
    const history = open({ problems });
    history.add("a");
    history.add("b");
    await history.settled();
    expect(history.list()).toEqual(["a", "b"]);
    expect(problems).toEqual([
      `The history of prompts in ${path()} cannot be used: it is a folder, and a regular file is needed (EISDIR).`,
    ]);
  });
});

test("the prompts of the session come first, as they were typed", async () => {
  await writeHistory(line("in both") + line("old"));
  const messages: AgentMessage[] = [
    userMessage('<file name="a.md">\nfile\n</file>\n\n<file name="b.md">\n</file>\n\nRead these'),
    { role: "assistant", content: [], timestamp: 1 } as never,
    userMessage("in both"),
    userMessage("[image dot.png: image/png, 1×1, 70 B]\n\nWhat is it?"),
    userMessage('<file name="a.md">\nonly a file\n</file>'),
  ];
  const history = open({ messages });
  history.add("latest");
  expect(history.list()).toEqual(["old", "Read these", "in both", "What is it?", "latest"]);
  await history.settled();
});

test("processes that append at the same time lose no prompt, also while the oldest are removed", async () => {
  await writeHistory(Array.from({ length: 1095 }, (_, index) => line(`old ${index}`)).join(""));
  const program = fileURLToPath(new URL("fixtures/append-prompts.ts", import.meta.url));
  const names = ["a", "b", "c"];
  const count = 15;
  const exits = names.map(async (name) => {
    const args = ["--conditions=pikit-source", program, path(), name, String(count)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(child, "exit");
    return code;
  });
  expect(await Promise.all(exits)).toEqual([0, 0, 0]);
  const stored = await storedTexts();
  for (const name of names) {
    const own = stored.filter((text) => text.startsWith(`${name} `));
    expect(own).toEqual(Array.from({ length: count }, (_, index) => `${name} ${index}`));
  }
  expect(stored.length).toBeLessThanOrEqual(1100);
});

test("any texts come back as they were", async () => {
  const texts = fc.array(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 50 }), { maxLength: 8 });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(texts, texts, async (one, other) => {
      const file = join(workspace.root, `history-${run++}.jsonl`);
      const [first, second] = [new HistoryFile(file), new HistoryFile(file)];
      const append = async (history: HistoryFile, all: string[]) => {
        for (const text of all) await history.append(text);
      };
      await append(first, one);
      await append(second, other);
      const all = [...one, ...other];
      expect(new HistoryFile(file).read()).toEqual(all.filter((text, index) => text !== all[index - 1]));
    }),
    { numRuns: 25 },
  );
});
