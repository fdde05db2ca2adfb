import type { SessionDescription, SessionHolder, SessionInfo } from "../../../conversation/session-store.ts";
import { listLimits, type StoredSession } from "../http/route-schemas.ts";
import type { LiveSession } from "../live/live-session.ts";
import { maxPrompt, textOf } from "./describe-file.ts";
import { ElsewhereError } from "./elsewhere.ts";
import type { SessionRegistry } from "./session-registry.ts";
import type { StoredSessions } from "./stored-sessions.ts";

/** Number of sessions in one question to the store. */
const portion = 100;

/** Describes the stored and the live sessions of the server. */
export class SessionList {
  readonly #stored: StoredSessions;
  readonly #registry: SessionRegistry;

  constructor(stored: StoredSessions, registry: SessionRegistry) {
    this.#stored = stored;
    this.#registry = registry;
  }

  /** The sessions, the latest first. Live ones that are not stored (yet) come first. */
  async list({ cwd, limit = listLimits.default }: { cwd?: string | undefined; limit?: number }): Promise<StoredSession[]> {
    const infos = await this.#stored.list({ cwd, limit });
    const unwritten = this.#registry.unwritten.filter((live) => cwd === undefined || live.session.cwd === cwd);
    const sessions = unwritten.map(describeLive).reverse();
    for (let start = 0; start < infos.length && sessions.length < limit; start += portion) {
      sessions.push(...(await this.#describe(infos.slice(start, start + portion))));
    }
    return sessions.slice(0, limit);
  }

  /**
   * One session; undefined if there is none.
   *
   * @throws {ElsewhereError} When it is open in another server that has announced its address.
   */
  async find(id: string): Promise<StoredSession | undefined> {
    const info = await this.#stored.find(id);
    if (info) {
      const [session] = await this.#describe([info]);
      if (session?.server) throw new ElsewhereError(id, session.server);
      return session;
    }
    const live = this.#registry.find(id);
    if (live) return describeLive(live);
    const unwritten = await this.#stored.findUnwritten(id);
    if (!unwritten) return undefined;
    const { cwd, createdAt } = unwritten.kept;
    return { id, cwd, createdAt, modifiedAt: createdAt, ...notLive, interrupted: false };
  }

  async #describe(infos: readonly SessionInfo[]): Promise<StoredSession[]> {
    const absent = infos.filter(({ id }) => !this.#registry.find(id)).map(({ id }) => id);
    const [descriptions, found] = await Promise.all([this.#stored.describe(infos), this.#stored.findHolders(absent)]);
    const holders = new Map(absent.map((id, index) => [id, found[index]]));
    return infos.map((info, index) =>
      describeStored(info, descriptions[index], { live: this.#registry.find(info.id), holder: holders.get(info.id) }),
    );
  }
}

function describeStored(
  info: SessionInfo,
  { isInterrupted, ...description }: SessionDescription = { isInterrupted: false },
  { live, holder }: { live: LiveSession | undefined; holder: SessionHolder | undefined },
): StoredSession {
  return {
    id: info.id,
    ...description,
    cwd: info.cwd,
    createdAt: info.createdAt,
    modifiedAt: new Date(info.modifiedMs).toISOString(),
    ...(info.parentSession === undefined ? {} : { parentSession: info.parentSession }),
    ...(live ? stateOf(live) : notLive),
    ...(live || !holder ? {} : { server: holder.address }),
    // Only the other server knows whether a run is active.
    interrupted: isInterrupted && live?.session.isStreaming !== true && !holder,
  };
}

const notLive = { live: false, streaming: false, waiting: 0 } as const;

function stateOf(live: LiveSession): Pick<StoredSession, "live" | "streaming" | "waiting"> {
  return { live: true, streaming: live.session.isStreaming, waiting: live.openQuestionCount };
}

/** Describes a session that is not stored. */
function describeLive(live: LiveSession): StoredSession {
  const { session } = live;
  const { header, name } = session.history;
  const prompt = session.messages.find((message) => message.role === "user");
  const text = prompt && textOf(prompt.content)?.slice(0, maxPrompt);
  return {
    id: header.id,
    ...(name === null ? {} : { name }),
    ...(text ? { firstPrompt: text } : {}),
    cwd: header.cwd,
    createdAt: header.timestamp,
    modifiedAt: header.timestamp,
    ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
    ...stateOf(live),
    interrupted: false,
  };
}
