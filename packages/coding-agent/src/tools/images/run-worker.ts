import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { ImageJob, ImageJobResult } from "./worker.ts";

/** An image takes a second or two; what takes this long was made to. */
const timeoutMs = 60_000;
/** One image at a time: each may take hundreds of megabytes. */
let lastJob: Promise<unknown> = Promise.resolve();

/**
 * Decodes an image in a thread of its own, and makes it smaller where it must be.
 *
 * @returns undefined when the thread died or took longer than 60 s.
 * @throws The abort's reason.
 */
export async function runImageJob(job: ImageJob, signal: AbortSignal): Promise<ImageJobResult | undefined> {
  const run = lastJob.then(() => {
    signal.throwIfAborted();
    return runInThread(job, signal);
  });
  lastJob = run.catch(() => undefined);
  return run;
}

async function runInThread(job: ImageJob, signal: AbortSignal): Promise<ImageJobResult | undefined> {
  // Without the options of this process: a thread whose process runs `node -e` would refuse to start.
  const worker = new Worker(workerUrl(), { workerData: job, name: "image", execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<ImageJobResult | undefined>();
  const abort = () => reject(signal.reason);
  const timer = setTimeout(resolve, timeoutMs, undefined);
  signal.addEventListener("abort", abort, { once: true });
  worker.once("message", resolve);
  // Without memory, or without its file: the image cannot be shown, and that is all.
  worker.once("error", () => resolve(undefined));
  worker.once("exit", () => resolve(undefined));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}

/** The thread's program is a file: beside this one in the sources, at a fixed place in what is published. */
function workerUrl(): URL {
  if (import.meta.url.endsWith(".ts")) return new URL("./worker.ts", import.meta.url);
  const packageJson = createRequire(import.meta.url).resolve("@pikit/coding-agent/package.json");
  return pathToFileURL(join(dirname(packageJson), "dist", "image-worker.js"));
}
