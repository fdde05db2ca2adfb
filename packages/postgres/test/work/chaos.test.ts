import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../helpers/server.ts";
import { openWorkshop, type Workshop } from "./helpers.ts";
import { startProcess, type WorkerProcess } from "./worker-process.ts";

const isLong = process.env.PIKIT_LONG === "1";
const sessions = isLong ? 100 : 20;
const kills = isLong ? 20 : 4;

/** Workers that each are replaced when they are killed, and count the ends of jobs together. */
class Crew {
  readonly #workshop: Workshop;
  readonly #workers: WorkerProcess[] = [];
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  #ends = 0;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  async add(): Promise<void> {
    const worker = await startProcess(this.#workshop);
    this.#workers.push(worker);
    void this.#count(worker);
  }

  /** Kills the worker that was started first, and starts another one. */
  async replace(): Promise<void> {
    this.#workers.shift()?.child.kill("SIGKILL");
    await this.add();
  }

  /** Resolves when so many jobs have ended, or were given back. */
  untilEnds(count: number): Promise<void> {
    if (this.#ends >= count) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push({ count, resolve }));
  }

  async #count({ results }: WorkerProcess): Promise<void> {
    while (!(await results.next()).done) {
      this.#ends += 1;
      for (const { count, resolve } of this.#waiting) if (count <= this.#ends) resolve();
    }
  }
}

test("workers are killed and the database loses its power: every prompt is told once and has one answer", async () => {
  const server = await startServer({ fsync: "on" });
  onTestFinished(() => server.remove());
  const workshop = await openWorkshop(server.url());
  const { queue, cwd, readStory } = workshop;
  writeFileSync(join(cwd, "go"), "");
  const crew = new Crew(workshop);
  await Promise.all([crew.add(), crew.add(), crew.add()]);
  const requests = Array.from({ length: sessions * 3 }, (_, index) => ({
    sessionId: `s-${index % sessions}`,
    prompt: `prompt ${Math.floor(index / sessions)}`,
  }));
  const jobs = await queue.enqueueAll(requests);
  for (let kill = 1; kill <= kills; kill += 1) {
    await crew.untilEnds(Math.floor((jobs.length * kill) / (kills + 2)));
    if (kill === 2) {
      await server.kill();
      await server.start();
    }
    await crew.replace();
  }
  await until("all jobs have ended", async () => {
    const { waiting, running } = await queue.counts();
    return waiting + running === 0;
  });
  for (const { id } of jobs) expect(await queue.find(id)).toMatchObject({ state: "ended", result: { outcome: "completed" } });
  for (let session = 0; session < sessions; session += 1) {
    const story = await readStory(`s-${session}`);
    const told = story.filter((line) => line.startsWith("user:") || line.startsWith("assistant: said"));
    expect(told).toEqual([0, 1, 2].flatMap((turn) => [`user: prompt ${turn}`, expect.stringMatching(/^assistant: said by \d+$/)]));
  }
});
