// Run by benchmarks/many-sessions.ts with --expose-gc: streams answers from its server to so many sessions at once, in turn with bare loops
// that do the same, and prints one line of JSON a measurement.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** So many answers at once. */
export interface Stage {
  sessions: number;
  /** Of each answer. */
  deltas: number;
  /** Deltas a second of each answer; 0: as fast as they are read. */
  rate: number;
}

/** One stage, measured once. Milliseconds. */
export interface Measurement {
  /** CPU time of 1,000 deltas, once all answers have begun. */
  sessions: number;
  /** The same of loops that fetch, split and parse. */
  bare: number;
  /** The longest time between two deltas of a session, while all were streaming: of the session in the middle, and of the worst. */
  medianWait: number;
  worstWait: number;
}

async function main(): Promise<void> {
  const [url, rounds, ...stages] = process.argv.slice(2) as [string, string, ...string[]];
  const library = new URL("../../packages/coding-agent/dist/index.js", import.meta.url).href;
  const { createAgentSession } = (await import(library)) as typeof import("../../packages/coding-agent/src/index.ts");
  const plan = stages.map((stage) => JSON.parse(stage) as Stage);
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const sessions = await Promise.all(
    Array.from({ length: Math.max(...plan.map((stage) => stage.sessions)) }, () =>
      createAgentSession({ cwd: folder, agentDir: folder, session: "memory", model: modelAt(url), compaction: { enabled: false } }),
    ),
  );
  // The first rounds load, connect and compile.
  for (let round = -2; round < Number(rounds); round += 1) {
    for (const [index, stage] of plan.entries()) {
      const bare = await measureBare(url, stage);
      const measured = await measureSessions(url, sessions.slice(0, stage.sessions), stage);
      if (round >= 0) console.log(JSON.stringify({ index, bare, ...measured }));
    }
  }
  await rm(folder, { recursive: true });
  process.exit();
}

function modelAt(baseUrl: string) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 1e9, maxTokens: 1000, cost };
  const names = { id: "bench", name: "bench", provider: "bench", api: "anthropic-messages" };
  return { ...names, ...limits, baseUrl, reasoning: false, input: ["text" as const] };
}

function addressOf(url: string, { sessions, deltas, rate }: Stage): string {
  return `${url}/${sessions}/${deltas}/${rate}`;
}

async function measureSessions(
  url: string,
  sessions: readonly import("../../packages/coding-agent/src/index.ts").AgentSession[],
  stage: Stage,
): Promise<Omit<Measurement, "bare">> {
  for (const session of sessions) {
    await session.history.startNew();
    await session.models.set(modelAt(addressOf(url, stage)));
  }
  const clock = new CpuClock(stage);
  const waits = new Waits(stage);
  const ends = sessions.map((session, index) =>
    session.subscribe((event) => {
      if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
      clock.count();
      waits.count(index);
    }),
  );
  await Promise.all(sessions.map((session) => session.prompt("Go")));
  for (const end of ends) end();
  return { sessions: clock.milliseconds(), ...waits.summary() };
}

/** What nobody can do without: fetch, cut into lines, parse. */
async function measureBare(url: string, stage: Stage): Promise<number> {
  const clock = new CpuClock(stage);
  const read = async () => {
    const response = await fetch(`${addressOf(url, stage)}/v1/messages`, { method: "POST", body: "{}" });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data: {") && JSON.parse(line.slice(6)).type === "content_block_delta") clock.count();
      }
    }
  };
  await Promise.all(Array.from({ length: stage.sessions }, read));
  return clock.milliseconds();
}

/** CPU time of the process from the first tenth of all deltas to the last one: the requests do not count. */
class CpuClock {
  readonly #total: number;
  readonly #first: number;
  #counted = 0;
  #start = process.cpuUsage();
  #used: NodeJS.CpuUsage | undefined;

  constructor({ sessions, deltas }: Stage) {
    this.#total = sessions * deltas;
    this.#first = Math.floor(this.#total / 10);
    globalThis.gc?.();
  }

  count(): void {
    this.#counted += 1;
    if (this.#counted === this.#first) this.#start = process.cpuUsage();
    if (this.#counted === this.#total) this.#used = process.cpuUsage(this.#start);
  }

  /** Of 1,000 deltas. */
  milliseconds(): number {
    if (this.#used === undefined) throw new Error(`expected ${this.#total} deltas, got ${this.#counted}`);
    return (this.#used.user + this.#used.system) / (this.#total - this.#first);
  }
}

/** The longest time between two deltas of each session, from the first delta of all until some session is through. */
class Waits {
  readonly #deltas: number;
  readonly #counts: number[];
  readonly #last: number[];
  readonly #longest: number[];
  #isOver = false;

  constructor({ sessions, deltas }: Stage) {
    this.#deltas = deltas;
    this.#counts = Array<number>(sessions).fill(0);
    this.#last = Array<number>(sessions).fill(Number.NaN);
    this.#longest = Array<number>(sessions).fill(0);
  }

  count(session: number): void {
    if (this.#isOver) return;
    const now = performance.now();
    // All answers begin at once: from here on every session waits.
    if (Number.isNaN(this.#last[0])) this.#last.fill(now);
    this.#see(session, now);
    this.#last[session] = now;
    const count = (this.#counts[session] ?? 0) + 1;
    this.#counts[session] = count;
    if (count < this.#deltas) return;
    this.#isOver = true;
    for (const other of this.#last.keys()) this.#see(other, now);
  }

  summary(): { medianWait: number; worstWait: number } {
    const sorted = this.#longest.toSorted((a, b) => a - b);
    return { medianWait: sorted[sorted.length >> 1] ?? Number.NaN, worstWait: sorted.at(-1) ?? Number.NaN };
  }

  #see(session: number, now: number): void {
    this.#longest[session] = Math.max(this.#longest[session] ?? 0, now - (this.#last[session] ?? now));
  }
}

// Here, since classes are not there before their lines.
await main();
