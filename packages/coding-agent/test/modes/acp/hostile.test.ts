import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import type { Message } from "./acp-schema.ts";

const workspace = useWorkspace();

/** `pi acp` without a client: lines go in, messages come out. */
async function start() {
  const model = await workspace.script({ text: "Alive." });
  const child = spawn(process.execPath, [...cliArguments, "acp", "--model", model], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace),
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const messages: Message[] = [];
  let changed = Promise.withResolvers<void>();
  let held = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (held + text).split("\n");
    held = lines.pop() ?? "";
    messages.push(...lines.map((line) => JSON.parse(line) as Message));
    changed.resolve();
    changed = Promise.withResolvers();
  });
  return {
    child,
    messages,
    write: (text: string) => void child.stdin.write(text),
    async answerTo(id: Message["id"]): Promise<Message> {
      for (;;) {
        const found = messages.find((message) => message.id === id && message.method === undefined);
        if (found) return found;
        await changed.promise;
      }
    },
  };
}

const request = (id: unknown, method: string, params?: unknown) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/** Lines that are no requests, with the code of the error response. */
const badLines: [line: string, code: number][] = [
  ["{", -32700],
  ["nonsense", -32700],
  ["[]", -32600],
  ["7", -32600],
  ["null", -32600],
  ['"text"', -32600],
  ["{}", -32600],
  ['{"jsonrpc":"2.0","id":5}', -32600],
  ['{"jsonrpc":"2.0","method":7,"id":1}', -32600],
  ['{"jsonrpc":"2.0","method":"initialize","id":{}}', -32600],
  ['{"jsonrpc":"2.0","method":"initialize","id":[1]}', -32600],
];

/** Requests that cannot be answered, with the code of the error response. */
const badRequests: [method: string, params: unknown, code: number][] = [
  ["no/such", {}, -32601],
  ["toString", {}, -32601],
  ["__proto__", {}, -32601],
  ["initialize", undefined, -32602],
  ["initialize", [], -32602],
  ["initialize", { protocolVersion: "1" }, -32602],
  ["session/new", {}, -32602],
  ["session/new", { cwd: 7, mcpServers: [] }, -32602],
  ["session/new", { cwd: "relative", mcpServers: [] }, -32602],
  ["session/new", { cwd: "/", mcpServers: [{ name: "x" }] }, -32602],
  ["session/new", { cwd: "/", mcpServers: [{ type: "sse", name: "x", url: "http://localhost" }] }, -32602],
  ["session/load", { sessionId: "x", cwd: "/", mcpServers: [] }, -32002],
  ["session/load", { sessionId: "../../etc/passwd", cwd: "/", mcpServers: [] }, -32002],
  ["session/fork", { sessionId: "x", cwd: "/" }, -32002],
  ["session/prompt", { sessionId: "x", prompt: [] }, -32002],
  ["session/prompt", { sessionId: "x", prompt: [{ type: "video" }] }, -32602],
  ["session/prompt", { sessionId: "x" }, -32602],
  ["session/set_mode", { sessionId: "x", modeId: "y" }, -32002],
  ["session/list", { cursor: "-1" }, -32602],
  ["session/list", { cursor: "x" }, -32602],
];

/** Lines that get no answer, as JSON-RPC says of notifications and of responses to nothing. */
const silent = [
  "",
  "   ",
  '{"jsonrpc":"2.0","method":"no/such"}',
  '{"jsonrpc":"2.0","method":"session/cancel"}',
  '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}',
  '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"none"}}',
  '{"jsonrpc":"2.0","id":99,"result":{}}',
  '{"jsonrpc":"2.0","id":null,"error":7}',
];

describe("pi acp and clients that make mistakes", () => {
  test("1,000 malformed messages are each answered with the right error, or with none, and a prompt works after them", async () => {
    const { messages, write, answerTo } = await start();
    const expected: (number | undefined)[] = [];
    for (let round = 0; expected.length < 1000; round += 1) {
      for (const [line, code] of badLines) {
        write(`${line}\n`);
        expected.push(code);
      }
      for (const [method, params, code] of badRequests) {
        write(request(`${round}-${expected.length}`, method, params));
        expected.push(code);
      }
      for (const line of silent) write(`${line}\n`);
    }
    write(request("new", "session/new", { cwd: workspace.cwd, mcpServers: [] }));
    const { sessionId } = (await answerTo("new")).result as { sessionId: string };
    write(request("last", "session/prompt", { sessionId, prompt: [{ type: "text", text: "Alive?" }] }));
    expect((await answerTo("last")).result).toEqual({ stopReason: "end_turn" });
    const codes = messages.flatMap(({ error }) => error?.code ?? []);
    expect(codes.sort()).toEqual(expected.sort());
    expect(messages.filter(({ error }) => error && !/^[A-Z"].*[.]$/s.test(error.message))).toEqual([]);
  });

  test("deep and long input is refused, and the next request is answered", async () => {
    const { write, answerTo } = await start();
    write(`{"jsonrpc":"2.0","id":1,"method":"session/list","params":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}\n`);
    expect((await answerTo(1)).error?.code).toBe(-32602);
    write(`{"jsonrpc":"2.0","id":2,"method":"${"x".repeat(5_000_000)}"}\n`);
    const { error } = await answerTo(2);
    expect(error?.code).toBe(-32601);
    expect(error?.message.length).toBeLessThan(1000);
    write(request(3, "session/list", {}));
    expect((await answerTo(3)).result).toEqual({ sessions: [] });
  });

  test("at the end of the input a run is aborted, stored, and the process ends with 0", async () => {
    const { child, write, answerTo } = await start();
    write(request(1, "session/new", { cwd: workspace.cwd, mcpServers: [] }));
    const { sessionId } = (await answerTo(1)).result as { sessionId: string };
    write(request(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "Hello" }] }));
    const exited = once(child, "exit");
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect(JSON.stringify(await workspace.sessionLines())).toContain("Hello");
  });
});
