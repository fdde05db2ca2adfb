import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions, openai, startProviderServer } from "@pikit/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyVariablesOf, loadProviderModels, providers } from "../src/index.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
// Inside the package, so that the programs find what a user's own project would have installed.
const programFolder = join(packageFolder, "test/.generated-docs");
let text: string;

beforeAll(async () => {
  await mkdir(programFolder, { recursive: true });
  text = await readFile(new URL("../../../docs/ai.md", import.meta.url), "utf8");
});

afterAll(() => rm(programFolder, { recursive: true, force: true }));

async function runProgram(index: number, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const program = [...text.matchAll(/^```ts\n(.*?)^```$/gms)][index]?.[1] ?? "";
  const file = join(programFolder, `ai.md-${index + 1}.ts`);
  await writeFile(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, [...importOptions, file], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

test("the first program of docs/ai.md calls a tool and prints the answer", async () => {
  await using server = await startProviderServer();
  server.respond(openai.toolCall("weather", { city: "Oslo" }), openai.text("It snows."));
  expect(await runProgram(0, { MODEL_URL: `${server.url}/v1` })).toBe('weather({"city":"Oslo"})\nIt snows.\n4 messages\n');
  expect(server.requests[1]?.body).toMatchObject({
    reasoning_effort: "low",
    messages: [{ role: "system" }, { role: "user" }, { role: "assistant" }, { role: "tool", content: "2 degrees, snow" }],
  });
});

test("the api of docs/ai.md answers", async () => {
  expect(await runProgram(1)).toBe("[ { type: 'text', text: 'parrot says: hello' } ]\n");
});

test("docs/ai.md names every provider with its key and its api", async () => {
  for (const { provider } of providers) {
    const row = text.split("\n").find((line) => line.startsWith(`| \`${provider}\` |`)) ?? "";
    for (const variable of keyVariablesOf(provider)) expect(row).toContain(`\`${variable}\``);
    const [model] = await loadProviderModels(provider);
    expect(row).toContain(`\`${model?.api}\``);
  }
});

test.each(["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"])(
  "docs/ai.md has every field of the compat of %s",
  async (api) => {
    const folder = new URL(`../src/apis/${api}/`, import.meta.url);
    const names = (await readdir(folder)).filter((name) => name.endsWith("compat.ts"));
    const source = (await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")))).join("\n");
    const body = /export interface \w+Compat \{\n(.*?)\n\}/s.exec(source)?.[1] ?? "";
    const fields = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map((match) => match[1]);
    expect(fields.length).toBeGreaterThan(3);
    for (const field of fields) expect(text).toContain(`\`${field}\``);
  },
);
