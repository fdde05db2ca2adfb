import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { anthropic, google, openai, openaiResponses, startProviderServer } from "@pikit/test-kit";
import { expect, onTestFinished, test, vi } from "vitest";
import { built, cleanEnvironment, temporaryFolder } from "./helpers.ts";

/** Tells by lines on stderr which of our files are loaded, and when the warm-up's own server was asked. */
const watcher = `
  const { registerHooks } = process.getBuiltinModule("node:module");
  const tell = (line) => process.getBuiltinModule("node:fs").writeSync(2, line + "\\n");
  registerHooks({ load(url, context, next) { if (url.startsWith("file:")) tell("loads " + url); return next(url, context); } });
  process.getBuiltinModule("node:diagnostics_channel").subscribe("net.server.socket", () => tell("rehearses"));`;

test.each([
  ["anthropic-messages", anthropic],
  ["openai-completions", openai],
  ["openai-responses", openaiResponses],
  ["google-generative-ai", google],
])("a process that has answered loads what its first prompt needs, and asks no provider by that: %s", async (api, wire) => {
  await using server = await startProviderServer();
  server.respond(wire.text("Hello."));
  const provider = { baseUrl: server.url, api, apiKey: "key", models: [{ id: "model" }] };
  const folder = await temporaryFolder({
    "watcher.cjs": watcher,
    "agent/models.json": JSON.stringify({ providers: { here: provider } }),
  });
  const args = ["--mode", "rpc", "--no-session", "--model", "here/model"];
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
  const records = createInterface(child.stdout)[Symbol.asyncIterator]();
  const until = async (text: string) => {
    for (let { value, done } = await records.next(); !done; { value, done } = await records.next())
      if (String(value).includes(text)) return;
    throw new Error(`pi ended without ${text}; it said: ${told.join("\n")}`);
  };
  child.stdin.write('{"type":"get_state"}\n');
  await until('"get_state"');
  await rehearsed;
  expect(server.requests).toEqual([]);
  const loadedBefore = told.length;
  child.stdin.write('{"type":"prompt","message":"Hello"}\n');
  await until("agent_settled");
  expect(told.slice(loadedBefore)).toEqual([]);
  expect(server.requests.length).toBe(1);
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
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
  await vi.waitFor(() => expect(existsSync(cache) && readdirSync(cache, { recursive: true }).length).toBeGreaterThan(5), 60_000);
  child.kill("SIGKILL");
  await once(child, "close");
});
