import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { openWorkshop } from "./helpers.ts";
import { startProcess } from "./worker-process.ts";

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
