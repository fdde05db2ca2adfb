import { describe, expect, test } from "vitest";
import { startRpc } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const start = (...args: string[]) => startRpc(workspace, ["--model", "demo/tour", "--no-session", ...args]);

describe("RP-003 a line that is no command", () => {
  test("is a parse error without an id, then an error event; later lines work", async () => {
    const rpc = start();
    for (const line of ["{oops", "nonsense", '"a string"', "[]", "null", "5", '{"type":"get_state"} trailing'])
      rpc.sendText(`${line}\n`);
    expect(await rpc.request({ type: "get_state" })).toMatchObject({ success: true });
    const records = rpc.records.slice(0, -1);
    expect(records).toHaveLength(14);
    for (const [index, record] of records.entries()) {
      const { error } = record;
      expect(error).toMatch(/^Failed to parse command: ./);
      if (index % 2 === 0) expect(record).toEqual({ type: "response", command: "parse", success: false, error });
      else expect(record).toEqual({ type: "error", error: records[index - 1]?.error });
    }
  });

  test("SC-011 names and keys that objects inherit are no commands", async () => {
    const rpc = start();
    const types = ["constructor", "__proto__", "toString", "", "prompt\u0000", "Abort"];
    for (const type of types) {
      const response = await rpc.request({ type });
      expect(response).toMatchObject({ command: type, success: false, error: `Unknown command: ${type}` });
    }
    rpc.sendText('{"id":"p","__proto__":{"type":"abort"},"constructor":1}\n{"id":"q","type":["abort"]}\n');
    for (const id of ["p", "q"]) {
      expect(await rpc.waitFor({ id })).toEqual({
        id,
        type: "response",
        command: "unknown",
        success: false,
        error: 'Field "type" must be a string that names a command',
      });
    }
  });

  test("an unknown command without an id is one response, and no event", async () => {
    const rpc = start();
    rpc.send({ type: "fly" });
    await rpc.request({ type: "get_state" });
    expect(rpc.records.map(({ command }) => command)).toEqual(["fly", "get_state"]);
  });
});

describe("RP-001 RP-002 framing", () => {
  test("CR LF, blank lines, U+2028 in strings, characters cut between writes, and a last line without LF", async () => {
    const rpc = start();
    rpc.sendText('\r\n\n  \n{"id":"a\u2028b","type":"get_messages"}\r\n');
    expect(await rpc.waitFor({ id: "a\u2028b" })).toMatchObject({ success: true });
    expect(rpc.lines[0]).toContain("a\\u2028b");
    const bytes = Buffer.from('{"id":"€😀","type":"get_messages"}\n');
    for (const byte of bytes) {
      rpc.sendText(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await rpc.waitFor({ id: "€😀" })).toMatchObject({ success: true });
    rpc.sendText('{"id":"last","type":"get_messages"}');
    expect(await rpc.end()).toBe(0);
    expect(rpc.records.map(({ id }) => id)).toEqual(["a\u2028b", "€😀", "last"]);
  });

  test("a line of 20 MB is read, and echoed whole", async () => {
    const rpc = start();
    const id = "x".repeat(20_000_000);
    rpc.send({ id, type: "get_messages" });
    expect(await rpc.waitFor({ type: "response" })).toMatchObject({ success: true, id });
  });

  test("a line over 64 Mi characters is refused and skipped to its LF", async () => {
    const rpc = start();
    const piece = "y".repeat(1 << 20);
    rpc.sendText('{"id":"');
    for (let n = 0; n < 65; n += 1) rpc.sendText(piece);
    rpc.sendText('"}\n{"id":"after","type":"get_messages"}\n');
    expect(await rpc.waitFor({ id: "after" })).toMatchObject({ success: true });
    expect(rpc.records.slice(0, 2)).toMatchObject([
      { command: "parse", success: false, error: "Failed to parse command: the line is longer than 64 Mi characters" },
      { type: "error" },
    ]);
    expect(rpc.records).toHaveLength(3);
  });
});

test("--mode rpc is RPC mode, also with -p", async () => {
  expect(await start("-p").request({ type: "get_state" })).toMatchObject({ success: true });
});

test("the first line says that it is ready, with --ready or without; nothing is written unasked with --no-ready", async () => {
  const line = { type: "ready", protocolVersion: 1, version: expect.stringMatching(/^\d+\.\d+\.\d+/) };
  for (const [args, ready] of [
    [[], line],
    [["--ready"], line],
    [["--no-ready"], undefined],
  ] as const) {
    const rpc = start(...args);
    expect(await rpc.end()).toBe(0);
    expect({ ready: rpc.ready, records: rpc.records }).toEqual({ ready, records: [] });
  }
});

test.each([
  [["@notes.md"], 'RPC mode takes no @file arguments, but got "@notes.md".'],
  [["hello"], 'RPC mode takes no prompt arguments, but got "hello".'],
])("arguments %j are refused with exit code 2", async (args, message) => {
  const rpc = start(...args);
  expect(await rpc.exited).toBe(2);
  expect(rpc.stderr).toBe(`${message} Send a prompt command on stdin.\n`);
  expect(rpc.lines).toEqual([]);
});
