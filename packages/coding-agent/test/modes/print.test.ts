import { spawn } from "node:child_process";
import { once } from "node:events";
import { anthropic, cut, openai, until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments, runCli, spawnCli } from "../helpers/cli.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { hasTerminal, runInTerminal } from "../helpers/terminal.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const hello = { text: "Hello there." };
const escapes = "\u001b]0;owned\u0007red \u001b[31mtext\u001b[0m \u009b2Jend\rX";

describe("RP-020 print mode", () => {
  test("writes only the final text to stdout, tool calls or not", async () => {
    const script = await workspace.script(
      { text: "I look.", toolCalls: [{ name: "bash", arguments: { command: "echo noise; echo more >&2" } }] },
      hello,
    );
    expect(await runCli(workspace, ["-p", "--model", script, "Hi"])).toEqual({ stdout: "Hello there.\n", stderr: "", exitCode: 0 });
  });

  test("of several prompts it prints the last answer; all of them are in the session", async () => {
    const script = await workspace.script({ text: "One" }, { text: "Two" });
    expect(await runCli(workspace, ["-p", "--model", script, "a", "b"])).toMatchObject({ stdout: "Two\n", exitCode: 0 });
    expect((await workspace.sessionLines()).filter(({ type }) => type === "message")).toHaveLength(4);
  });

  test("piped stdin and files go in front of the first prompt; -- ends options", async () => {
    const path = await workspace.write("notes.txt", "in the file </file>\n");
    const script = await workspace.script(hello);
    const args = ["-p", "--model", script, `@${path}`, "--", "--not-an-option"];
    expect(await runCli(workspace, args, { input: "from the pipe\n" })).toMatchObject({ exitCode: 0, stderr: "" });
    const user = (await workspace.sessionLines()).find(({ message }) => message?.role === "user");
    expect(user?.message?.content).toEqual(
      [
        {
          type: "text",
          text: `<file name=${JSON.stringify(path)}>\nin the file <\\/file>\n\n</file>\n\nfrom the pipe\n\n--not-an-option`,
        },
      ]
        .map(({ text }) => text)
        .join(),
    );
  });

  test("the pipe alone is a prompt", async () => {
    const script = await workspace.script(hello);
    expect(await runCli(workspace, ["-p", "--model", script], { input: "from the pipe" })).toMatchObject({
      stdout: "Hello there.\n",
    });
  });

  test.each([
    ["anthropic", "local-anthropic/claude", anthropic],
    ["openai", "local-openai/gpt", openai],
  ] as const)(
    "SC-004 a 401 of an %s endpoint is one clear line on stderr, without stack and key, exit code 1",
    async (_name, model, wire) => {
      const server = await serveModels(workspace);
      server.respond(wire.error(401, "invalid key sk-test-5ecret", { type: "authentication_error" }));
      const { stdout, stderr, exitCode } = await runCli(workspace, ["-p", "--model", model, "Hi"]);
      expect(exitCode).toBe(1);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^[^\n]*401[^\n]*\n$/);
      expect(stderr).not.toMatch(/5ecret|\n\s+at /);
    },
  );

  test("an endpoint that dies in the middle of each answer: stderr says what is waited for, then why there is none, and exit code 1", async () => {
    const server = await serveModels(workspace);
    await workspace.write("agent/settings.json", { retry: { maxRetries: 1, baseDelayMs: 1 } });
    server.respond(...[1, 2].map(() => anthropic.answer([{ text: "Half" }], { ending: [cut] })));
    const { stdout, stderr, exitCode } = await runCli(workspace, ["-p", "--model", "local-anthropic/claude", "Hi"]);
    expect(server.requests).toHaveLength(2);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    const failure = "No answer from local-anthropic: terminated: other side closed";
    expect(stderr).toBe(`${failure}. Trying again in 0 s (1 of 1).\n${failure}\n`);
  });

  test("SC-012 an error's escape sequences are removed; a pipe gets the answer as it is", async () => {
    await workspace.write("agent/settings.json", { retry: { enabled: false } });
    const failing = await workspace.script({ error: { message: escapes } });
    expect((await runCli(workspace, ["-p", "--model", failing, "Hi"])).stderr).toBe("red text endX\n");
    const script = await workspace.script({ text: escapes });
    expect((await runCli(workspace, ["-p", "--model", script, "Hi"])).stdout).toBe(`${escapes}\n`);
  });

  test.skipIf(!hasTerminal)("SC-012 a terminal gets the answer without escape sequences", async () => {
    const script = await workspace.script({ text: escapes });
    const { output, exitCode } = await runInTerminal(workspace, ["-p", "--model", script, "Hi"]);
    expect(exitCode).toBe(0);
    expect(output).toBe("red text endX\n");
  });

  test("RP-011 a reader that is gone costs no stack trace", async () => {
    const script = await workspace.script({ ...hello, delayMs: 50 });
    const child = spawnCli(workspace, ["-p", "--model", script, "Hi"]);
    child.stdout.destroy();
    child.stdin.end();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    expect((await once(child, "close"))[0]).toBe(1);
    expect(stderr).toBe("");
    expect((await workspace.sessionLines()).at(-1)).toMatchObject({ message: { role: "assistant" } });
  });

  test.each([[["-p"]], [[]]])("a full disk on stdout is one line on stderr and exit code 1, with arguments %j", async (args) => {
    const script = await workspace.script(hello);
    const command = ["exec", process.execPath, ...cliArguments, ...args, "--model", script, "Hi", "< /dev/null > /dev/full"].join(
      " ",
    );
    const child = spawn("sh", ["-c", command], { cwd: workspace.cwd, env: cleanEnvironment(workspace) });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    expect((await once(child, "close"))[0]).toBe(1);
    expect(stderr).toBe("Cannot write to stdout: ENOSPC. The answer is incomplete.\n");
  });

  test("SIGTERM in the middle of a run exits 143 and prints nothing", async () => {
    const script = await workspace.script({ text: "one two", delayMs: 60_000 });
    const child = spawnCli(workspace, ["-p", "--model", script, "Hi"]);
    child.stdin.end();
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    await until("there is a session file", async () => (await workspace.sessionFiles()).length > 0);
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(143);
    expect(output).not.toMatch(/\n\s+at /);
    expect((await workspace.sessionLines()).at(-1)).toMatchObject({ message: { stopReason: "aborted" } });
  });
});
