import { once } from "node:events";
import { createScriptedModel } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { reportUncaught } from "../../src/index.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import { cliArguments, runCli, spawnCli } from "../helpers/cli.ts";
import { startProgram, startRpc } from "../helpers/rpc-process.ts";
import { openSession } from "../helpers/sessions.ts";
import { rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** The ways in which work that an extension has begun and not waited for can fail. */
const failures: Record<string, { code: string; event: string; error: string | RegExp }> = {
  timer: { code: `setTimeout(() => { throw new Error("late") }, 0)`, event: "uncaughtException", error: "late" },
  "timer, no error": { code: `setTimeout(() => { throw "a text" }, 0)`, event: "uncaughtException", error: "a text" },
  rejection: { code: `void Promise.reject(new Error("not waited for"))`, event: "unhandledRejection", error: "not waited for" },
  "rejection, no error": { code: `void Promise.reject("a reason")`, event: "unhandledRejection", error: "a reason" },
  "rejection, later": {
    code: `void (async () => { await new Promise((r) => setImmediate(r)); throw new Error("much later") })()`,
    event: "unhandledRejection",
    error: "much later",
  },
  emitter: {
    code: `setImmediate(() => new EventEmitter().emit("error", new Error("told")))`,
    event: "uncaughtException",
    error: "told",
  },
  socket: { code: `connect(1, "127.0.0.1")`, event: "uncaughtException", error: /ECONNREFUSED/ },
  program: { code: `spawn("/no/such/program")`, event: "uncaughtException", error: /ENOENT/ },
  thread: {
    code: `new Worker("throw new Error('in a thread')", { eval: true })`,
    event: "uncaughtException",
    error: "in a thread",
  },
  request: { code: `void fetch("http://127.0.0.1:1/")`, event: "unhandledRejection", error: /./ },
  "of our interface": { code: `void pi.appendEntry("pikit.mine", 1)`, event: "unhandledRejection", error: /reserved for pikit/ },
};

const extension = `
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import type { ExtensionApi } from "@pikit/coding-agent";

export default function (pi: ExtensionApi): void {
  const failures: Record<string, () => void> = {
${Object.entries(failures)
  .map(([name, { code }]) => `    ${JSON.stringify(name)}: () => { ${code}; },`)
  .join("\n")}
  };
  pi.registerCommand("fail", { handler: (name) => failures[name]?.() });
  pi.registerCommand("flood", {
    async handler(_args, { ui }) {
      for (let count = 0; count < 1000; count += 1) setImmediate(() => { throw new Error("drop " + count); });
      await new Promise((resolve) => setTimeout(resolve, 0));
      ui.notify("over");
    },
  });
}
`;

/** What somebody else's module brings into the process, and an extension does not: on SIGUSR2 something breaks. */
const faulty = `process.on("SIGUSR2", () => setImmediate(() => { throw new Error("A fault. Of\\n  ours."); }));`;
const problem = "pi must exit because of an internal fault: A fault. Of ours.";

async function withFault(): Promise<{ env: NodeJS.ProcessEnv }> {
  return { env: { NODE_OPTIONS: `--require ${await workspace.write("faulty.cjs", faulty)}` } };
}

test("what an extension does not catch is its error, and the agent goes on; a flood of it is told in few records", async () => {
  const path = await workspace.write("fails.ts", extension);
  const rpc = startRpc(workspace, [
    "--model",
    await workspace.script({ text: "Here." }, { text: "Still here." }),
    "--extension",
    path,
  ]);
  for (const [name, { event, error }] of Object.entries(failures)) {
    const from = rpc.records.length;
    await rpc.request({ type: "prompt", message: `/fail ${name}` });
    const told = await rpc.waitFor({ type: "extension_error" }, from);
    const expected = typeof error === "string" ? error : expect.stringMatching(error);
    expect(told, name).toEqual({ type: "extension_error", extensionPath: path, event, error: expected });
    await rpc.waitFor({ type: "agent_settled" }, from);
  }
  // Counted anew with each run.
  await rpc.promptAndWait("Hello?");
  const from = rpc.records.length;
  await rpc.request({ type: "prompt", message: "/flood" });
  await rpc.waitFor({ type: "extension_ui_request", method: "notify", message: "over" }, from);
  await rpc.waitFor({ type: "agent_settled" }, from);
  const told = rpc.records.slice(from).filter(({ type }) => type === "extension_error");
  expect(told.length).toBe(25);
  expect(told.at(-1)?.error).toMatch(/^drop \d+ \(640 errors so far; not all are reported\)$/);
  expect((await rpc.promptAndWait("Hello?")).find(({ type }) => type === "agent_end")).toMatchObject({
    messages: [{ role: "user" }, { role: "assistant", content: [{ text: "Still here." }] }],
  });
  expect(await rpc.end()).toBe(0);
  expect(rpc.stderr).toBe("");
});

test("an extension that fails in the midst of a run does not end it, in print mode either", async () => {
  const code = `import type { ExtensionApi } from "@pikit/coding-agent";
    export default (pi: ExtensionApi) => void pi.on("turn_start", () => void Promise.reject(new Error("not waited for")));`;
  const path = await workspace.write("fails.ts", code);
  const model = await workspace.script({ toolCalls: [{ name: "bash", arguments: { command: "echo hi" } }] }, { text: "Done." });
  const { stdout, stderr, exitCode } = await runCli(workspace, ["-p", "--model", model, "--extension", path, "Go"]);
  expect({ stdout, exitCode }).toEqual({ stdout: "Done.\n", exitCode: 0 });
  expect(stderr).toContain("not waited for");
  expect(stderr).not.toContain("    at ");
});

describe("after a fault of its own the process ends in order, with exit code 1", () => {
  const sleeping = { toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] };

  test("in RPC mode: the client is told, and what exists is stored", async () => {
    const args = ["--mode", "rpc", "--model", await workspace.script(sleeping)];
    const rpc = startProgram(workspace, [...cliArguments, ...args], await withFault());
    await rpc.request({ type: "prompt", message: "Go" });
    await rpc.waitFor({ type: "tool_execution_start" });
    rpc.child.kill("SIGUSR2");
    expect(await rpc.exited).toBe(1);
    expect(rpc.records).toContainEqual({ type: "error", error: problem });
    expect(rpc.records.at(-1)).toEqual({ type: "agent_settled" });
    expect(rpc.stderr).toBe(`${problem} Set PI_DEBUG=1 to see the stack.\n`);
    expect(rolesIn(await workspace.sessionLines()).slice(0, 3)).toEqual(["user", "assistant", "toolResult"]);
  });

  test("in JSON mode", async () => {
    const args = ["--mode", "json", "--model", await workspace.script(sleeping), "Go"];
    const child = spawnCli(workspace, args, await withFault());
    child.stdin.end();
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.includes('"tool_execution_start"')) child.kill("SIGUSR2");
    });
    expect(await once(child, "close")).toEqual([1, null]);
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types.slice(types.indexOf("tool_execution_start"))).toEqual(
      expect.arrayContaining(["tool_execution_start", "error", "agent_end", "agent_settled"]),
    );
  });

  test("in agent_chat: the chat ends with an error", async () => {
    const args = ["agent-rpc", "--approval", "never-ask", "--model", await workspace.script(sleeping)];
    const child = spawnCli(workspace, args, await withFault());
    child.stdin.write(`${JSON.stringify({ method: "agent_chat", params: { message: "Go" } })}\n`);
    let stdout = "";
    let wasTold = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (!wasTold && stdout.includes('"command_started"')) wasTold = child.kill("SIGUSR2");
    });
    expect(await once(child, "close")).toEqual([1, null]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toContainEqual({ event: "error", data: { message: problem, code: "internal", ends_chat: true } });
  });

  test("PI_DEBUG=1 shows the stack", async () => {
    const { env } = await withFault();
    const rpc = startRpc(workspace, [], { env: { ...env, PI_DEBUG: "1" } });
    await rpc.state();
    rpc.child.kill("SIGUSR2");
    expect(await rpc.exited).toBe(1);
    expect(rpc.stderr).toContain(problem);
    expect(rpc.stderr).toContain("faulty.cjs");
  });
});

test("in process nothing is caught unasked: the host hands errors over, and is told which are not of an extension", async () => {
  const events: AgentSessionEvent[] = [];
  const handed: boolean[] = [];
  const { session } = await openSession(workspace, {
    model: createScriptedModel({ script: [{ text: "Done." }] }),
    session: "memory",
    // Within its handler an error counts as its own, wherever it was made.
    extensions: [(pi) => void pi.on("turn_start", () => void handed.push(reportUncaught("broken", "unhandledRejection")))],
  });
  session.subscribe((event) => void events.push(event));
  await session.prompt("Go");
  expect(handed).toEqual([true]);
  expect(events.filter(({ type }) => type === "extension_error")).toEqual([
    { type: "extension_error", extensionPath: "<inline>", event: "unhandledRejection", error: "broken" },
  ]);
  expect(reportUncaught(new Error("of the host"))).toBe(false);
});
