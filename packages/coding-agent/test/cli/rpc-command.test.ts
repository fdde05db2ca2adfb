import { describe, expect, test } from "vitest";
import { agentChatSchema } from "../../src/modes/agent-chat/protocol.ts";
import { rpcSchema } from "../../src/protocol/json-schema.ts";
import { runCli } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

describe("pi rpc schema", () => {
  test.each([
    [[], rpcSchema],
    [["--protocol", "rpc"], rpcSchema],
    [["--protocol", "agent-chat"], agentChatSchema],
  ])("with %j prints a JSON Schema, whole also on a pipe", async (args, schema) => {
    const { stdout, stderr, exitCode } = await runCli(workspace, ["rpc", "schema", ...args]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(schema())));
  });
});

describe("pi rpc validate", () => {
  const validate = (input: string, ...args: string[]) => runCli(workspace, ["rpc", "validate", ...args], { input });

  test("says nothing about a trace that is right, whichever way its lines went", async () => {
    const lines = [
      '{"type":"abort","id":[1]}',
      "",
      '{"id":[1],"type":"response","command":"abort","success":true}',
      '{"type":"agent_start"}',
    ];
    expect(await validate(lines.join("\r\n"))).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("names each wrong line by its number, blank lines counted", async () => {
    const lines = [
      " ",
      '{"type":"prompt","message":5}',
      "{oops",
      '{"type":"agent_start"}',
      "[]",
      '{"a":"\u2028"}',
      '{"type":"fly"}',
    ];
    const { stdout, exitCode } = await validate(lines.join("\n"));
    expect(exitCode).toBe(1);
    expect(stdout.split("\n")).toEqual([
      'line 2: Field "message" must be a string, but is 5',
      expect.stringMatching(/^line 3: Not valid JSON: ./),
      "line 5: Expected a JSON object",
      'line 6: Field "type" must be a string that names a command, event or frame',
      "line 7: Unknown command or event: fly",
      "",
    ]);
  });

  test("--direction tells lines of the other way apart", async () => {
    const lines = '{"type":"abort"}\n{"type":"agent_start"}\n{"type":"fly"}\n';
    expect((await validate(lines, "--direction", "in")).stdout).toBe(
      "line 2: pi sends agent_start and never reads it\nline 3: Unknown command: fly\n",
    );
    expect((await validate(lines, "--direction", "out")).stdout).toBe(
      "line 1: pi reads abort and never sends it\nline 3: Unknown event: fly\n",
    );
  });

  test("a trace of pi --mode json is right", async () => {
    const trace = await runCli(workspace, ["--mode", "json", "--model", "demo/tour", "--no-session", "Give me a tour."]);
    expect(await validate(trace.stdout, "--direction", "out")).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });
});

test.each([
  [["rpc"], /^Usage: pi rpc schema/],
  [["rpc", "dance"], /^Usage: pi rpc schema/],
  [["rpc", "schema", "--protocol", "x"], /^--protocol is "x": expected rpc or agent-chat\.\n$/],
  [["rpc", "validate", "--fast"], /^Unknown option '--fast'/],
])("pi %j ends with exit code 2 and says what is known", async (args, message) => {
  const { stdout, stderr, exitCode } = await runCli(workspace, args);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  expect(stderr).toMatch(message);
});
