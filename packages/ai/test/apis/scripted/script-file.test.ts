import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complete, loadScriptedModel } from "../../../src/index.ts";
import { user } from "../../helpers/messages.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pikit-script-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function scriptFile(text: string): Promise<string> {
  const path = join(folder, "script.jsonl");
  await writeFile(path, text);
  return path;
}

const hello = { messages: [user("hello")] };

test("reads one answer a line, skips blank lines, and names the file at its end", async () => {
  const path = await scriptFile('{"text":"one"}\r\n\n  \n{"toolCalls":[{"name":"ls"}],"delayMs":0}');
  const model = await loadScriptedModel(path);
  expect(model).toMatchObject({ api: "scripted", provider: "script", id: path });
  expect((await complete(model, hello)).content).toEqual([{ type: "text", text: "one" }]);
  expect((await complete(model, hello)).content).toMatchObject([{ type: "toolCall", name: "ls" }]);
  expect((await complete(model, hello)).errorMessage).toBe(`${path} has 2 answers and was asked for answer 3. Add a line for it.`);
});

test.each([
  { line: "{oops", said: ":2 is not valid JSON" },
  { line: "[1]", said: ":2 must be a JSON object, but is array." },
  { line: "null", said: ":2 must be a JSON object, but is null." },
  { line: '{"txt":"a"}', said: ':2 has the unknown field "txt". Known are text, thinking,' },
  { line: '{"__proto__":1}', said: ':2 has the unknown field "__proto__"' },
  { line: '{"text":5}', said: ':2: "text" must be string, but is number.' },
  { line: '{"deltas":"many"}', said: ':2: "deltas" must be number or array, but is string.' },
  { line: '{"error":null}', said: ':2: "error" must be object, but is null.' },
])("names file and line: $line", async ({ line, said }) => {
  const path = await scriptFile(`{"text":"one"}\n${line}\n`);
  await expect(loadScriptedModel(path)).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining(path + said),
  });
});

test("names a file that is not there", async () => {
  const path = join(folder, "missing.jsonl");
  await expect(loadScriptedModel(path)).rejects.toMatchObject({
    code: "unsupported",
    message: `Cannot read the script ${path}: ENOENT. Expected a JSONL file with one answer a line.`,
  });
});
