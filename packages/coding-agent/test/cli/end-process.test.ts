import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { endInTime } from "../../src/modes/end-in-time.ts";
import { runCli } from "../helpers/cli.ts";
import { startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** How extensions can leave threads waiting for ever; `pipe` has no writer. */
const ways = {
  file: "readFile(pipe, () => {});",
  "all threads": "for (let n = 0; n < 4; n += 1) readFile(pipe, () => {});",
  worker: 'new Worker("require(\'node:fs\').readFileSync(" + JSON.stringify(pipe) + ")", { eval: true });',
};

/** The options that load an extension which runs this code. */
async function extension(name: string, code: string): Promise<string[]> {
  const imports = 'import { readFile } from "node:fs";\nimport { Worker } from "node:worker_threads";\n';
  const pipe = JSON.stringify(join(workspace.root, "pipe"));
  const path = await workspace.write(`${name}.ts`, `${imports}const pipe = ${pipe};\nexport default () => {\n${code}\n};\n`);
  return ["--extension", path, "--model", "demo/tour"];
}

test("a process that is told to end is gone, with its exit code, whatever its threads wait for", async () => {
  execFileSync("mkfifo", [join(workspace.root, "pipe")]);
  const endings = [
    { way: "file", signal: "SIGTERM", code: 143 },
    { way: "all threads", signal: "SIGINT", code: 130 },
    { way: "worker", signal: "SIGHUP", code: 129 },
  ] as const;
  const killed = endings.map(async ({ way, signal }) => {
    const rpc = startRpc(workspace, ["--no-session", ...(await extension(way, ways[way]))]);
    await rpc.state();
    rpc.child.kill(signal);
    return [await rpc.exited, rpc.stderr];
  });
  const atEndOfInput = async () => {
    const rpc = startRpc(workspace, await extension("input", ways.file + ways.worker));
    await rpc.promptAndWait("Hi");
    return [await rpc.end(), rpc.stderr];
  };
  const atEndOfPrompts = async () => {
    const { exitCode, stderr } = await runCli(workspace, ["-p", ...(await extension("prompts", ways.file)), "--no-session", "Hi"]);
    return [exitCode, stderr];
  };
  expect(await Promise.all([...killed, atEndOfInput(), atEndOfPrompts()])).toEqual([
    ...endings.map(({ code }) => [code, ""]),
    [0, ""],
    [0, ""],
  ]);
  expect((await workspace.sessionLines()).length).toBeGreaterThan(2);
});

test("what never ends is waited for for ten seconds", async () => {
  vi.useFakeTimers();
  try {
    const late = endInTime(new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await late).toBe(false);
    expect(await endInTime(Promise.resolve())).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
