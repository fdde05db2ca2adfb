import { existsSync } from "node:fs";
import { listLimits, type StoredSession } from "../http/route-schemas.ts";
import type { LiveSession } from "../live/live-session.ts";
import { FileDescriptions, maxPrompt, textOf } from "./describe-file.ts";
import type { SessionFileInfo, SessionFiles } from "./session-files.ts";
import type { SessionRegistry } from "./session-registry.ts";

/** Number of files that are described at the same time. */
const maxParallel = 8;

/** Describes the stored and the live sessions of the server. */
export class SessionList {
  readonly #files: SessionFiles;
  readonly #registry: SessionRegistry;
  readonly #descriptions = new FileDescriptions();

  constructor(files: SessionFiles, registry: SessionRegistry) {
    this.#files = files;
    this.#registry = registry;
  }

  /** The sessions, the latest first. Live ones that have no file yet come first. */
  async list({ cwd, limit = listLimits.default }: { cwd?: string | undefined; limit?: number }): Promise<StoredSession[]> {
    const infos = await this.#files.list({ cwd, limit });
    const unwritten = this.#registry.live.filter((live) => isUnwritten(live) && (cwd === undefined || live.session.cwd === cwd));
    const sessions = unwritten.map(describeLive).reverse();
    for (let start = 0; start < infos.length && sessions.length < limit; start += maxParallel) {
      sessions.push(...(await Promise.all(infos.slice(start, start + maxParallel).map((info) => this.#describe(info)))));
    }
    return sessions.slice(0, limit);
  }

  /** One session; undefined if there is none. */
  async find(id: string): Promise<StoredSession | undefined> {
    const info = await this.#files.find(id);
    if (info) return this.#describe(info);
    const live = this.#registry.find(id);
    if (live) return describeLive(live);
    const unwritten = await this.#files.findUnwritten(id);
    if (!unwritten) return undefined;
    const { cwd, createdAt } = unwritten.kept;
    return { id, cwd, createdAt, modifiedAt: createdAt, ...notLive, interrupted: false };
  }

  async #describe({ path, header, modifiedMs }: SessionFileInfo): Promise<StoredSession> {
    const { isInterrupted, ...description } = await this.#descriptions.describe(path);
    const live = this.#registry.find(header.id);
    return {
      id: header.id,
      ...description,
      cwd: header.cwd,
      createdAt: header.timestamp,
      modifiedAt: new Date(modifiedMs).toISOString(),
      ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
      ...(live ? stateOf(live) : notLive),
      interrupted: isInterrupted && live?.session.isStreaming !== true,
    };
  }
}

const notLive = { live: false, streaming: false, waiting: 0 } as const;

function stateOf(live: LiveSession): Pick<StoredSession, "live" | "streaming" | "waiting"> {
  return { live: true, streaming: live.session.isStreaming, waiting: live.openQuestionCount };
}

/** Whether a session has no file (yet). */
function isUnwritten({ session: { sessionFile } }: LiveSession): boolean {
  return sessionFile === null || !existsSync(sessionFile);
}

/** Describes a session without a file. */
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
