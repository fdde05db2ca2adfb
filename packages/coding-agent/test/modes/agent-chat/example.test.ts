import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type CliResult, cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import { isInstalled } from "../../helpers/terminal.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { calls } from "./chat-client.ts";

const workspace = useWorkspace();
const example = fileURLToPath(new URL("../../../../../examples/agent-chat-python/chat.py", import.meta.url));
const pi = [process.execPath, ...cliArguments].map((part) => `'${part}'`).join(" ");

/** Runs the example with what a person types. */
async function runExample(args: readonly string[], typed: string): Promise<CliResult> {
  const child = spawn("python3", [example, "--pi", pi, ...args], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace, { PYTHONDONTWRITEBYTECODE: "1" }),
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {}); // EPIPE: it has ended without reading everything
  child.stdin.end(typed);
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { stdout, stderr, exitCode };
}

describe.skipIf(!isInstalled("python3"))("examples/agent-chat-python", () => {
  const risky = [
    { text: "I clean up.", ...calls(["bash", { command: "rm -rf data && echo gone" }]) },
    { text: "Done: ä \u2028 😀." },
  ];
  const question =
    "Allow bash?\n\nIt deletes more than build output and temporary files: rm -rf data.\nWithout a question: bash(rm -rf data && echo gone) in approvalRules.allow of the settings." +
    "\n\nrm -rf data && echo gone\nAllow it? [y/N] ";
  const asked = `I clean up.\n[bash {"command":"rm -rf data && echo gone"}]\n\n${question}`;

  test.each([
    ["y\n", `${asked}gone\nDone: ä \u2028 😀.\n`, false],
    ["n\n", `${asked}Done: ä \u2028 😀.\n`, true],
    ["", `${asked}Done: ä \u2028 😀.\n`, true],
  ])("asks before something risky; typed: %j", async (typed, stdout, isLeft) => {
    await workspace.write("work/data/x", "");
    const result = await runExample(["--model", await workspace.script(...risky), "Clean up"], typed);
    expect(result).toEqual({ stdout, stderr: "", exitCode: 0 });
    expect(existsSync(`${workspace.cwd}/data`)).toBe(isLeft);
  });

  test("asks how to go on when the agent is stuck, for several messages of one conversation", async () => {
    const stuck = Array.from({ length: 3 }, () => calls(["ls", {}]));
    const model = await workspace.script(...stuck, { text: "Found." }, { text: "Yes." });
    const { stdout, exitCode } = await runExample(["--model", model, "--key", "k", "Find it", "Really?"], "in src\n");
    expect(stdout.split("\n").slice(-4)).toEqual([
      "The agent repeats the same call with the same result.",
      "A hint to go on with, or nothing to stop: Found.",
      "Yes.",
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(await workspace.sessionFiles()).toHaveLength(1);
  });

  test("says why a chat failed, or was refused", async () => {
    const model = await workspace.script({ error: { status: 400, message: "no such thing" } });
    expect(await runExample(["--model", model, "Hi"], "")).toMatchObject({
      stderr: "chat.py: 400 from script: no such thing\n",
      exitCode: 1,
    });
    expect(await runExample(["--model", "no/such", "Hi"], "")).toMatchObject({
      stderr: expect.stringMatching(/^chat\.py: Model not found: no\/such\./),
      exitCode: 1,
    });
  });
});
