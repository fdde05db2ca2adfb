// Runs the jobs of the queue until SIGTERM. Start as many workers as you need, on as many machines as you like.
// PI_SESSION_STORE is the address of the database. The working folder is the folder of the agents, unless a job names another one.
import { PostgresSessionStore } from "@pikit/postgres";
import { createWorker, openWorkQueue } from "@pikit/postgres/work";

const { PI_SESSION_STORE: url = "", PI_WORKER_CONCURRENCY, PI_WORKER_MEMORY_MB, PI_LEASE_SECONDS } = process.env;
const report = (problem) => console.error(problem);
const store = new PostgresSessionStore({ url, leaseSeconds: Number(PI_LEASE_SECONDS ?? 15), report });
const queue = await openWorkQueue({ url, report });
const worker = createWorker({
  store,
  queue,
  report,
  concurrency: Number(PI_WORKER_CONCURRENCY ?? 10),
  maxMemoryMb: Number(PI_WORKER_MEMORY_MB ?? 1500),
  onEnd: (jobId, result) => console.log(jobId, result?.outcome ?? "given back", result?.error ?? ""),
});
console.log("The worker takes jobs.");

for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, async () => {
    // Other workers continue what has not ended by then.
    await worker.stop({ graceSeconds: 30 });
    await queue.close();
    await store.close();
  });
}
