import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { helpText } from "../../src/cli/help.ts";
import { readSessionOptions, toSessionOptions } from "../../src/cli/session-options.ts";
import type { UsageError } from "../../src/errors.ts";
import { meantWord } from "../../src/suggest.ts";

test("options, short options, prompts and files are told apart; -- ends options", () => {
  expect(
    parseArguments(["-p", "--model", "demo/tour", "one", "@file", "--stream=deltas", "-t", "read", "--", "-x", "--mode"]),
  ).toEqual({
    options: { print: true, model: "demo/tour", stream: "deltas", tools: "read" },
    prompts: ["one", "@file", "-x", "--mode"],
  });
});

test("what clients of the family pass is accepted and means nothing", () => {
  expect(parseArguments(["--no-themes", "--no-title", "--provider-session-id", "7", "hi"])).toEqual({
    options: {},
    prompts: ["hi"],
  });
});

test("short names of several letters are those of the family; after -- they are prompts", () => {
  expect(parseArguments(["-xt", "bash", "-nbt", "-ne", "-ns", "-np", "-nc", "-na", "-nt", "--", "-ne"])).toEqual({
    options: {
      "exclude-tools": "bash",
      "no-builtin-tools": true,
      "no-extensions": true,
      "no-skills": true,
      "no-prompt-templates": true,
      "no-context-files": true,
      "no-approve": true,
      "no-tools": true,
    },
    prompts: ["-ne"],
  });
  expect(parseArguments(["-a"]).options).toEqual({ approve: true });
});

test("an option of the family that has no effect here says so in one line", () => {
  const { notices = [], prompts } = parseArguments(["--verbose", "--tui-mode", "fullscreen", "hi"]);
  expect(prompts).toEqual(["hi"]);
  expect(notices.map((line) => line.slice(0, line.indexOf(":")))).toEqual(["--verbose has no effect", "--tui-mode has no effect"]);
  for (const line of notices) expect(line).toMatch(/^[^\n]+\.$/);
});

test.each([
  [["--bogus"], /^Unknown option '--bogus'\. Run pi --help for the options\.$/],
  [["-z"], /^Unknown option '-z'\./],
  [["--constructor"], /^Unknown option '--constructor'\./],
  [["--model"], /^Option '--model <value>' argument missing\./],
  [["--model", "--print"], /^Option '--model' argument is ambiguous\./],
  [["--print=yes"], /^Option '-p, --print' does not take an argument\./],
  [["--mode", "xml"], /^Unknown value "xml" for --mode: expected text, json, rpc\.$/],
  [["--thinking", "hard"], /^Unknown value "hard" for --thinking: expected off, minimal, low, medium, high, xhigh, max\.$/],
  [["--stream", "both"], /^Unknown value "both" for --stream: /],
])("RP-021 %j is refused in one line that names it, exit code 2", (args, message) => {
  expect(() => parseArguments(args)).toThrow(
    expect.objectContaining({ name: "UsageError", exitCode: 2, message: expect.stringMatching(message) }),
  );
  expect(() => parseArguments(args)).toThrow(/^[^\n]*$/);
});

test.each([
  [["--modle", "x"], "--model"],
  [["-modle", "x"], "--model"],
  [["--thinkin=high"], "--thinking"],
  [["--no-sesion"], "--no-session"],
  [["--no-theme"], "--no-themes"],
  [["--mode", "jsn"], "json"],
  [["--approval", "alway"], "always"],
  [["--thinking", "hgih"], "high"],
  [["--stream", "delta"], "deltas"],
  [["--tools", "read,bsah"], "bash"],
  [["--exclude-tools", "bsah"], "bash"],
  [["--fly"], undefined],
  [["-z"], undefined],
  [["--mode", "xml"], undefined],
])("what was probably meant by %j is %s", async (args, meant) => {
  let error: unknown;
  try {
    await readSessionOptions(parseArguments(args));
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ name: "UsageError", code: "invalid_arguments" });
  const { typed = "", words = [] } = (error as UsageError).unknown ?? {};
  expect(meantWord(typed, words)).toBe(meant);
});

describe("the session that options choose", () => {
  const options = (...args: string[]) => toSessionOptions(parseArguments(args));

  test.each([
    [[], "new"],
    [["--no-session"], "memory"],
    [["-c"], "continue"],
    [["--session", "a/b.jsonl"], { path: "a/b.jsonl", orBegin: true }],
    [["--session", "b.jsonl"], { path: "b.jsonl", orBegin: true }],
    [["--fork", "01a2"], { fork: "01a2" }],
    [["--fork", "01a2", "--session-id", "job"], { fork: "01a2", id: "job" }],
    [["--session", "01a2"], { idPrefix: "01a2" }],
    [["--session-id", "job"], { id: "job" }],
  ])("%j", (args, session) => {
    expect(options(...args)).toMatchObject({ session });
  });

  test("two of them exclude each other", () => {
    expect(() => options("-c", "--session", "x")).toThrow("--continue and --session exclude each other");
    expect(() => options("-c", "-r")).toThrow("--continue and --resume exclude each other");
  });

  test("a list to choose from needs a terminal", () => {
    expect(() => options("--resume")).toThrow(
      "--resume asks for a session at a terminal, and starts a conversation there. Without that, give --continue, or --session with an id.",
    );
  });

  test("tools are named, none, those of extensions, or the default", () => {
    expect(options("--tools", "read, bash")).toMatchObject({ tools: ["read", "bash"], onlyTools: ["read", "bash"] });
    expect(options("--tools", "read,fly")).toMatchObject({ tools: ["read"], onlyTools: ["read", "fly"] });
    expect(options("--no-tools", "--tools", "read")).toMatchObject({ tools: [], onlyTools: [] });
    expect(options("--no-builtin-tools", "--tools", "read,fly")).toMatchObject({ tools: [], onlyTools: ["read", "fly"] });
    expect(options("--no-builtin-tools")).toMatchObject({ tools: [] });
    expect(options("--no-builtin-tools")).not.toHaveProperty("onlyTools");
    expect(options("--exclude-tools", "bash,")).toMatchObject({ excludeTools: ["bash"] });
    for (const name of ["tools", "onlyTools", "excludeTools"]) expect(options()).not.toHaveProperty(name);
  });

  test("paths that are given count even where nothing else is looked for", () => {
    expect(options("-ns", "--skill", "a", "-np")).toMatchObject({
      skills: ["a"],
      discoverSkills: false,
      promptTemplates: false,
    });
    expect(options("-np", "--prompt-template", "b")).toMatchObject({ promptTemplates: ["b"], discoverPromptTemplates: false });
  });
});

describe("limits", () => {
  const limits = (...args: string[]) => toSessionOptions(parseArguments(args)).limits;

  test("each in the unit of its name; none given is none set", () => {
    expect(limits("--max-turns", "7", "--max-cost=0.5", "--max-time", "90", "--max-tool-calls", "0")).toEqual({
      maxTurns: 7,
      maxCostUsd: 0.5,
      maxTimeMs: 90_000,
      maxToolCalls: 0,
    });
    // no race: nothing runs.
    expect(limits("--max-time", "1.5")).toEqual({ maxTimeMs: 1500 });
    expect(limits()).toBeUndefined();
  });

  test.each([
    ["max-turns", "many", '--max-turns must be a number of at least 1, but is "many".'],
    ["max-turns", "0", '--max-turns must be a number of at least 1, but is "0".'],
    ["max-cost", "", '--max-cost must be a number of at least 0, but is "".'],
    ["max-cost", "$5", '--max-cost must be a number of at least 0, but is "$5".'],
    ["max-time", "Infinity", '--max-time must be a number of at least 0, but is "Infinity".'],
    ["max-tool-calls", "-1", '--max-tool-calls must be a number of at least 0, but is "-1".'],
  ])("RP-021 --%s=%s is refused in one line, exit code 2", (name, value, message) => {
    expect(() => limits(`--${name}=${value}`)).toThrow(expect.objectContaining({ name: "UsageError", exitCode: 2, message }));
  });
});

test("the help has a line for each option, within a terminal's width", () => {
  const lines = helpText().split("\n");
  for (const name of ["mode", "print", "model", "session-id", "no-context-files", "list-models", "max-turns", "max-tool-calls"]) {
    expect(lines.filter((line) => line.includes(`--${name}`)).length).toBeGreaterThan(0);
  }
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(110);
});

test.each([
  [["--mode", "rpc", "--no-session"]],
  [["--model", "demo/tour", "--thinking", "high", "--model", "other"]],
  [["--extension", "a.ts", "--extension", "b.ts", "--offline"]],
  [["--append-system-prompt", "", "--name", "two words"]],
  [["--mode", "json", "--skill", "one", "--no-skills"]],
])("arguments in the long form are read as by parseArgs: %j", (args) => {
  // Behind "--", all arguments go to parseArgs.
  expect(parseArguments(args)).toEqual(parseArguments([...args, "--"]));
});

test.each([
  [["--mode", "rpc", "--model"], "'--model <value>' argument missing"],
  [["--mode", "rpc", "--model", "--offline"], "'--model' argument is ambiguous"],
  [["--mode", "rpc", "--modle", "x"], "Unknown option '--modle'"],
  [["--mode", "rpc", "--toString"], "Unknown option '--toString'"],
])("arguments that are wrong in the long form have the errors of parseArgs: %j", (args, message) => {
  expect(() => parseArguments(args)).toThrow(message);
});
