import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { openWorkshop, type Workshop } from "./helpers.ts";

const program = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url));

interface WorkerProcess {
  child: ChildProcess;
  pid: number;
  /** The results of its jobs, in the order of their ends. */
  results: AsyncIterator<unknown>;
}

/** A worker in a process of its own; see the fixture. */
async function startProcess({ url, cwd }: Workshop, leaseSeconds = 15): Promise<WorkerProcess> {
  const args = ["--conditions=pikit-source", program, url, cwd, String(leaseSeconds)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  const results = (async function* () {
    for (let line = await lines.next(); !line.done; line = await lines.next()) yield JSON.parse(line.value) as unknown;
  })();
  return { child, pid: child.pid ?? 0, results };
}

/** The ids of the processes in which the tool was called. */
function callsIn(folder: string): number[] {
  const path = join(folder, "calls");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).map(Number) : [];
}

const untilCalled = (folder: string) => until("the tool is called", () => callsIn(folder).length === 1);
const unknown = expect.stringMatching(/^toolResult: The result is unknown/);

test("another worker continues the run of one that was killed, and the call that was running is not repeated", async () => {
  const workshop = await openWorkshop();
  const { queue, cwd, readStory } = workshop;
  const job = await queue.enqueue({ prompt: "Go" });
  const next = await queue.enqueue({ sessionId: job.sessionId, prompt: "And then?" });
  const first = await startProcess(workshop);
  await untilCalled(cwd);
  const second = await startProcess(workshop);
  first.child.kill("SIGKILL");
  expect((await second.results.next()).value).toMatchObject({ outcome: "completed", answer: `said by ${second.pid}` });
  writeFileSync(join(cwd, "go"), "");
  expect((await second.results.next()).value).toMatchObject({ outcome: "completed" });
  expect(await queue.find(next.id)).toMatchObject({ state: "ended" });
  expect(callsIn(cwd)).toEqual([first.pid, second.pid]);
  const answer = `assistant: said by ${second.pid}`;
  expect(await readStory(job.sessionId)).toEqual([
    ...["user: Go", "assistant: (toolCall)", unknown, answer],
    ...["user: And then?", "assistant: (toolCall)", "toolResult: worked", answer],
  ]);
});

test("a worker that was stopped for longer than its lease cannot write when it comes back", async () => {
  const workshop = await openWorkshop();
  const { queue, cwd, readStory } = workshop;
  const job = await queue.enqueue({ prompt: "Go" });
  const first = await startProcess(workshop, 1);
  await untilCalled(cwd);
  const second = await startProcess(workshop);
  first.child.kill("SIGSTOP");
  expect((await second.results.next()).value).toMatchObject({ outcome: "completed", answer: `said by ${second.pid}` });
  const story = await readStory(job.sessionId);
  expect(story).toEqual(["user: Go", "assistant: (toolCall)", unknown, `assistant: said by ${second.pid}`]);
  writeFileSync(join(cwd, "go"), "");
  first.child.kill("SIGCONT");
  expect((await first.results.next()).value).toBe("returned");
  expect(await readStory(job.sessionId)).toEqual(story);
  expect(await queue.find(job.id)).toMatchObject({ state: "ended", result: { answer: `said by ${second.pid}` } });
});
