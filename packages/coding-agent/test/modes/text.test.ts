import { describe, expect, test } from "vitest";
import { runTextMode } from "../../src/modes/text.ts";
import { runCli } from "../helpers/cli.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { hasTerminal, runInTerminal } from "../helpers/terminal.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** Collects what is written, as a terminal or as a pipe. */
function createOutput(isTTY: boolean) {
  const pieces: string[] = [];
  let stderr = "";
  return {
    pieces,
    stdout: () => pieces.join(""),
    stderr: () => stderr,
    streams: {
      stdout: { isTTY, write: (text: string) => pieces.push(text) },
      stderr: {
        write(text: string) {
          stderr += text;
        },
      },
    },
  };
}

const look = [
  { text: "I look.", toolCalls: [{ name: "bash", arguments: { command: "printf 'a  b\\nc'; printf '\\033[31m'" } }] },
  { text: "Found a, b and c.\n", deltas: ["Found a,", " b and c.\n"] },
];

describe("text mode", () => {
  test("on a terminal streams answers to stdout and shows the tools' work on stderr", async () => {
    const { session } = await createScriptedSession(workspace, look);
    const output = createOutput(true);
    expect(await runTextMode(session, Promise.resolve([{ text: "Look" }]), output.streams)).toBe(0);
    expect(output.pieces).toContain("Found a,");
    expect(output.stdout()).toBe("I look.\nFound a, b and c.\n");
    expect(output.stderr()).toBe(`▸ bash {"command":"printf 'a b\\\\nc'; printf '\\\\033[31m'"}\n  ✓ a b c\n`);
  });

  test("on a pipe writes the last answer when it is complete", async () => {
    const { session } = await createScriptedSession(workspace, look);
    const output = createOutput(false);
    expect(await runTextMode(session, Promise.resolve([{ text: "Look" }]), output.streams)).toBe(0);
    expect(output.pieces).toEqual(["Found a, b and c.\n\n"]);
  });

  test("a failing tool is marked, long arguments are cut, and a failed answer is exit code 1", async () => {
    const { session } = await createScriptedSession(workspace, [
      { toolCalls: [{ name: "bash", arguments: { command: `exit 3 # ${"x".repeat(300)}` } }] },
      { text: "Half", error: { status: 400, message: "broken" } },
    ]);
    const output = createOutput(true);
    expect(await runTextMode(session, Promise.resolve([{ text: "Look" }]), output.streams)).toBe(1);
    expect(output.stdout()).toBe("Half\n");
    const lines = output.stderr().trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^▸ bash \{"command":"exit 3 # x+…$/),
      expect.stringMatching(/^ {2}✗ .*3/),
      expect.stringContaining("broken"),
    ]);
    expect(lines[0]?.length).toBeLessThan(130);
  });

  test("an answer that breaks off and begins again: stderr says so, what was shown stays, and the second is a text of its own", async () => {
    const retry = { enabled: true, maxRetries: 2, baseDelayMs: 1 };
    const script = [
      { error: { status: 503, message: "overloaded" } },
      { text: "Half of", error: { status: 503, message: "overloaded" } },
      { text: "All of it." },
    ];
    const live = createOutput(true);
    const { session } = await createScriptedSession(workspace, script, { retry });
    expect(await runTextMode(session, Promise.resolve([{ text: "Look" }]), live.streams)).toBe(0);
    expect(live.stdout()).toBe("Half of\nAll of it.\n");
    expect(live.stderr()).toMatch(
      /^[^\n]*overloaded\. Trying again in 0 s \(1 of 2\)\.\n[^\n]*overloaded\. Trying again in 0 s \(2 of 2\)\. The answer starts again\.\n$/,
    );
    const piped = createOutput(false);
    const other = await createScriptedSession(workspace, script, { retry });
    expect(await runTextMode(other.session, Promise.resolve([{ text: "Look" }]), piped.streams)).toBe(0);
    expect(piped.pieces).toEqual(["All of it.\n"]);
    expect(piped.stderr()).toMatch(/Trying again in 0 s \(2 of 2\)\.\n$/);
  });

  test("a prompt before the last one that fails is a line on stderr, and the last one decides", async () => {
    const { session } = await createScriptedSession(workspace, [
      { error: { status: 400, message: "broken" } },
      { text: "Fine.", deltas: ["Fi", "ne."] },
    ]);
    const output = createOutput(true);
    expect(await runTextMode(session, Promise.resolve([{ text: "a" }, { text: "b" }]), output.streams)).toBe(0);
    expect(output.stdout()).toBe("Fine.\n");
    expect(output.stderr()).toBe("400 from script: broken\n");
  });

  test("SC-012 escape sequences of models, tools and errors do not reach a terminal, also cut between deltas", async () => {
    const { session } = await createScriptedSession(workspace, [
      { text: "x", deltas: ["a\u001b", "[31mb\u009b", "2Jc\u001b]0;t", "\u0007d"] },
    ]);
    const output = createOutput(true);
    await runTextMode(session, Promise.resolve([{ text: "Look" }]), output.streams);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(output.stdout()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test.skipIf(!hasTerminal)("runs on a real terminal without any key", async () => {
    await workspace.write("work/README.md", "# A project\n\nIt does things that are worth a sentence.\n");
    const { output, exitCode } = await runInTerminal(workspace, ["--mode", "text", "--model", "demo/tour", "Show me"]);
    expect(exitCode).toBe(0);
    expect(output).toContain("▸ bash");
    expect(output).toContain('README.md is titled "A project"');
  });

  test("through a pipe: the last answer on stdout, the work on stderr", async () => {
    await workspace.write("work/README.md", "# A project\n");
    const { stdout, stderr, exitCode } = await runCli(workspace, ["--model", "demo/tour", "Show me"]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^▸ bash [^\n]*\n {2}✓ [^\n]*\n▸ read [^\n]*\n {2}✓ [^\n]*\n$/);
    expect(stdout).toMatch(/^What the tools found:/);
  });
});
