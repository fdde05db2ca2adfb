import { defineTool, Type } from "@pikit/coding-agent";
import { until } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { openWorkQueue } from "../../src/work/index.ts";
import { startServer } from "../helpers/server.ts";
import { openWorkshop } from "./helpers.ts";

test("while the database is away no tool runs whose call is not stored, and the job goes on when it is back", async () => {
  const server = await startServer();
  onTestFinished(() => server.remove());
  const { answering, ended, openStore, problems, readStory, startWorker } = await openWorkshop(server.url());
  const store = openStore({ patienceSeconds: 0.5 });
  const queue = await openWorkQueue({ store });
  onTestFinished(() => queue.close());
  const calls: string[] = [];
  const tool = defineTool({
    name: "act",
    description: "Acts.",
    parameters: Type.Object({ what: Type.String() }),
    async execute(_id, { what }) {
      calls.push(what);
      return { content: [{ type: "text", text: "acted" }], details: null };
    },
  });
  const called = Promise.withResolvers<void>();
  const away = Promise.withResolvers<void>();
  let answers = 0;
  const script = async () => {
    answers += 1;
    if (answers > 1) return { text: "Done." };
    called.resolve();
    await away.promise;
    return { toolCalls: [{ name: "act", arguments: { what: "lost" } }] };
  };
  const job = await queue.enqueue({ prompt: "Go" });
  startWorker({ store, queue, session: answering(script, { customTools: [tool] }) });
  await called.promise;
  await server.stop();
  away.resolve();
  await until("the worker gives up", () =>
    problems.some((problem) => problem.includes(`The end of the job ${job.id} cannot be stored`)),
  );
  await server.start();
  expect(await ended(job.id)).toMatchObject({ outcome: "completed", answer: "Done." });
  expect(calls).toEqual([]);
  expect((await readStory(job.sessionId)).filter((line) => line.startsWith("user:"))).toEqual(["user: Go"]);
});
