import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readAllSettings } from "../../src/config/all-settings.ts";
import { familyKeys } from "../../src/config/family-settings.ts";
import { SettingsSchema } from "../../src/config/settings.ts";
import { runCli } from "../helpers/cli.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** Every setting of related programs from 0.73 to 0.87, and what old versions wrote. */
const settings = {
  ...{ lastChangelogVersion: "0.73.1", defaultThinkingLevel: "max", modelThinkingLevels: { "x/y": "max" }, transport: "auto" },
  ...{ steeringMode: "all", followUpMode: "all", theme: "dark", hideThinkingBlock: true, showCacheMissNotices: true },
  compaction: { enabled: true, reserveTokens: 1, keepRecentTokens: 1, modelOverrides: { "x/y": { reserveTokens: 1 } } },
  branchSummary: { reserveTokens: 1, skipPrompt: true },
  retry: {
    ...{ enabled: true, maxRetries: 1, baseDelayMs: 1, maxAgentDelayMs: 1, maxDelayMs: 1 },
    // no race: the value is only read.
    provider: { timeoutMs: 1, maxRetries: 1, maxRetryDelayMs: 1 },
  },
  ...{ externalEditor: "vi", shellPath: "~/bash", quietStartup: true, defaultProjectTrust: "ask", shellCommandPrefix: "true" },
  ...{ npmCommand: ["npm"], collapseChangelog: true, enableInstallTelemetry: true, enableAnalytics: true, trackingId: "x" },
  ...{ packages: [], extensions: [], skills: [], prompts: [], themes: [], enableSkillCommands: true },
  terminal: {
    ...{ showImages: true, imageWidthCells: 1, clearOnShrink: true, showTerminalProgress: true, hyperlinks: "auto" },
    ...{ images: false, trueColor: "auto" },
  },
  images: { autoResize: true, blockImages: true },
  ...{ enabledModels: ["*"], defaultTools: ["read"], doubleEscapeAction: "tree", treeFilterMode: "all" },
  thinkingBudgets: { minimal: 1, low: 1, medium: 1, high: 1 },
  ...{ editorPaddingX: 1, outputPad: 1, autocompleteMaxVisible: 5, showHardwareCursor: true },
  markdown: { codeBlockIndent: " ", mermaid: "off" },
  warnings: { anthropicExtraUsage: true },
  // no race: the value is only read.
  ...{ sessionDir: "s", httpProxy: "http://p", httpIdleTimeoutMs: 1, cacheWarming: "idle", websocketConnectTimeoutMs: 1 },
  ...{ tuiMode: "regular", fullscreenExitOutput: "transcript", fullscreenScrollbar: "auto", fullscreenCopyOnSelect: true },
  ...{ queueMode: "all", websockets: true, apiKeys: {}, hooks: [], customTools: [] },
};

test("every setting of related programs is read without a word; mistyped ones of ours are still told of", async () => {
  await workspace.write("agent/settings.json", { ...settings, aproval: "always" });
  const { problems } = await readAllSettings(workspace.agentDir);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('"aproval" is not known here');
});

test("no key is both a setting and said to be without effect", () => {
  for (const key of familyKeys) expect(Object.keys(SettingsSchema.properties)).not.toContain(key);
});

test("names of related programs and of old versions mean ours, which win", async () => {
  await workspace.write("agent/settings.json", {
    ...{ shellPath: "~/bin/bash", hideThinkingBlock: false, queueMode: "all" },
    // no race: the value is only read.
    ...{ skills: { customDirectories: ["mine"], enableSkillCommands: false }, shell: { timeoutSeconds: 7 } },
  });
  const { settings: read } = await readAllSettings(workspace.agentDir);
  expect(read).toMatchObject({
    ...{ steeringMode: "all", enableSkillCommands: false, skills: [join(workspace.agentDir, "mine")] },
    // no race: the value is only read.
    ...{ shell: { path: join(homedir(), "bin/bash"), timeoutSeconds: 7 }, terminal: { showThinking: true } },
  });
  await workspace.write("agent/settings.json", {
    shellPath: "/a",
    shell: { path: "/b" },
    queueMode: "all",
    steeringMode: "one-at-a-time",
  });
  expect((await readAllSettings(workspace.agentDir)).settings).toMatchObject({
    shell: { path: "/b" },
    steeringMode: "one-at-a-time",
  });
});

test("defaultTools are the built-in tools of a session; an option wins, and tools that we do not have are skipped", async () => {
  await workspace.write("agent/settings.json", { defaultTools: ["grep", "powershell", "read"] });
  expect((await openSession(workspace, { session: "memory" })).session.tools.names).toEqual(["grep", "read"]);
  expect((await openSession(workspace, { session: "memory", tools: ["ls"] })).session.tools.names).toEqual(["ls"]);
  await workspace.write("agent/settings.json", { defaultTools: [] });
  expect((await openSession(workspace, { session: "memory" })).session.tools.names).toEqual([]);
});

test("shellCommandPrefix runs before commands of the model and of the user, in their shell", async () => {
  await workspace.write("agent/settings.json", { shellCommandPrefix: "greet() { echo hello $1; }" });
  const call = { name: "bash", arguments: { command: "greet model" } };
  const { session } = await createScriptedSession(workspace, [{ toolCalls: [call] }, { text: "Done." }]);
  await session.prompt("Greet");
  expect(JSON.stringify(session.messages)).toContain("hello model");
  expect(await session.shell.run("greet user")).toMatchObject({ output: "hello user\n", exitCode: 0 });
  // What is stored is the command that was given.
  expect(JSON.stringify(session.messages)).not.toContain("greet()");
});

test("sessions are stored in --session-dir, else PI_CODING_AGENT_SESSION_DIR, else sessionDir of the user's settings", async () => {
  await workspace.write("agent/settings.json", { sessionDir: "kept" });
  // The same setting of a project, even of a trusted one, has no effect.
  await workspace.write("work/.pi/settings.json", { sessionDir: "elsewhere" });
  const model = await workspace.script({ text: "Hello" });
  const args = ["-p", "--approve", "--session-id", "job", "--model", model, "Hi"];
  const env = { PI_CODING_AGENT_SESSION_DIR: join(workspace.root, "variable") };
  await runCli(workspace, args);
  await runCli(workspace, args, { env });
  await runCli(workspace, ["--session-dir", "given", ...args], { env });
  const listed = async (extra: string[], environment = {}) => {
    const { stdout } = await runCli(workspace, ["sessions", "--json", ...extra], { env: environment });
    return stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { path: string }).path);
  };
  const inFolder = (folder: string) => [expect.stringMatching(new RegExp(`^${join(workspace.root, folder)}/[^/]+_job\\.jsonl$`))];
  expect(await listed([])).toEqual(inFolder("work/kept"));
  expect(await listed([], env)).toEqual(inFolder("variable"));
  expect(await listed(["--session-dir", "given"], env)).toEqual(inFolder("work/given"));
  expect(await workspace.sessionFiles()).toEqual([]);
});

test("a folder that holds the sessions of all projects lists and continues those of the working folder", async () => {
  const kept = join(workspace.root, "kept");
  await workspace.write("agent/settings.json", { sessionDir: kept });
  await workspace.write("other/file", "");
  const model = await workspace.script({ text: "Hello" });
  await runCli(workspace, ["-p", "--session-id", "mine", "--model", model, "one"]);
  await runCli(workspace, ["-p", "--session-id", "theirs", "--model", model, "two"], { cwd: join(workspace.root, "other") });
  const { stdout } = await runCli(workspace, ["sessions", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ id: "mine" });
  const all = await runCli(workspace, ["sessions", "--json", "--all"]);
  expect(all.stdout.trim().split("\n")).toHaveLength(2);
  const { stderr, exitCode } = await runCli(workspace, ["-p", "--continue", "--model", model, "three"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const { session } = await openSession(workspace, { session: "continue" });
  expect(session.sessionId).toBe("mine");
  vi.unstubAllEnvs();
});

test("modelThinkingLevels and enabledModels say how a session starts", async () => {
  const models = [
    { id: "one", reasoning: true },
    { id: "two", reasoning: true },
  ];
  const endpoint = { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models };
  await workspace.write("agent/models.json", { providers: { near: endpoint } });
  await workspace.write("agent/settings.json", {
    ...{ enabledModels: ["near/two", "gone-*"], defaultThinkingLevel: "low", modelThinkingLevels: { "near/two": "high" } },
  });
  const problems: string[] = [];
  const start = async () =>
    (await openSession(workspace, { session: "memory", onProblem: (line) => void problems.push(line) })).session;
  expect((await start()).state()).toMatchObject({ model: { id: "two" }, thinkingLevel: "high" });
  expect(problems).toEqual(['No usable model matches "gone-*". See --list-models.']);
  await workspace.write("agent/settings.json", { enabledModels: ["gone-*"], defaultThinkingLevel: "low" });
  expect((await start()).state()).toMatchObject({ model: { id: "one" }, thinkingLevel: "low" });
  expect(problems.at(-1)).toContain("enabledModels of the settings has no effect.");
});
