import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { anthropic, google, openai, openaiResponses, startProviderServer, until } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { built, cleanEnvironment, temporaryFolder } from "./helpers.ts";

/** Tells by lines on stderr which of our files are loaded, and when the warm-up's own server was asked. */
const watcher = `
  const { registerHooks } = process.getBuiltinModule("node:module");
  const tell = (line) => process.getBuiltinModule("node:fs").writeSync(2, line + "\\n");
  registerHooks({ load(url, context, next) { if (url.startsWith("file:")) tell("loads " + url); return next(url, context); } });
  process.getBuiltinModule("node:diagnostics_channel").subscribe("net.server.socket", () => tell("rehearses"));`;

const apis = [
  ["anthropic-messages", anthropic],
  ["openai-completions", openai],
  ["openai-responses", openaiResponses],
  ["google-generative-ai", google],
] as const;

test.each(apis)(
  "a process that has answered loads what its first prompt needs, and asks no provider by that: %s",
  async (api, wire) => {
    await using server = await startProviderServer();
    server.respond(wire.text("Hello."));
    const { child, told, rehearsed } = await startPi(server.url, api, "--mode", "rpc", "--no-session", "--model", "here/model");
    const records = createInterface(child.stdout)[Symbol.asyncIterator]();
    const readUntil = async (text: string) => {
      for (let { value, done } = await records.next(); !done; { value, done } = await records.next())
        if (String(value).includes(text)) return;
      throw new Error(`pi ended without ${text}; it said: ${told.join("\n")}`);
    };
    child.stdin.write('{"type":"get_state"}\n');
    await readUntil('"get_state"');
    await rehearsed;
    expect(server.requests).toEqual([]);
    const loadedBefore = told.length;
    child.stdin.write('{"type":"prompt","message":"Hello"}\n');
    await readUntil("agent_settled");
    expect(told.slice(loadedBefore)).toEqual([]);
    expect(server.requests.length).toBe(1);
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  },
);

test("a pi serve whose first session was begun loads what the first prompts need, and asks no provider by that", async () => {
  await using server = await startProviderServer();
  server.respond(anthropic.text("Hello."));
  const { child, told, rehearsed } = await startPi(server.url, "anthropic-messages", "serve", "--port", "0", "--json");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
  const headers = { authorization: `Bearer ${(await readFile(tokenFile, "utf8")).trim()}`, "content-type": "application/json" };
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/v1/sessions${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
  const { sessionId } = await post("", { session: "memory", model: "here/model" });
  await rehearsed;
  expect(server.requests).toEqual([]);
  const events = await fetch(`${url}/v1/sessions/${sessionId}/events`, { headers });
  const decoder = new TextDecoder();
  const loadedBefore = told.length;
  expect(await post(`/${sessionId}/commands`, { type: "prompt", message: "Hello" })).toMatchObject({ success: true });
  let text = "";
  for await (const chunk of events.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("agent_settled")) break;
  }
  // A connection looks like the rehearsal.
  expect(told.slice(loadedBefore).filter((each) => each !== "rehearses")).toEqual([]);
  expect(server.requests.length).toBe(1);
  child.kill("SIGTERM");
  await once(child, "close");
});

test("a process that is killed after it has warmed up leaves its compiled code for later starts", async () => {
  const folder = await temporaryFolder({ "tmp/.keep": "" });
  const temporary = join(folder, "tmp");
  const child = spawn(process.execPath, [built("coding-agent", "cli.js"), "--mode", "rpc", "--no-session"], {
    cwd: folder,
    env: { ...cleanEnvironment(folder), TMPDIR: temporary },
    stdio: ["pipe", "ignore", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.write('{"type":"get_state"}\n');
  const cache = join(temporary, "node-compile-cache");
  await until("compiled code", () => existsSync(cache) && readdirSync(cache, { recursive: true }).length > 5);
  child.kill("SIGKILL");
  await once(child, "close");
});

/** `rehearsed` resolves when the process has prepared for its first prompt. */
async function startPi(baseUrl: string, api: string, ...args: readonly string[]) {
  const folder = await temporaryFolder({
    "watcher.cjs": watcher,
    "agent/models.json": JSON.stringify({ providers: { here: { baseUrl, api, apiKey: "key", models: [{ id: "model" }] } } }),
  });
  const child = spawn(process.execPath, ["--require", `${folder}/watcher.cjs`, built("coding-agent", "cli.js"), ...args], {
    cwd: folder,
    env: cleanEnvironment(folder),
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told: string[] = [];
  const rehearsed = new Promise<void>((resolve) => {
    createInterface(child.stderr).on("line", (line) => {
      told.push(line);
      // The end of the first run, which is that of the warm-up, loads this file, the last one.
      if (told.includes("rehearses") && line.includes("/memory-keeper-")) resolve();
    });
  });
  return { child, told, rehearsed };
}
