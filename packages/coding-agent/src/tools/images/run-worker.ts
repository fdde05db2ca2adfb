import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { ImageJob, ImageJobResult } from "./worker.ts";

/** A normal image takes a second or two; only a malicious one takes this long. */
const timeoutMs = 60_000;
/** One image at a time, because each may need hundreds of megabytes. */
let lastJob: Promise<unknown> = Promise.resolve();

/**
 * Decodes an image in its own thread, and scales it down if needed.
 *
 * @returns undefined if the thread failed or took longer than 60 s.
 * @throws The reason of the abort signal.
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
  // Without the Node options of this process: in a process with `node -e`, the thread would fail to start.
  const worker = new Worker(workerUrl(), { workerData: job, name: "image", execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<ImageJobResult | undefined>();
  const abort = () => reject(signal.reason);
  const timer = setTimeout(resolve, timeoutMs, undefined);
  signal.addEventListener("abort", abort, { once: true });
  worker.once("message", resolve);
  // Out of memory, or the worker file is missing: the image cannot be shown.
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

/** The URL of the worker file: next to this file in the sources, at a fixed path in the published package. */
function workerUrl(): URL {
  if (import.meta.url.endsWith(".ts")) return new URL("./worker.ts", import.meta.url);
  const packageJson = createRequire(import.meta.url).resolve("@pikit/coding-agent/package.json");
  return pathToFileURL(join(dirname(packageJson), "dist", "image-worker.js"));
}
