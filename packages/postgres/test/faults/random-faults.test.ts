import { randomBytes } from "node:crypto";
import type { SessionEntry, SessionLog } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import fc from "fast-check";
import type { Client } from "pg";
import { expect, test } from "vitest";
import type { PostgresSessionStore } from "../../src/index.ts";
import { createDatabase } from "../helpers/database.ts";
import { type FaultProxy, startFaultProxy } from "../helpers/fault-proxy.ts";
import type { PlannedFault } from "../helpers/proxy-link.ts";
import { append, begin, connect, message, openStore, storedIdsOf } from "../helpers/sessions.ts";

const isLong = process.env.PIKIT_LONG === "1";

/** Something that a process does with a session, or that happens to the network of a process. */
type Step =
  | { do: "append"; process: number; session: number; count: number }
  | { do: "takeOver" | "close"; process: number; session: number }
  | { do: "plan"; process: number; plan: PlannedFault }
  | { do: "cutAll" | "stallAll" | "resume" | "refuse" | "accept" | "terminate"; process: number };

const processCount = 2;
const sessionCount = 2;
const whichProcess = fc.nat(processCount - 1);
const session = fc.nat(sessionCount - 1);
const fault = fc.constantFrom("cut" as const, "cut" as const, "stall" as const, "endToServer" as const, "endToClient" as const);
const plan: fc.Arbitrary<PlannedFault> = fc.oneof(
  fc.record({ fault, direction: fc.constantFrom("toServer", "toClient"), bytes: fc.oneof(fc.nat(30), fc.nat(2000)) }),
  // In the answer to a statement that stores entries.
  fc.record({ fault, direction: fc.constant("toClient"), bytes: fc.nat(60), after: fc.constant("with item as") }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant("append"), process: whichProcess, session, count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constantFrom("takeOver", "takeOver", "takeOver", "close"), process: whichProcess, session }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("plan"), process: whichProcess, plan }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("cutAll", "stallAll", "resume", "refuse", "accept", "accept", "terminate"),
      process: whichProcess,
    }),
  },
) as fc.Arbitrary<Step>;

/** What is known about the entries of a session. Their ids are numbers, in the order in which they were begun. */
interface Known {
  begun: number;
  confirmed: number[];
  /** Counts what happens. */
  time: number;
  /** When the latest of those openings began that have succeeded. */
  latestOpening: number;
}

/** A session that a process has open. */
interface Held {
  log: SessionLog;
  unconfirmed: SessionEntry[];
  /** When it was open. An opening that began later and succeeded has taken the session over. */
  openedAt: number;
}

/** A process that has sessions open, one operation a session at a time. */
class Writer {
  readonly #store: PostgresSessionStore;
  readonly #proxy: FaultProxy;
  readonly #known: readonly Known[];
  readonly #logs = new Map<number, Held>();
  readonly #turns = new Map<number, Promise<void>>();
  #isRefusing = false;

  constructor(store: PostgresSessionStore, proxy: FaultProxy, known: readonly Known[]) {
    this.#store = store;
    this.#proxy = proxy;
    this.#known = known;
  }

  /** Begins to append. Entries of which no answer came are appended again, as a conversation does. */
  append(session: number, count: number): void {
    this.#inTurn(session, async () => {
      const open = await this.#open(session);
      const known = this.#known[session];
      if (!open || !known) return;
      for (let n = 0; n < count; n += 1) {
        known.begun += 1;
        open.unconfirmed.push(message(String(known.begun)));
      }
      const entries = open.unconfirmed;
      const isFencedOff = known.latestOpening > open.openedAt;
      try {
        await append(open.log, entries);
        expect(isFencedOff).toBe(false);
        known.confirmed.push(...entries.map(({ id }) => Number(id)));
        open.unconfirmed = [];
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        expect(error.code).toMatch(/^(?:locked|write_failed)$/);
        if (error.code === "locked") await this.#leave(session);
      }
    });
  }

  open(session: number): void {
    this.#inTurn(session, async () => void (await this.#open(session)));
  }

  close(session: number): void {
    this.#inTurn(session, () => this.#leave(session));
  }

  async happen(what: "cutAll" | "stallAll" | "resume" | "refuse" | "accept"): Promise<void> {
    if (what === "cutAll") this.#proxy.breakAll("cut");
    else if (what === "stallAll") this.#proxy.stallAll();
    else if (what === "resume") this.#proxy.resume();
    else if ((what === "refuse") === this.#isRefusing) return;
    else {
      this.#isRefusing = what === "refuse";
      await this.#proxy[what]();
    }
  }

  plan(fault: PlannedFault): void {
    void this.#proxy.plan(fault);
  }

  /** Ends all faults, and waits for everything that was begun. */
  async settle(): Promise<void> {
    this.#proxy.dropPlans();
    this.#proxy.resume();
    await this.happen("accept");
    await Promise.all(this.#turns.values());
  }

  async #open(session: number): Promise<Held | undefined> {
    const open = this.#logs.get(session);
    if (open) return open;
    const known = this.#known[session] as Known;
    known.time += 1;
    const began = known.time;
    try {
      const { log } = await this.#store.open(`s-${session}`, () => undefined);
      known.time += 1;
      known.latestOpening = Math.max(known.latestOpening, began);
      const opened = { log, unconfirmed: [], openedAt: known.time };
      this.#logs.set(session, opened);
      return opened;
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(?:locked|read_failed)$/) });
      return undefined;
    }
  }

  async #leave(session: number): Promise<void> {
    const open = this.#logs.get(session);
    this.#logs.delete(session);
    await open?.log.close();
  }

  #inTurn(session: number, run: () => Promise<void>): void {
    const turn = (this.#turns.get(session) ?? Promise.resolve()).then(run);
    // `settle` takes the error.
    turn.catch(() => undefined);
    this.#turns.set(session, turn);
  }
}

/** Lets all owners look as if they had given no sign of life for long. */
async function ageOwners(client: Client, schema: string): Promise<void> {
  await client.query(`update ${schema}.owners set seen_at = seen_at - interval '1 year'`);
}

/** Does the steps with processes of their own, in a schema of their own, and compares what is stored with what was confirmed. */
async function play(url: string, steps: readonly Step[], patienceSeconds: number): Promise<void> {
  const client = await connect(url);
  const schema = `run_${randomBytes(6).toString("hex")}`;
  const proxies = await Promise.all(Array.from({ length: processCount }, () => startFaultProxy(url)));
  const stores = proxies.map((proxy) => openStore(proxy.url, { schema, patienceSeconds }));
  const reader = openStore(url, { schema });
  try {
    for (let n = 0; n < sessionCount; n += 1) await (await begin(reader, `s-${n}`)).close();
    const known = Array.from({ length: sessionCount }, (): Known => ({ begun: 0, confirmed: [], time: 0, latestOpening: 0 }));
    const writers = stores.map((store, n) => new Writer(store, proxies[n] as FaultProxy, known));
    for (const each of steps) {
      await playStep(each, writers[each.process] as Writer, client, schema);
      // What was begun gets a turn.
      for (let turn = 0; turn < 4; turn += 1) await client.query("select 1");
    }
    await Promise.all(writers.map((writer) => writer.settle()));
    await ageOwners(client, schema);
    await compare(known, reader);
  } finally {
    for (const store of [...stores, reader]) await store.close();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
    for (const proxy of proxies) await proxy.refuse();
  }
}

async function playStep(step: Step, writer: Writer, client: Client, schema: string): Promise<void> {
  switch (step.do) {
    case "append":
      return writer.append(step.session, step.count);
    case "close":
      return writer.close(step.session);
    case "plan":
      return writer.plan(step.plan);
    case "takeOver":
      await ageOwners(client, schema);
      return writer.open(step.session);
    case "terminate":
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      return;
    default:
      return writer.happen(step.do);
  }
}

async function compare(known: readonly Known[], reader: PostgresSessionStore): Promise<void> {
  for (const [n, { begun, confirmed }] of known.entries()) {
    const { log } = await reader.open(`s-${n}`, () => undefined);
    await append(log, [message(String(begun + 1))]);
    const stored = (await storedIdsOf(reader, `s-${n}`)).map(Number);
    // Each at most once, and none behind one that was begun later.
    expect(stored).toEqual([...new Set(stored)].sort((a, b) => a - b));
    expect(stored).toEqual(expect.arrayContaining(confirmed));
    expect(stored.at(-1)).toBe(begun + 1);
  }
}

test("whatever happens to the connections of two processes, an entry that was confirmed is stored once, and in order", async () => {
  const url = await createDatabase();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: "max" }), fc.constantFrom(200, 0.2), (steps, patience) =>
      play(url, steps, patience),
    ),
    isLong ? { numRuns: 400 } : { numRuns: 12, seed: 7 },
  );
});
