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
  expect((await complete(model, hello)).errorMessage).toBe(
    `${path} has 2 answers, but call 3 needs another one. Add a line for it.`,
  );
});

test.each([
  { line: "{oops", said: ":2 is not valid JSON" },
  { line: "[1]", said: ":2 must be a JSON object, but is array." },
  { line: "null", said: ":2 must be a JSON object, but is null." },
  { line: '{"txt":"a"}', said: ':2 has the unknown field "txt". Known fields are text, thinking,' },
  { line: '{"__proto__":1}', said: ':2 has the unknown field "__proto__"' },
  { line: '{"text":5}', said: ':2: "text" must be string, but is number.' },
  { line: '{"deltas":"many"}', said: ':2: "deltas" must be number or array, but is string.' },
  { line: '{"deltas":["a",1]}', said: ':2: "deltas[1]" must be string, but is number.' },
  { line: '{"deltas":0}', said: ':2: "deltas" must be at least 1, but is 0.' },
  { line: '{"delayMs":-5}', said: ':2: "delayMs" must be at least 0, but is -5.' },
  { line: '{"toolCalls":[{"name":"ls"},5]}', said: ':2: "toolCalls[1]" must be object, but is number.' },
  { line: '{"toolCalls":[{"arguments":{}}]}', said: ':2: "toolCalls[0].name" is missing.' },
  { line: '{"toolCalls":[{"name":""}]}', said: ':2: "toolCalls[0].name" must not be empty.' },
  { line: '{"toolCalls":[{"name":"ls","arguments":"{}"}]}', said: ':2: "toolCalls[0].arguments" must be object, but is string.' },
  {
    line: '{"toolCalls":[{"name":"ls","args":{}}]}',
    said: ':2 has the unknown field "toolCalls[0].args". Known fields are toolCalls[0].name, toolCalls[0].arguments, toolCalls[0].id.',
  },
  { line: '{"error":{}}', said: ':2: "error.message" is missing.' },
  { line: '{"error":{"message":"x","status":200}}', said: ':2: "error.status" must be at least 400, but is 200.' },
  {
    line: '{"error":{"message":"x","code":1}}',
    said: ':2 has the unknown field "error.code". Known fields are error.status, error.message.',
  },
  { line: '{"usage":{"input":"5"}}', said: ':2: "usage.input" must be number, but is string.' },
  { line: '{"usage":{"output":-1}}', said: ':2: "usage.output" must be at least 0, but is -1.' },
  { line: '{"usage":{"total":1}}', said: ':2 has the unknown field "usage.total".' },
  { line: '{"error":null}', said: ':2: "error" must be object, but is null.' },
])("names file and line: $line", async ({ line, said }) => {
  const path = await scriptFile(`{"text":"one"}\n${line}\n`);
  await expect(loadScriptedModel(path)).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining(path + said),
  });
});

test("takes an answer with every field, and any arguments", async () => {
  const answer = {
    text: "a b",
    thinking: "hm",
    toolCalls: [{ name: "write", arguments: { anything: [1, { goes: null }] }, id: "call_1" }],
    deltas: ["a ", "b"],
    delayMs: 0,
    error: { status: 529, message: "busy" },
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 0 },
  };
  const model = await loadScriptedModel(await scriptFile(JSON.stringify(answer)));
  expect(await complete(model, hello)).toMatchObject({ errorMessage: "529 from script: busy", usage: { totalTokens: 6 } });
});

test("names a file that is not there", async () => {
  const path = join(folder, "missing.jsonl");
  await expect(loadScriptedModel(path)).rejects.toMatchObject({
    code: "unsupported",
    message: `Cannot read the script ${path}: ENOENT. Expected a JSONL file with one answer per line.`,
  });
});
