// Run by benchmarks/postgres.ts: uses two databases, one with few sessions and one with many, and prints one line of JSON with all times.
import { join } from "node:path";

type Library = typeof import("../../packages/coding-agent/src/index.ts");
type Postgres = typeof import("../../packages/postgres/src/index.ts");
type Store = InstanceType<Postgres["PostgresSessionStore"]>;

export interface Options {
  /** The addresses of the databases, with as many sessions. */
  databases: readonly { url: string; sessions: number }[];
  /** A session file. */
  file: string;
  rounds: number;
}

/** Milliseconds, one number a round. */
export interface Times {
  /** 3,000 entries, 30 in each of 100 sessions at once. */
  appends: number[];
  /** The session of the file, opened from the file and from a database. */
  openFile: number[];
  openStored: number[];
  /** For each database, in the order of the options: so many of each operation, one after another. */
  operations: Record<Operation, number[]>[];
}

export type Operation = "list" | "listFolder" | "open" | "append";

/** Operations a measurement. */
const repetitions = 50;

const packages = join(import.meta.dirname, "../../packages");
const timestamp = "2026-01-01T00:00:00.000Z";

/** Sessions that are created at the same time. */
const together = 1000;

/** Sessions of a folder. */
const ofFolder = 10;

await main(JSON.parse(process.argv[2] ?? "") as Options);

async function main({ databases, file, rounds }: Options): Promise<void> {
  const { FileSessionStore } = (await import(join(packages, "coding-agent/dist/index.js"))) as Library;
  const { PostgresSessionStore } = (await import(join(packages, "postgres/dist/index.js"))) as Postgres;
  const stores = databases.map(({ url }) => new PostgresSessionStore({ url, report: console.error }));
  for (const [index, store] of stores.entries()) await fill(store, databases[index]?.sessions ?? 0);
  const [first] = stores as [Store];
  const files = new FileSessionStore(join(file, ".."));
  const stored = await first.writeLines(files.readLines(file));
  const times: Times = { appends: [], openFile: [], openStored: [], operations: stores.map(() => emptyTimes()) };
  for (let round = -1; round < rounds; round += 1) {
    // The first round compiles.
    if (round === 0)
      Object.assign(times, { appends: [], openFile: [], openStored: [], operations: stores.map(() => emptyTimes()) });
    times.appends.push(await timeOf(() => appendAtOnce(first, `appends ${round}`)));
    times.openFile.push(await timeOf(() => openAll(files, file)));
    times.openStored.push(await timeOf(() => openAll(first, stored)));
    for (const [index, store] of stores.entries())
      await measureOperations(store, round, times.operations[index] as Times["operations"][0]);
  }
  await Promise.all(stores.map((store) => store.close()));
  console.log(JSON.stringify(times));
}

function emptyTimes(): Record<Operation, number[]> {
  return { list: [], listFolder: [], open: [], append: [] };
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function headerOf(id: string, cwd: string) {
  return { type: "session", version: 3, id, timestamp, cwd } as const;
}

function folderOf(number: number): string {
  return `/work/${Math.floor(number / ofFolder)}`;
}

/** An entry of some 1,000 bytes. */
function entryOf(number: number) {
  const text = `Entry ${number}. `.repeat(70);
  return {
    type: "message",
    id: `${number}`,
    parentId: null,
    timestamp,
    message: { role: "user", content: text, timestamp: 1 },
  } as const;
}

async function begin(store: Store, id: string, cwd: string) {
  const header = headerOf(id, cwd);
  const log = store.create(header);
  await log.append([header, entryOf(0)], () => undefined);
  return log;
}

async function fill(store: Store, sessions: number): Promise<void> {
  for (let start = 0; start < sessions; start += together) {
    const numbers = Array.from({ length: Math.min(together, sessions - start) }, (_, index) => start + index);
    const logs = await Promise.all(numbers.map((number) => begin(store, `session ${number}`, folderOf(number))));
    await Promise.all(logs.map((log) => log.close()));
  }
}

async function appendAtOnce(store: Store, name: string): Promise<void> {
  const sessions = Array.from({ length: 100 }, (_, index) => `${name} ${index}`);
  await Promise.all(
    sessions.map(async (id) => {
      const log = await begin(store, id, "/work/appends");
      for (let number = 1; number < 30; number += 1) await log.append([entryOf(number)], () => undefined);
      await log.close();
    }),
  );
}

async function openAll(store: Pick<Store, "open"> | InstanceType<Library["FileSessionStore"]>, ref: string): Promise<void> {
  const { log } = await store.open(ref, () => undefined);
  await log.close();
}

async function measureOperations(store: Store, round: number, times: Record<Operation, number[]>): Promise<void> {
  const numbers = Array.from({ length: repetitions }, (_, index) => index);
  const each = async (run: (number: number) => Promise<unknown>) => {
    for (const number of numbers) await run(number);
  };
  const log = await begin(store, `operations ${round}`, "/work/operations");
  times.list.push(await timeOf(() => each(() => store.list({ limit: 20 }))));
  times.listFolder.push(await timeOf(() => each((number) => store.list({ cwd: folderOf(number), limit: 1 }))));
  times.open.push(await timeOf(() => each((number) => openAll(store, `session ${number}`))));
  times.append.push(await timeOf(() => each((number) => log.append([entryOf(number + 1)], () => undefined) as Promise<void>)));
  await log.close();
}
