import fc from "fast-check";
import { expect } from "vitest";
import { anyCharacter } from "../../../ai/test/helpers/characters.ts";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { EntryContent } from "../../src/conversation/entries.ts";
import { forkConversation } from "../../src/conversation/fork.ts";
import { queueAddition, queueClearance } from "../../src/conversation/queue-journal.ts";
import { readTree } from "../../src/conversation/read-tree.ts";
import type { SessionStore } from "../../src/conversation/session-store.ts";
import { assistantMessage, userMessage } from "./messages.ts";
import { ModelSession, queueIdsOf } from "./model-session.ts";

const isLong = process.env.PIKIT_LONG === "1";

/** Something that is done with a session. `at` is taken modulo what there is to choose from. */
type Step =
  | { do: "say" | "answer" | "note" | "name" | "level" | "model"; text: string }
  | { do: "custom"; data: unknown }
  | { do: "label"; at: number; text: string | undefined }
  | { do: "compact" | "move" | "fork" | "switch" | "sayQueued"; at: number }
  | { do: "queue" | "clearQueue" | "clone" | "reopen" | "look" | "failOnce" };

const text = fc.constantFrom("one", "zwei €😀", "\u2028 \n", "__proto__", "x".repeat(3000));
const at = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("say", "answer"), text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("note", "name", "level", "model"), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("custom"), data: fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("label"), at, text: fc.option(text, { nil: undefined }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("compact", "move", "move", "fork", "switch", "sayQueued"), at }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("queue", "clearQueue", "clone", "reopen", "look", "look", "failOnce") }),
  },
) as fc.Arbitrary<Step>;

/** Sessions of a store beside what they should say. One of them is open. */
class Pair {
  readonly #store: SessionStore;
  readonly #known: { ref: string; model: ModelSession }[] = [];
  #queued = 0;
  real: Conversation;
  model = new ModelSession();

  constructor(store: SessionStore) {
    this.#store = store;
    this.real = this.#begin();
  }

  async play(step: Step): Promise<void> {
    const { entries } = this.model;
    switch (step.do) {
      case "say":
        return this.#append({ type: "message", message: userMessage(step.text) });
      case "answer":
        return this.#append({ type: "message", message: assistantMessage(step.text) });
      case "note":
        return this.#append({ type: "custom_message", customType: "note", content: step.text, display: true });
      case "name":
        return this.#append({ type: "session_info", name: step.text });
      case "level":
        return this.#append({ type: "thinking_level_change", thinkingLevel: "low" });
      case "model":
        return this.#append({ type: "model_change", provider: step.text, modelId: step.text });
      case "custom":
        return this.#append({ type: "custom", customType: "test", data: step.data });
      case "label": {
        const target = entries[step.at % entries.length];
        if (!target) return;
        return this.#append({ type: "label", targetId: target.id, ...(step.text === undefined ? {} : { label: step.text }) });
      }
      case "compact": {
        const path = this.model.path();
        // One beyond the path: what was kept may be gone.
        const kept = path[step.at % (path.length + 1)]?.id ?? "gone";
        return this.#append({ type: "compaction", summary: "so far", firstKeptEntryId: kept, tokensBefore: 7 });
      }
      case "move": {
        const target = entries[step.at % (entries.length + 1)]?.id ?? null;
        this.real.moveTo(target);
        this.model.leafId = target;
        return;
      }
      case "queue":
        this.#queued += 1;
        return this.#append(queueAddition({ queueId: `q${this.#queued}`, queue: "steering", message: userMessage("later") }));
      case "sayQueued": {
        const queueId = this.model.queued[step.at % this.model.queued.length];
        if (queueId) await this.#append({ type: "message", message: userMessage("later"), queueId });
        return;
      }
      case "clearQueue":
        return this.#append(queueClearance(this.model.queued));
      case "fork":
        return this.#fork(entries[step.at % (entries.length + 1)]?.id ?? null);
      case "clone":
        return this.#fork(this.model.leafId);
      case "switch": {
        await this.#leave();
        const target = this.#known[step.at % this.#known.length];
        if (target) await this.#open(target);
        return;
      }
      case "reopen": {
        await this.#leave();
        const current = this.#known.at(-1);
        if (current) await this.#open(current);
        return;
      }
      case "failOnce":
        failing.add(this.#store);
        return;
      case "look":
        expect(await this.real.readContext()).toEqual(this.model.context);
        expect(JSON.stringify(await this.real.readCustom("test"))).toEqual(JSON.stringify(this.model.custom("test")));
        expect(JSON.stringify(await readTree(this.real))).toEqual(JSON.stringify(this.model.tree));
    }
  }

  /** Compares everything that does not change where bodies are. */
  async compare(): Promise<void> {
    const { real, model } = this;
    expect(real.leafId).toBe(model.leafId);
    expect(real.name).toBe(model.name);
    expect(new Map([...real.labels].map(([id, { label }]) => [id, label]))).toEqual(model.labels);
    expect(queueIdsOf(real.queued)).toEqual(model.queued);
    expect(real.activeBranch().map(({ id }) => id)).toEqual(model.path().map(({ id }) => id));
    expect(JSON.stringify(await real.read(real.nodes))).toEqual(JSON.stringify(model.entries));
  }

  /** Compares with what somebody else reads. */
  async compareKept(): Promise<void> {
    if (!isBegun(this.model) || this.real.isBehind) return;
    const fresh = await Conversation.read(this.#store, this.real.ref);
    const kept = new ModelSession();
    for (const entry of this.model.entries) kept.add(entry);
    expect(fresh.header).toEqual(this.real.header);
    expect(fresh.diagnostics).toEqual([]);
    expect(fresh.leafId).toBe(kept.leafId);
    expect(fresh.name).toBe(kept.name);
    expect(JSON.stringify(await fresh.read(fresh.nodes))).toEqual(JSON.stringify(kept.entries));
    expect(await fresh.readContext()).toEqual(kept.context);
    expect(queueIdsOf(fresh.queued)).toEqual(kept.queued);
    await fresh.close();
  }

  #begin(): Conversation {
    this.model = new ModelSession();
    return Conversation.create(this.#store, { cwd: "/work" });
  }

  async #append(content: EntryContent): Promise<void> {
    const before = this.real.nodes.length;
    try {
      await this.real.append(content);
    } catch (error) {
      expect(error).toBe(failure);
    }
    const [entry] = await this.real.read(this.real.nodes.slice(before));
    expect(entry).toMatchObject({ type: content.type, parentId: this.model.leafId });
    if (entry) this.model.add(entry);
  }

  async #fork(leafId: string | null): Promise<void> {
    failing.delete(this.#store);
    const fork = await forkConversation({ store: this.#store, source: this.real, leafId, cwd: "/work" });
    const model = this.model.fork(leafId);
    const added = await fork.read(fork.nodes.slice(model.entries.length));
    // Labels that were given elsewhere, and queues that stay behind.
    for (const entry of added) {
      expect(["label", "custom"]).toContain(entry.type);
      model.add(entry);
    }
    const onPath = ({ labels }: ModelSession) => [...labels].filter(([id]) => model.entries.some((entry) => entry.id === id));
    expect(new Map(onPath(model))).toEqual(new Map(onPath(this.model)));
    expect(model.queued).toEqual([]);
    await this.compare();
    await this.#leave();
    this.real = fork;
    this.model = model;
  }

  async #leave(): Promise<void> {
    failing.delete(this.#store);
    await this.real.close();
    await this.compareKept();
    // The one that was left last is the last.
    const at = this.#known.findIndex(({ ref }) => ref === this.real.ref);
    if (at >= 0) this.#known.splice(at, 1);
    if (isBegun(this.model)) this.#known.push({ ref: this.real.ref, model: this.model });
    else this.real = this.#begin();
  }

  async #open({ ref, model }: { ref: string; model: ModelSession }): Promise<void> {
    this.real = await Conversation.open(this.#store, ref);
    model.leafId = model.entries.at(-1)?.id ?? null;
    this.model = model;
  }
}

const failure = new Error("the store failed");
/** Stores whose next append fails. */
const failing = new WeakSet<SessionStore>();

/** A store whose appends can be made to fail. */
function fragile(inner: SessionStore): SessionStore {
  const store: SessionStore = {
    create: (header) => guard(inner.create(header)),
    async open(...args) {
      const { header, log } = await inner.open(...args);
      return { header, log: guard(log) };
    },
    list: (filter) => inner.list(filter),
    remove: (ref) => inner.remove(ref),
  };
  const guard = (log: ReturnType<SessionStore["create"]>): typeof log => ({
    ref: log.ref,
    path: log.path,
    get diagnostics() {
      return log.diagnostics;
    },
    append(lines, recall) {
      if (failing.delete(store)) throw failure;
      return log.append(lines, recall);
    },
    read: (ids) => log.read(ids),
    close: () => log.close(),
  });
  return store;
}

function isBegun({ entries }: ModelSession): boolean {
  return entries.some(({ type }) => ["message", "session_info", "custom", "custom_message"].includes(type));
}

/**
 * Does random things with random sessions of a store, and compares after each what they say with what a simple model of them says.
 *
 * @param createStore - Called once for each run.
 * @param runs - In the long form of the tests, 40 times as many.
 */
export async function playRandomSessions(createStore: () => SessionStore | Promise<SessionStore>, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      const pair = new Pair(fragile(await createStore()));
      for (const each of steps) {
        await pair.play(each);
        await pair.compare();
      }
      await pair.play({ do: "look" });
      await pair.play({ do: "reopen" });
      await pair.compare();
      await pair.play({ do: "look" });
      await pair.real.close();
    }),
    isLong ? { numRuns: runs * 40 } : { numRuns: runs, seed: 5 },
  );
}
