import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/config/read-settings.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const stateOf = async () => (await createScriptedSession(workspace, [])).session.state();

describe("settings.json", () => {
  test("a missing file has no settings; keys of other versions are left alone", async () => {
    expect(await readSettings(join(workspace.root, "none.json"))).toEqual({});
    const path = await workspace.write("settings.json", {
      steeringMode: "all",
      theme: "dark",
      retry: { maxRetries: 5, jitter: 1 },
    });
    expect(await readSettings(path)).toMatchObject({ steeringMode: "all", retry: { maxRetries: 5 } });
  });

  test("null counts as absent", async () => {
    await workspace.write("agent/settings.json", { steeringMode: null, interruptMode: null, retry: null, limits: null });
    expect(await stateOf()).toMatchObject({ steeringMode: "one-at-a-time", interruptMode: "wait", autoRetryEnabled: true });
  });

  test("choose the modes of the queues and whether to retry; without them the defaults hold", async () => {
    expect(await stateOf()).toMatchObject({
      queueMode: "one-at-a-time",
      steeringMode: "one-at-a-time",
      followUpMode: "one-at-a-time",
      interruptMode: "wait",
      autoRetryEnabled: true,
    });
    await workspace.write("agent/settings.json", {
      steeringMode: "all",
      followUpMode: "all",
      interruptMode: "immediate",
      retry: { enabled: false },
    });
    expect(await stateOf()).toMatchObject({
      queueMode: "all",
      steeringMode: "all",
      followUpMode: "all",
      interruptMode: "immediate",
      autoRetryEnabled: false,
    });
  });

  test("retry: what is not set keeps its default, and an option wins over both", async () => {
    await workspace.write("agent/settings.json", { retry: { maxRetries: 2, baseDelayMs: 0 } });
    const failing = () => ({ error: { status: 529, message: "busy" } });
    const attemptsOf = async (options = {}) => {
      const { session, events } = await createScriptedSession(workspace, failing, options);
      await session.prompt("Hi");
      return events.filter(({ type }) => type === "auto_retry_start").length;
    };
    expect(await attemptsOf()).toBe(2);
    expect(await attemptsOf({ retry: { maxRetries: 1 } })).toBe(1);
    expect(await attemptsOf({ retry: { maxRetries: 0 } })).toBe(0);
  });

  test.each([
    [{ steeringMode: "some" }, 'Field "steeringMode" must be "all" or "one-at-a-time", but is "some".'],
    [{ followUpMode: 1 }, 'Field "followUpMode" must be "all" or "one-at-a-time", but is 1.'],
    [{ interruptMode: "now" }, 'Field "interruptMode" must be "immediate" or "wait", but is "now".'],
    [{ retry: true }, /Field "retry" must be an object, but is true\.$/],
    [{ retry: { enabled: "yes" } }, /Field "retry[./]enabled" must be a boolean, but is "yes"\.$/],
    [{ retry: { maxRetries: -1 } }, /Field "retry[./]maxRetries" must be .*, but is -1\.$/],
    [{ retry: { baseDelayMs: "2s" } }, /Field "retry[./]baseDelayMs" must be a number, but is "2s"\.$/],
    [{ limits: { maxTurns: 0 } }, /Field "limits[./]maxTurns" must be .*, but is 0\.$/],
    [{ limits: { maxTimeSeconds: -5 } }, /Field "limits[./]maxTimeSeconds" must be .*, but is -5\.$/],
  ])("%j is an error that names the file, the field and what was expected", async (settings, message) => {
    const path = await workspace.write("settings.json", settings);
    await expect(readSettings(path)).rejects.toMatchObject({ name: "UsageError", exitCode: 1 });
    await expect(readSettings(path)).rejects.toThrow(message);
    await expect(readSettings(path)).rejects.toThrow(path);
  });
});

test("SC-004 a mistyped header or variable of an MCP server is named and not quoted, since it may be a key", async () => {
  const path = await workspace.write("agent/settings.json", { mcpServers: { a: { url: "https://x", headers: ["s3cret"] } } });
  const error = await readSettings(path).catch((reason: Error) => reason);
  expect(error).toMatchObject({ message: expect.stringMatching(/Field "mcpServers\.a/) });
  expect(JSON.stringify(String(error))).not.toContain("s3cret");
});

test("a key that looks misspelt is told of, at every depth, once a session; other unknown keys are left alone", async () => {
  await workspace.write("agent/settings.json", {
    aproval: "always",
    theme: "dark",
    compacton: { enabled: false },
    terminal: { showThinkin: true },
    key: { submit: "enter" },
    retry: { maxretries: 5, maxDelayMs: 1 },
    mcpServers: { aproval: { comand: "x", env: { PAHT: "" } } },
    // What is there need not be meant once more.
    limits: { maxTurns: 5, maxTurn: 5 },
  });
  const problems: string[] = [];
  const { session } = await openSession(workspace, { onProblem: (problem) => void problems.push(problem), mcp: false });
  expect(session.state()).toMatchObject({ isStreaming: false });
  const path = join(workspace.agentDir, "settings.json");
  expect(problems).toEqual([
    `${path}: "aproval" is not known here and is ignored. Did you mean "approval"?`,
    `${path}: "compacton" is not known here and is ignored. Did you mean "compaction"?`,
    `${path}: "terminal.showThinkin" is not known here and is ignored. Did you mean "showThinking"?`,
    `${path}: "key" is not known here and is ignored. Did you mean "keys"?`,
    `${path}: "retry.maxretries" is not known here and is ignored. Did you mean "maxRetries"?`,
    `${path}: "mcpServers.aproval.comand" is not known here and is ignored. Did you mean "command"?`,
  ]);
});

test("so is one of models.json, where a key that is not read means none", async () => {
  const local = {
    baseUrl: "http://127.0.0.1:1",
    api: "openai-completions",
    apikey: "sk-5ecret",
    models: [{ id: "m", contextWindo: 5 }],
  };
  await workspace.write("agent/models.json", { providers: { local } });
  const problems: string[] = [];
  await openSession(workspace, { onProblem: (problem) => void problems.push(problem) });
  expect(problems.map((problem) => problem.replace(/^.*?: /, ""))).toEqual([
    '"providers.local.apikey" is not known here and is ignored. Did you mean "apiKey"?',
    '"providers.local.models.0.contextWindo" is not known here and is ignored. Did you mean "contextWindow"?',
  ]);
  expect(problems.join()).not.toContain("5ecret");
});
