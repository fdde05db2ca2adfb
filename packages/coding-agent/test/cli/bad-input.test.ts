import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments, runCli } from "../helpers/cli.ts";
import { hasTerminal, runInTerminal } from "../helpers/terminal.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** Exit code and the one line on stderr; nothing may be on stdout. */
async function refusal(args: readonly string[], options: Parameters<typeof runCli>[2] = {}) {
  const { stdout, stderr, exitCode } = await runCli(workspace, args, options);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(await workspace.sessionFiles()).toEqual([]);
  return { exitCode, line: stderr.trimEnd() };
}

describe("bad input is one line that names the thing", () => {
  test("no key and no model: the variables and the demo, exit code 1", async () => {
    const { exitCode, line } = await refusal(["-p", "hi"]);
    expect(exitCode).toBe(1);
    expect(line).toBe(
      "No model to ask: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or another provider's key, choose a model with --model provider/id, or try the offline demo with --model demo/tour.",
    );
  });

  test("an unknown model: the nearest names, exit code 1", async () => {
    const { exitCode, line } = await refusal(["-p", "--model", "claude-sonet-4-5", "hi"]);
    expect(exitCode).toBe(1);
    expect(line).toMatch(/^Model not found: claude-sonet-4-5\. Nearest: \S*claude\S*sonnet\S*, /);
    expect((await refusal(["--mode", "rpc", "--model", "demo/tor"])).line).toContain("demo/tour");
    expect((await refusal(["-p", "--provider", "acme", "hi"])).line).toMatch(
      /^Unknown provider "acme"\. Known: anthropic, .*demo\.$/,
    );
  });

  test("an unknown option or value: exit code 2", async () => {
    expect(await refusal(["--fly", "hi"])).toEqual({ exitCode: 2, line: "Unknown option '--fly'. Run pi --help for the options." });
    expect((await refusal(["--mode", "xml", "hi"])).exitCode).toBe(2);
    expect(await refusal(["--model", "demo/tour", "--session-id", "a/b", "hi"])).toMatchObject({
      exitCode: 2,
      line: expect.stringContaining('"a/b"'),
    });
  });

  test("a typing error is helped, and a command that there is not is no prompt", async () => {
    expect((await refusal(["--modle", "x", "hi"])).line).toMatch(/^Unknown option '--modle'\. .* Did you mean "--model"\?$/);
    expect((await refusal(["--thinking", "hgih", "hi"])).line).toMatch(/xhigh, max\. Did you mean "high"\?$/);
    expect(await refusal(["session"], { input: "piped" })).toEqual({
      exitCode: 2,
      line: expect.stringMatching(/^pi has no command "session"\. .*--continue.* pi -- "session"$/),
    });
    const asked = await runCli(workspace, ["--", "sessions"]);
    expect(asked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("No model to ask") });
  });

  test("a missing or unusable @file is named, exit code 1", async () => {
    await workspace.write("work/tool.bin", Uint8Array.of(0, 1, 2, 0xff, 0));
    await mkdir(`${workspace.cwd}/folder`);
    const named = async (name: string) => refusal(["-p", "--model", "demo/tour", `@${name}`, "hi"]);
    expect(await named("gone.md")).toEqual({ exitCode: 1, line: "Cannot read @gone.md: ENOENT. Give the path of a file." });
    expect((await named("folder")).line).toContain("@folder: it is a folder, and a regular file is needed (EISDIR)");
    expect((await named("tool.bin")).line).toContain("@tool.bin is neither text nor an image");
  });

  test("a session to copy that is missing is named, and no file is made", async () => {
    const path = `${workspace.root}/gone.jsonl`;
    const { exitCode, line } = await refusal(["-p", "--model", "demo/tour", "--fork", path, "hi"]);
    expect({ exitCode, line }).toEqual({ exitCode: 1, line: expect.stringContaining(`${path}: ENOENT`) });
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  test("a faulty configuration file is named, and nothing of it is quoted", async () => {
    await workspace.write("agent/auth.json", '{"anthropic": {"type": "api_key", "key": "sk-5ecret"');
    const { exitCode, line } = await refusal(["-p", "hi"]);
    expect({ exitCode, line }).toEqual({
      exitCode: 1,
      line: `${workspace.agentDir}/auth.json is not valid JSON: it breaks in line 1, column 53. Correct or remove it.`,
    });
  });

  test("an empty pipe and no prompt, and an empty prompt: exit code 2", async () => {
    for (const args of [
      ["--model", "demo/tour"],
      ["--model", "demo/tour", ""],
      ["-p", "--model", "demo/tour", "  "],
    ]) {
      expect(await refusal(args)).toMatchObject({ exitCode: 2, line: expect.stringContaining("The prompt is empty") });
    }
  });
});

test.skipIf(!hasTerminal)("no prompt on a terminal is the usage, exit code 2", async () => {
  const { output, exitCode } = await runInTerminal(workspace, ["-p", "--model", "demo/tour"]);
  expect(output).toBe("Usage: pi [options] [@file …] [prompt …]\nGive a prompt, or run pi --help.\n");
  expect(exitCode).toBe(2);
});

test("PI_DEBUG=1 adds the stack, and nothing else does", async () => {
  const args = ["-p", "--model", "nope", "hi"];
  const { stderr } = await runCli(workspace, args, { env: { PI_DEBUG: "1" } });
  expect(stderr).toMatch(/^UsageError: Model not found: nope\.[^\n]*\n {4}at /);
  expect((await runCli(workspace, args, { env: { PI_DEBUG: "0" } })).stderr).not.toMatch(/\n\s+at /);
});

test("a prompt argument beside a silent pipe of a shell: one line says what we wait for", async () => {
  const pi = [process.execPath, ...cliArguments, "-p", "--model", await workspace.script({ text: "Hello." }), "hi"];
  const child = spawn("sh", ["-c", `cat | ${pi.map((part) => `'${part}'`).join(" ")}`], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace),
  });
  const [notice] = (await once(child.stderr.setEncoding("utf8"), "data")) as [string];
  expect(notice).toMatch(/^Waiting for the end of the piped input[^\n]*\n$/);
  child.stdin.end("late");
  const [answer] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  expect(answer).toBe("Hello.\n");
});

test("--version is a bare version, --help the options, --list-models what can be used; all exit 0", async () => {
  const version = await runCli(workspace, ["--version"]);
  expect(version).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "", exitCode: 0 });
  expect(await runCli(workspace, ["--help"])).toMatchObject({
    stdout: expect.stringMatching(/^Usage: pi /),
    stderr: "",
    exitCode: 0,
  });
  expect(await runCli(workspace, ["--list-models"])).toMatchObject({ stdout: "demo/tour  Offline demo\n", exitCode: 0 });
  const openai = await runCli(workspace, ["--list-models", "gpt", "nano"], { env: { OPENAI_API_KEY: "sk-x" } });
  expect(openai.exitCode).toBe(0);
  for (const line of openai.stdout.trimEnd().split("\n")) expect(line).toMatch(/^openai\/gpt\S*nano\S* +\S/);
  expect(await runCli(workspace, ["--list-models", "nothing"])).toMatchObject({ stdout: "", exitCode: 1 });
});
