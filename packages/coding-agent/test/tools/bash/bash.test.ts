import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentToolResult } from "@pikit/agent";
import { holdClock } from "@pikit/test-kit/clock";
import { Errors } from "@sinclair/typebox/errors";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLocalProcesses, type ProcessResult } from "../../../src/exec/run-process.ts";
import { createBashTool } from "../../../src/tools/bash/definition.ts";
import type { BashParameters } from "../../../src/tools/bash/parameters.ts";
import type { BashDetails, BashToolOptions, CommandObserver } from "../../../src/tools/bash/run.ts";
import { livingMembers } from "../../exec/processes.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { type RunOptions, runTool, textOf } from "../run-tool.ts";

const folder = useTempFolder();
beforeEach(() => {
  vi.stubEnv("TMPDIR", folder.path);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function bash(params: BashParameters, options: RunOptions<BashDetails> & { tool?: BashToolOptions } = {}) {
  return runTool(createBashTool(folder.path, options.tool), params, options);
}

const all = { truncated: false, truncatedBy: null, startsMidLine: false };

describe("results", () => {
  test("output and how it ended", async () => {
    expect(await bash({ command: "echo out; echo err >&2" })).toEqual({
      content: [{ type: "text", text: "out\nerr\n" }],
      details: {
        outcome: "exited",
        exitCode: 0,
        exitSignal: null,
        ...all,
        totalLines: 2,
        totalBytes: 8,
        outputLines: 2,
        outputBytes: 8,
      },
    });
  });

  test('TL-012 no output is "(no output)"', async () => {
    expect(textOf(await bash({ command: "true" }))).toBe("(no output)");
  });

  test("TL-001 TL-043 a non-zero exit is an error with output, code and details", async () => {
    await expect(bash({ command: "echo almost; exit 3" })).rejects.toMatchObject({
      name: "ToolError",
      code: "exit_code",
      message: "almost\n\nCommand exited with code 3.",
      details: {
        outcome: "exited",
        exitCode: 3,
        exitSignal: null,
        ...all,
        totalLines: 1,
        totalBytes: 7,
        outputLines: 1,
        outputBytes: 7,
      },
    });
    await expect(bash({ command: "false" })).rejects.toMatchObject({ message: "(no output)\n\nCommand exited with code 1." });
  });

  test("a command that a signal ended", async () => {
    await expect(bash({ command: "kill -SEGV $$" })).rejects.toMatchObject({
      code: "killed",
      message: "(no output)\n\nCommand was killed by signal SIGSEGV.",
    });
  });

  test("TL-003 a timeout in seconds keeps the output so far and names itself", async () => {
    const clock = holdClock();
    const command = "echo $$; sleep 300 & sleep 300";
    const onUpdate = () => clock.pass(60_000);
    const error = await bash({ command, timeout: 60 }, { onUpdate }).catch((reason: Error) => reason);
    expect(error).toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/^\d+\n\nCommand timed out after 60 seconds and was killed\. Give it more time/),
      details: { outcome: "timeout" },
    });
    expect(livingMembers(Number.parseInt((error as Error).message, 10))).toEqual([]);
  });

  test.each([0, -1])("a timeout of %d is refused by name before anything runs", async (timeout) => {
    const ran = vi.fn();
    const runProcess = async () => ran() as never;
    const message = `timeout must be more than 0 seconds, but is ${timeout}. Leave it out for the default.`;
    await expect(bash({ command: "echo a", timeout }, { tool: { runProcess } })).rejects.toMatchObject({ message });
    const [problem] = Errors(createBashTool(folder.path).parameters, { command: "echo a", timeout });
    expect(problem).toMatchObject({ path: "/timeout", message: "Expected number to be greater or equal to 0.001" });
    expect(ran).not.toHaveBeenCalled();
  });

  test("an abort keeps the output so far", async () => {
    const controller = new AbortController();
    const run = bash({ command: "echo started; sleep 300" }, { signal: controller.signal, onUpdate: () => controller.abort() });
    await expect(run).rejects.toMatchObject({
      code: "aborted",
      message: "started\n\nCommand aborted.",
      details: { outcome: "aborted" },
    });
  });

  test("TL-044 a missing working folder", async () => {
    const run = runTool(createBashTool(join(folder.path, "gone")), { command: "echo" });
    await expect(run).rejects.toMatchObject({ code: "cwd_missing" });
  });
});

describe("timeouts", () => {
  /** A command that ends when it is let go. */
  const gated = "echo begun; until [ -e go ]; do sleep 0.02; done; echo done";
  const letGo = () => writeFileSync(join(folder.path, "go"), "");

  test("one that is longer than timers can wait is no limit", async () => {
    const clock = holdClock();
    const onUpdate = () => {
      clock.pass(60_000);
      letGo();
    };
    expect(textOf(await bash({ command: gated, timeout: 1e9 }, { onUpdate }))).toBe("begun\ndone\n");
  });

  test("TL-003 a default applies to calls without one, and the model is told of it", async () => {
    const tool = createBashTool(folder.path, { defaultTimeoutSeconds: 60 });
    expect(tool.parameters.properties.timeout.description).toMatch(/; more than 0 \(default: 60\)$/);
    const clock = holdClock();
    const onUpdate = () => clock.pass(60_000);
    await expect(runTool(tool, { command: gated }, { onUpdate })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("timed out after 60 seconds and was killed."),
    });
    const begun = () => {
      clock.pass(3_600_000);
      letGo();
    };
    expect(textOf(await runTool(tool, { command: gated, timeout: 36_000 }, { onUpdate: begun }))).toBe("begun\ndone\n");
    expect(createBashTool(folder.path).parameters.properties.timeout.description).toMatch(/; more than 0 \(default: no limit\)$/);
  });

  test.each([
    ["timeout", /^so far\n\nCommand timed out after 1 seconds\. These of its processes could not be killed, .*: 12, 345\. Give it/],
    ["aborted", /^so far\n\nCommand aborted\. These of its processes could not be killed, .*: 12, 345\.$/],
  ] as const)("what lives on after a kill is not called killed: %s", async (outcome, message) => {
    const sizes = { totalLines: 1, totalBytes: 7, outputLines: 1, outputBytes: 7 };
    const runProcess = async (): Promise<ProcessResult> => ({
      output: "so far\n",
      outcome,
      exitCode: null,
      exitSignal: null,
      survivors: [12, 345],
      ...all,
      ...sizes,
    });
    // no race: nothing runs.
    const run = bash({ command: "sudo sleep 300", timeout: 1 }, { tool: { runProcess } });
    await expect(run).rejects.toMatchObject({
      code: outcome,
      message: expect.stringMatching(message),
      details: { survivors: [12, 345] },
    });
  });
});

describe("the observer of output", () => {
  async function observe(options: BashToolOptions) {
    const seen: [string, string, string][] = [];
    const onCommandOutput: CommandObserver = (id, stream, chunk) => {
      seen.push([id, stream, chunk]);
      writeFileSync(join(folder.path, "seen"), "");
    };
    const command = "echo out; until [ -e seen ]; do sleep 0.02; done; echo err >&2";
    const result = await bash({ command }, { tool: { ...options, onCommandOutput } });
    expect(textOf(result)).toBe("out\nerr\n");
    return seen;
  }

  test("is told stdout and stderr truly when there is a pipe for each", async () => {
    expect(await observe({ separateStreams: true })).toEqual([
      ["call_1", "stdout", "out\n"],
      ["call_1", "stderr", "err\n"],
    ]);
  });

  test("is told stdout for all of it when there is one pipe", async () => {
    expect(await observe({})).toEqual([
      ["call_1", "stdout", "out\n"],
      ["call_1", "stdout", "err\n"],
    ]);
  });
});

describe("TL-006 TL-043 long output", () => {
  test("lines: the notice says which are shown and where the rest is, and so do the details", async () => {
    const result = await bash({ command: "seq 3000" });
    const path = result.details.fullOutputPath ?? "";
    expect(textOf(result)).toMatch(/^1001\n1002\n/);
    expect(textOf(result)).toMatch(/\n3000\n\n\n\[Showing lines 1001-3000 of 3000\. Full output: .*\]$/);
    expect(textOf(result)).toContain(path);
    expect((await readFile(path, "utf8")).split("\n").length).toBe(3001);
    expect(result.details).toMatchObject({ truncated: true, truncatedBy: "lines", totalLines: 3000, outputLines: 2000 });
    expect(JSON.parse(JSON.stringify(result.details))).toEqual(result.details);
  });

  test("bytes, whole lines", async () => {
    const result = await bash({ command: "for i in 1 2 3; do head -c 30000 /dev/zero | tr '\\0' $i; echo; done; exit 0" });
    expect(textOf(result)).toMatch(/^3{30000}\n\n\n\[Showing lines 3-3 of 3 \(50\.0 KB limit\)\. Full output: \/.*\]$/);
  });

  test("TL-009 one long line", async () => {
    const result = await bash({ command: "head -c 200000 /dev/zero | tr '\\0' x" });
    expect(textOf(result)).toMatch(
      /^x{51200}\n\n\[Showing the last 50\.0 KB of line 1 \(output is 195\.3 KB\) \(50\.0 KB limit\)\. Full output: /,
    );
  });

  test("more than may be stored: the notice says that the file has the beginning only", async () => {
    const { run } = createLocalProcesses({ maxOutputFileBytes: 5000 });
    const result = await bash({ command: "seq 3000" }, { tool: { runProcess: run } });
    expect(textOf(result)).toMatch(/\[Showing lines 1001-3000 of 3000\. Too much output to save all of it; its beginning: \/.*\]$/);
    expect((await readFile(result.details.fullOutputPath ?? "")).length).toBe(5000);
    expect(result.details).toMatchObject({ fullOutputCut: true });
  });

  test("a failing command has the notice too", async () => {
    await expect(bash({ command: "seq 3000; exit 1" })).rejects.toMatchObject({
      message: expect.stringMatching(
        /\n3000\n\n\n\[Showing lines 1001-3000 of 3000\. Full output: .*\]\n\nCommand exited with code 1\.$/,
      ),
      details: { fullOutputPath: expect.stringContaining(folder.path) },
    });
  });
});

describe("TL-008 updates", () => {
  test("hold the output so far, come no more than ten times a second, and never after the end", async () => {
    const clock = holdClock();
    const updates: AgentToolResult<BashDetails>[] = [];
    const onUpdate = (update: AgentToolResult<BashDetails>) => void updates.push(update);
    // Each line is written when the one before was seen; a tenth of a second passes with every fourth.
    const onCommandOutput: CommandObserver = (_id, _stream, line) => {
      if (Number(line) % 4 === 0) clock.pass(100);
      writeFileSync(join(folder.path, line.trim()), "");
    };
    const command = "for i in $(seq 10); do echo $i; until [ -e $i ]; do sleep 0.01; done; done";
    const result = await bash({ command }, { onUpdate, tool: { onCommandOutput } });
    clock.pass(1000);
    expect(updates.map(textOf)).toEqual(["1\n", "1\n2\n3\n", "1\n2\n3\n4\n5\n6\n7\n"]);
    expect(textOf(result)).toMatch(/^1\n[\s\S]*\n10\n$/);
    for (const update of updates) expect(update.details).toEqual({ ...all, ...sizes(textOf(update)) });
  });

  function sizes(text: string) {
    const lines = text.split("\n").length - 1;
    return { totalLines: lines, totalBytes: text.length, outputLines: lines, outputBytes: text.length };
  }
});

test("a host can run the commands elsewhere", async () => {
  const asked: unknown[] = [];
  const ending = {
    ...all,
    totalLines: 1,
    totalBytes: 6,
    outputLines: 1,
    outputBytes: 6,
    outcome: "exited",
    exitCode: 0,
    exitSignal: null,
  } as const;
  const runProcess = async ({ command, cwd, timeoutMs, onOutput }: Parameters<NonNullable<BashToolOptions["runProcess"]>>[0]) => {
    asked.push({ command, cwd, timeoutMs });
    onOutput?.("there\n", "stdout");
    return { output: "there\n", ...ending } satisfies ProcessResult;
  };
  const updates: string[] = [];
  const result = await bash(
    // no race: nothing runs here.
    { command: "where", timeout: 2 },
    { tool: { runProcess }, onUpdate: (update) => updates.push(textOf(update)) },
  );
  expect(textOf(result)).toBe("there\n");
  // no race: as above.
  expect(asked).toEqual([{ command: "where", cwd: folder.path, timeoutMs: 2000 }]);
  expect(updates).toEqual(["there\n"]);
});
