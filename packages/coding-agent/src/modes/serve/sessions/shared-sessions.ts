import { looksLikePath } from "../../../conversation/ids.ts";
import type {
  CopyingStore,
  SessionDescription,
  SessionHolder,
  SessionInfo,
  SharedStore,
} from "../../../conversation/session-store.ts";
import { SessionError } from "../../../errors.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { HttpError } from "../http/http-error.ts";
import type { KeptOptions } from "../http/route-schemas.ts";
import { readAddress } from "../http/server-address.ts";
import { checkKept, type KeptSession } from "./kept-options.ts";
import { OwnedStore } from "./owned-store.ts";
import { RootedStore } from "./rooted-store.ts";
import type { Roots } from "./roots.ts";
import {
  type LiveStore,
  type StoredFilter,
  type StoredSessions,
  type StoredTarget,
  type StoreUse,
  withoutChoices,
} from "./stored-sessions.ts";

/** Maximum number of sessions whose ids begin with the same text. */
const maxWithPrefix = 1000;

/** Sessions in a store that several servers share. Refs are ids. */
export class SharedSessions implements StoredSessions {
  readonly isShared = true;
  readonly #store: SharedStore;
  readonly #roots: Roots;
  /** The address that this server has announced. */
  readonly #address: string | undefined;

  constructor(store: SharedStore, roots: Roots, address: string | undefined) {
    this.#store = store;
    this.#roots = roots;
    this.#address = address;
  }

  async list({ cwd, limit }: StoredFilter): Promise<SessionInfo[]> {
    // The store knows nothing of roots: more is asked for until enough is within them.
    for (let asked = limit; ; asked *= 4) {
      const infos = await this.#store.list({ ...(cwd === undefined ? {} : { cwd }), limit: asked });
      const within = await this.#within(infos);
      if (within.length >= limit || infos.length < asked) return within.slice(0, limit);
    }
  }

  async findByPrefix(idPrefix: string): Promise<SessionInfo[]> {
    return this.#within(await this.#store.list({ idPrefix, limit: maxWithPrefix }));
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    const info = await findInfo(this.#store, id);
    return info && (await this.#roots.contains(info.cwd)) ? info : undefined;
  }

  async findPath(path: string): Promise<StoredTarget> {
    const info = looksLikePath(path) ? undefined : await this.find(path);
    if (info) return { id: info.id, ref: info.ref };
    throw new HttpError("bad_request", "The sessions of this server are in a store, and not in files. Give the id of a session.");
  }

  describe(infos: readonly SessionInfo[]): Promise<SessionDescription[]> {
    return this.#store.describe(infos.map(({ ref }) => ref));
  }

  async findHolders(ids: readonly string[]): Promise<(SessionHolder | undefined)[]> {
    if (ids.length === 0) return [];
    const holders = await this.#store.holdersOf(ids);
    return holders.map((holder) => {
      const address = readAddress(holder?.address);
      return holder === undefined || (address !== undefined && address === this.#address)
        ? undefined
        : { address: address ?? null };
    });
  }

  /** Every session is stored from its beginning. */
  async findUnwritten(): Promise<undefined> {
    return undefined;
  }

  async readOptions(ref: string): Promise<KeptOptions> {
    const options = (await readKept(this.#store, ref))?.options ?? {};
    return (await hasChoice(this.#store, ref)) ? withoutChoices(options) : options;
  }

  isSame({ sessionId }: AgentSession, ref: string): boolean {
    return sessionId === ref;
  }

  storeFor(use: StoreUse): LiveStore {
    return new SharedLiveStore(this.#store, this.#roots, use);
  }

  async #within(infos: readonly SessionInfo[]): Promise<SessionInfo[]> {
    const isWithin = this.#roots.rememberContains();
    const within = await Promise.all(infos.map(({ cwd }) => isWithin(cwd)));
    return infos.filter((_, index) => within[index]);
  }
}

class SharedLiveStore extends RootedStore {
  readonly #shared: SharedStore;
  readonly #owned: OwnedStore;

  constructor(shared: SharedStore, roots: Roots, use: StoreUse) {
    const owned = new OwnedStore(shared, {
      onBegun: ({ id, cwd, timestamp: createdAt }) => shared.writeKept(id, { id, cwd, createdAt, options: use.options }),
      onLost: use.onLost,
    });
    super(owned, roots, use);
    this.#shared = shared;
    this.#owned = owned;
  }

  async keep(session: AgentSession, isNew: boolean): Promise<void> {
    await this.#owned.begin(session.sessionId);
    if (!isNew && this.#hasOptions) await this.#write(session);
  }

  async keepMoved(session: AgentSession): Promise<void> {
    await this.#owned.begin(session.sessionId);
    if (this.#hasOptions && (await this.readKept(session.sessionId)) === undefined) await this.#write(session);
  }

  mayHave(): boolean {
    return true;
  }

  protected async cwdOf(ref: string): Promise<string> {
    const info = await findInfo(this.#shared, ref);
    if (info) return info.cwd;
    throw new SessionError("not_found", `There is no session ${ref} in the store. See GET /v1/sessions.`);
  }

  protected readKept(ref: string): Promise<KeptSession | undefined> {
    return readKept(this.#shared, ref);
  }

  get #hasOptions(): boolean {
    return Object.keys(this.options).length > 0;
  }

  #write({ sessionId: id, cwd, history }: AgentSession): Promise<void> {
    const kept: KeptSession = { id, cwd, createdAt: history.header.timestamp, options: this.options };
    return this.#shared.writeKept(id, kept);
  }
}

async function findInfo(store: SharedStore, id: string): Promise<SessionInfo | undefined> {
  const [info] = await store.list({ idPrefix: id, limit: 1 });
  return info?.id === id ? info : undefined;
}

async function readKept(store: SharedStore, id: string): Promise<KeptSession | undefined> {
  const kept = await store.readKept(id);
  if (kept === undefined) return undefined;
  try {
    return await checkKept(kept);
  } catch (cause) {
    throw new SessionError(
      "read_failed",
      `Cannot read the options of the session ${id} from the store: ${(cause as Error).message}. A newer version of pi may have written them.`,
      { cause },
    );
  }
}

/** Whether a session has recorded the choice of a model, which comes before its first message. */
async function hasChoice(store: SharedStore & Partial<CopyingStore>, ref: string): Promise<boolean> {
  let isFound = false;
  if (store.readLines) {
    for await (const lines of store.readLines(ref)) return lines.some((line) => line.includes('"model_change"'));
    return false;
  }
  const { log } = await store.open(
    ref,
    ({ type }) => {
      isFound ||= type === "model_change";
    },
    { readOnly: true },
  );
  await log.close();
  return isFound;
}
