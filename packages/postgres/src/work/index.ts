export {
  type FollowEventsOptions,
  type FollowedEntry,
  type FollowedEvents,
  type FollowOptions,
  follow,
  followEvents,
} from "./follow.ts";
export type { Job, JobOptions, JobOutcome, JobRequest, JobResult } from "./job.ts";
export { type EnqueuedJob, openWorkQueue, type WorkQueue, type WorkQueueDatabase, type WorkQueueOptions } from "./queue.ts";
export type { ClaimedJob } from "./run-job.ts";
export { createWorker, type Worker, type WorkerOptions } from "./worker.ts";
