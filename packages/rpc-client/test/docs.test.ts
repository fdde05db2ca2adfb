import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { serve } from "./helpers/served.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
// Inside the package, so that the programs find what a user's own project would have installed.
const programFolder = join(packageFolder, "test/.generated-docs");
const workFolder = mkdtempSync(join(tmpdir(), "rpc-client-docs-"));

afterAll(() => {
  rmSync(programFolder, { recursive: true, force: true });
  rmSync(workFolder, { recursive: true, force: true });
});

/** The programs of a document as files, in order. */
function programsOf(document: string): string[] {
  mkdirSync(programFolder, { recursive: true });
  writeFileSync(join(workFolder, "README.md"), "# Sample\n\nA folder for the examples to look at.\n");
  const text = readFileSync(join(packageFolder, document), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program = ""], index) => {
    const file = join(programFolder, `${document.replaceAll(/\W/g, "-")}-${index + 1}.ts`);
    writeFileSync(file, program);
    return file;
  });
}

const optionsWith = (env: Record<string, string>) => ({
  cwd: workFolder,
  env: { ...process.env, PI_CODING_AGENT_DIR: join(workFolder, "agent"), ...env },
});

/** Runs a program in a folder with a README, and gives what it prints. */
async function run(file = "", env: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...importOptions, file], optionsWith(env));
  expect(stderr).toBe("");
  return stdout;
}

const [tour, events, tool, models, connect, bot, job, server, ...others] = programsOf("../../docs/rpc-client.md");

test("docs/rpc-client.md: the first program shows text and tools of a run", async () => {
  expect(others).toEqual([]);
  const output = await run(tour);
  expect(output).toContain("[bash]\n");
  expect(output).toContain('README.md is titled "Sample" and begins: A folder for the examples to look at.');
  expect(output).toMatch(/\n6 messages\n$/);
});

test("docs/rpc-client.md: events are read one after another", async () => {
  expect(await run(events)).toBe("toolUse\ntoolUse\nstop\n");
});

test("docs/rpc-client.md: a tool runs in the program", async () => {
  const answers = [{ toolCalls: [{ name: "stock", arguments: { article: "lamp" } }] }, { text: "Twelve." }];
  const script = join(workFolder, "answers.jsonl");
  writeFileSync(script, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  expect(await run(tool, { MODEL: `script/${script}` })).toBe('stock [{"type":"text","text":"lamp: 12 pieces"}]\n');
});

test("docs/rpc-client.md: a model runs in the program", async () => {
  expect(await run(models)).toBe("It is 42.\n");
});

test("docs/rpc-client.md: a client of a server shows the text of a run", async () => {
  const { url, tokenFile, work } = await serve();
  writeFileSync(join(work, "README.md"), "# Sample\n\nA folder for the examples to look at.\n");
  const output = await run(connect, { PI_URL: url, PI_TOKEN_FILE: tokenFile });
  expect(output).toMatch(/^\[start: idle\]\n/);
  expect(output).toContain('README.md is titled "Sample"');
});

test("docs/rpc-client.md: a chat bot knows each of its users", async () => {
  const lines = (await run(bot)).trim().split("\n");
  expect(lines.map((line) => line.split(":")[0])).toEqual(["Anna, message 6", "Ben, message 6", "Anna, message 12"]);
});

test("docs/rpc-client.md: a CI job prints its findings and exits with 0", async () => {
  expect(await run(job)).toContain("demo/tour");
});

test("docs/rpc-client.md: a web server streams text to browsers, and ends cleanly", async () => {
  const program = spawn(process.execPath, [...importOptions, server ?? ""], {
    ...optionsWith({ PORT: "0" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  // When the test fails, the server would live on and keep the test run waiting for its stderr.
  onTestFinished(() => void program.kill("SIGKILL"));
  const [line] = await once(program.stdout, "data");
  const pages = await Promise.all([1, 2].map(async () => await (await fetch(String(line).trim())).text()));
  for (const page of pages) {
    const texts = [...page.matchAll(/^event: text\ndata: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    expect(texts.join("")).toContain('README.md is titled "Sample"');
    expect(page).toMatch(/event: end\ndata: null\n\n$/);
  }
  program.kill("SIGTERM");
  expect(await once(program, "exit")).toEqual([0, null]);
});

test("the program of the package's README runs", async () => {
  const [only, ...more] = programsOf("README.md");
  expect(more).toEqual([]);
  expect(await run(only)).toMatch(/^6 [\s\S]*README\.md is titled "Sample"/);
});
