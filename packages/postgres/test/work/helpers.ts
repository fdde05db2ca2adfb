import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CreateAgentSessionOptions, createScriptedModel, type SessionEntry } from "@pikit/coding-agent";
import { onTestFinished } from "vitest";
import { PostgresSessionStore, type PostgresStoreOptions } from "../../src/index.ts";
import {
  createWorker,
  type JobResult,
  openWorkQueue,
  type Worker,
  type WorkerOptions,
  type WorkQueue,
} from "../../src/work/index.ts";
import { createDatabaseWithTables } from "../helpers/database.ts";

type Script = NonNullable<Parameters<typeof createScriptedModel>[0]>["script"];

/** A database with a queue, for workers of this process. All of it is closed after the test. */
export interface Workshop {
  url: string;
  queue: WorkQueue;
  /** A working folder. */
  cwd: string;
  /** Problems that were reported. */
  problems: string[];
  /** Options of a session whose model answers from the script. */
  answering(script: Script, options?: CreateAgentSessionOptions): CreateAgentSessionOptions;
  openStore(options?: Partial<PostgresStoreOptions>): PostgresSessionStore;
  /** Starts a worker with a store of its own, as if it was another process. */
  startWorker(options: Omit<WorkerOptions, "store" | "queue"> & Partial<Pick<WorkerOptions, "store" | "queue">>): Worker;
  /** Resolves with the result of a job that a worker of this process ends. */
  ended(jobId: string): Promise<JobResult>;
  /** The messages of a session as texts, such as `user: Hello`. */
  readStory(sessionId: string): Promise<string[]>;
}

/** @param address - Of an empty database. Default: one of the server for all tests. */
export async function openWorkshop(address?: string): Promise<Workshop> {
  const url = address ?? (await createDatabaseWithTables());
  const cwd = mkdtempSync(join(tmpdir(), "pikit-work-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  const queue = await openWorkQueue({ url, report });
  onTestFinished(() => queue.close());
  const results = new Map<string, PromiseWithResolvers<JobResult>>();
  const resultOf = (id: string) => {
    const found = results.get(id) ?? Promise.withResolvers<JobResult>();
    results.set(id, found);
    return found;
  };
  const openStore = (options: Partial<PostgresStoreOptions> = {}) => {
    const store = new PostgresSessionStore({ url, report, ...options });
    onTestFinished(() => store.close());
    return store;
  };
  const reader = openStore();
  return {
    ...{ url, queue, cwd, problems, openStore },
    answering: (script, options = {}) => ({
      model: createScriptedModel({ script }),
      cwd,
      agentDir: join(cwd, ".agent"),
      ...options,
    }),
    startWorker({ store = openStore(), onEnd, ...options }) {
      const worker = createWorker({
        ...{ store, queue, report, ...options },
        onEnd(id, result) {
          onEnd?.(id, result);
          if (result) resultOf(id).resolve(result);
        },
      });
      onTestFinished(() => worker.stop({ graceSeconds: 0 }));
      return worker;
    },
    ended: (jobId) => resultOf(jobId).promise,
    readStory: (sessionId) => readStory(reader, sessionId),
  };
}

/** The messages of a session as texts, such as `user: Hello`. */
async function readStory(store: PostgresSessionStore, sessionId: string): Promise<string[]> {
  const entries: SessionEntry[] = [];
  const { log } = await store.open(sessionId, (entry) => void entries.push(entry), { readOnly: true });
  await log.close();
  return entries.flatMap((entry) => {
    if (entry.type !== "message") return [];
    const { role } = entry.message;
    const content = "content" in entry.message ? entry.message.content : "";
    const text =
      typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : `(${block.type})`)).join(" ");
    return [`${role}: ${text}`];
  });
}
