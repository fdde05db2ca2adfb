import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { cliArguments } from "../helpers/cli.ts";
import { type RpcProcess, startProgram } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import type { SoakReport } from "./in-process.ts";
import { findProcesses, openFiles, residentBytes } from "./leftovers.ts";
import { promptsPerSession, type SoakPrompt, soakPrompts } from "./prompts.ts";

const isLong = process.env.PIKIT_LONG === "1";
const count = isLong ? 2000 : 60;
/** Growth that is none, as a fraction. */
const allowedGrowth = isLong ? 0.05 : 0.25;

/** Bytes that the command may have resident. It runs as users run it, without flags of V8 from outside. */
const maxResident = 125e6;

const workspace = useWorkspace();

/** Milliseconds between retries, so that a soak of retries takes no minutes. */
const settings = { retry: { baseDelayMs: 1 } };

// What is left over is read from /proc.
const onLinux = test.skipIf(process.platform !== "linux");

onLinux(`AG-025 ${count} prompts with tools and aborts in one process leave nothing and need no more memory`, async () => {
  await workspace.write("agent/settings.json", settings);
  const program = fileURLToPath(new URL("in-process.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", ...importOptions, program, workspace.cwd, workspace.agentDir, String(count)],
    { maxBuffer: 2 ** 24 },
  );
  const { before, after, surprises, heap, resident }: SoakReport = JSON.parse(stdout);
  if (isLong) tell("in process", { heap, resident });
  expect(surprises).toEqual([]);
  expect(after).toEqual(before);
  expect(growth(heap)).toBeLessThan(allowedGrowth);
});

onLinux(`${count} prompts with tools and aborts over RPC leave no child, no open file and no memory`, async () => {
  await workspace.write("agent/settings.json", settings);
  const prompts = soakPrompts(count);
  const model = await workspace.script(...prompts.flatMap(({ answers }) => answers));
  const flags = ["--mode", "rpc", "--model", model, "--no-session", "--stream", "deltas"];
  const rpc = startProgram(workspace, [...cliArguments, ...flags]);
  const pid = rpc.child.pid as number;
  await rpc.request({ type: "get_state" });
  const resident: number[] = [];
  const surprises: string[] = [];
  let files: Record<string, number> = {};
  for (const [index, prompt] of prompts.entries()) {
    if (index % promptsPerSession === 0) {
      await rpc.request({ type: "new_session" });
      // The first prompts load what is loaded once.
      if (index === promptsPerSession) files = openFiles(pid);
      resident.push(residentBytes(pid));
      rpc.records.length = 0;
      rpc.lines.length = 0;
    }
    const ending = await send(rpc, prompt, index);
    if (ending !== prompt.ending) surprises.push(`prompt ${index} ended with ${ending} instead of ${prompt.ending}`);
  }
  await rpc.request({ type: "new_session" });
  resident.push(residentBytes(pid));
  if (isLong) tell("over RPC", { resident });
  expect(surprises).toEqual([]);
  expect(findProcesses(pid, workspace.cwd)).toEqual([]);
  expect(openFiles(pid)).toEqual(files);
  expect(growth(resident)).toBeLessThan(allowedGrowth);
  expect(Math.max(...resident)).toBeLessThan(maxResident);
  expect(await rpc.end()).toBe(0);
  expect(findProcesses(pid, workspace.cwd)).toEqual([]);
  expect(rpc.stderr).toBe("");
});

/** Sends a prompt, does what is to be done meanwhile, and returns the last stop reason. */
async function send(rpc: RpcProcess, { during }: SoakPrompt, index: number): Promise<unknown> {
  const from = rpc.records.length;
  await rpc.request({ type: "prompt", message: `Prompt ${index}` });
  if (during) {
    await rpc.waitFor(({ type, assistantMessageEvent }) => {
      const update = assistantMessageEvent as { type: string } | undefined;
      return (update?.type ?? type) === during.event;
    }, from);
    const command = { abort: "abort", steer: "steer", followUp: "follow_up" }[during.act];
    await rpc.request({ type: command, ...(during.act === "abort" ? {} : { message: "And this" }) });
  }
  await rpc.waitFor({ type: "agent_settled" }, from);
  const answers = rpc.records.slice(from).flatMap(({ type, message }) => (type === "message_end" ? [message] : []));
  return (answers as { role: string; stopReason?: string }[]).findLast(({ role }) => role === "assistant")?.stopReason;
}

/** By what fraction the mean of the last samples is above that of those before; the first half is warm-up and does not count. */
function growth(samples: readonly number[]): number {
  const counted = samples.slice(Math.ceil(samples.length / 2));
  const half = Math.floor(counted.length / 2);
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  return mean(counted.slice(-half)) / mean(counted.slice(0, half)) - 1;
}

function tell(name: string, samples: Record<string, number[]>): void {
  for (const [what, all] of Object.entries(samples)) {
    const bytes = all.filter((_, index) => index % Math.floor(all.length / 20) === 0);
    console.log(`soak ${name}, ${what} in MB: ${bytes.map((value) => (value / 1e6).toFixed(1)).join(" ")}`);
  }
}
