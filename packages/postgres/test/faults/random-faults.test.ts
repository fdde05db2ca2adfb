import type { SessionEntry, SessionLog } from "@pikit/coding-agent";
import fc from "fast-check";
import type { Client } from "pg";
import { expect, test } from "vitest";
import type { PostgresSessionStore } from "../../src/index.ts";
import { createDatabase } from "../helpers/database.ts";
import { type FaultProxy, startFaultProxy } from "../helpers/fault-proxy.ts";
import type { PlannedFault } from "../helpers/proxy-link.ts";
import { append, begin, connect, idsOf, message, openStore } from "../helpers/sessions.ts";

const isLong = process.env.PIKIT_LONG === "1";

/** Something that a process does with a session, or that happens to the network of a process. */
type Step =
  | { do: "append"; process: number; session: number; count: number }
  | { do: "takeOver" | "close"; process: number; session: number }
  | { do: "plan"; process: number; plan: PlannedFault }
  | { do: "cutAll" | "stallAll" | "resume" | "refuse" | "accept" | "terminate"; process: number };

const processCount = 2;
const sessionCount = 3;
const whichProcess = fc.nat(processCount - 1);
const session = fc.nat(sessionCount - 1);
const plan: fc.Arbitrary<PlannedFault> = fc.record({
  fault: fc.constantFrom("cut", "cut", "stall", "endToServer", "endToClient"),
  direction: fc.constantFrom("toServer", "toClient"),
  bytes: fc.oneof(fc.nat(30), fc.nat(2000)),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant("append"), process: whichProcess, session, count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("takeOver", "close"), process: whichProcess, session }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("plan"), process: whichProcess, plan }) },
  {
    weight: 3,
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
}

/** A process that has sessions open, one operation a session at a time. */
class Writer {
  readonly #store: PostgresSessionStore;
  readonly #proxy: FaultProxy;
  readonly #known: readonly Known[];
  readonly #logs = new Map<number, { log: SessionLog; unconfirmed: SessionEntry[] }>();
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
      try {
        await append(open.log, entries);
        known.confirmed.push(...entries.map(({ id }) => Number(id)));
        open.unconfirmed = [];
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(?:locked|write_failed)$/) });
        if ((error as { code: string }).code === "locked") await this.#leave(session);
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

  async #open(session: number): Promise<{ log: SessionLog; unconfirmed: SessionEntry[] } | undefined> {
    const open = this.#logs.get(session);
    if (open) return open;
    try {
      const { log } = await this.#store.open(`s-${session}`, () => undefined);
      const opened = { log, unconfirmed: [] };
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
    this.#turns.set(session, (this.#turns.get(session) ?? Promise.resolve()).then(run));
  }
}

/** Lets all owners look as if they had given no sign of life for long. */
async function ageOwners(client: Client): Promise<void> {
  await client.query("update pikit.owners set seen_at = seen_at - interval '1 year'");
}

async function play(steps: readonly Step[], patienceSeconds: number): Promise<void> {
  const url = await createDatabase();
  const client = await connect(url);
  const first = openStore(url);
  for (let n = 0; n < sessionCount; n += 1) await (await begin(first, `s-${n}`)).close();
  const known = Array.from({ length: sessionCount }, (): Known => ({ begun: 0, confirmed: [] }));
  const writers: Writer[] = [];
  for (let n = 0; n < processCount; n += 1) {
    const proxy = await startFaultProxy(url);
    writers.push(new Writer(openStore(proxy.url, { patienceSeconds }), proxy, known));
  }
  for (const each of steps) {
    const writer = writers[each.process] as Writer;
    if (each.do === "append") writer.append(each.session, each.count);
    else if (each.do === "close") writer.close(each.session);
    else if (each.do === "plan") writer.plan(each.plan);
    else if (each.do === "takeOver") {
      await ageOwners(client);
      writer.open(each.session);
    } else if (each.do === "terminate") {
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
    } else await writer.happen(each.do);
    // The others get a turn.
    await client.query("select 1");
  }
  await Promise.all(writers.map((writer) => writer.settle()));
  await ageOwners(client);
  const last = openStore(url);
  for (const [n, { begun, confirmed }] of known.entries()) {
    const { log } = await last.open(`s-${n}`, () => undefined);
    await append(log, [message(String(begun + 1))]);
    const stored = (await idsOf(last, `s-${n}`)).map(Number);
    // Each at most once, and none behind one that was begun later.
    expect(stored).toEqual([...new Set(stored)].sort((a, b) => a - b));
    expect(stored).toEqual(expect.arrayContaining(confirmed));
    expect(stored.at(-1)).toBe(begun + 1);
  }
}

test("whatever happens to the connections of two processes, an entry that was confirmed is stored once, and in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), fc.constantFrom(200, 0.2), play),
    isLong ? { numRuns: 400 } : { numRuns: 12, seed: 7 },
  );
});
