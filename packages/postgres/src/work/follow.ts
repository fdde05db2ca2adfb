import type { SessionEntry } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import { operationError } from "../errors.ts";
import { readPortions, tryParseEntry } from "../store/lines.ts";
import type { PostgresSessionStore } from "../store/postgres-store.ts";
import { eventChannel } from "./event-rows.ts";

/** An entry of a session, and its place. */
export interface FollowedEntry {
  /** The number of entries before it. */
  position: number;
  entry: SessionEntry;
}

export interface FollowOptions {
  /** The number of entries that the caller has, which are left out: `position + 1` of the last one. Default: 0. */
  since?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/** Rows of events that are read at a time, each of some 64 KB at most. */
const eventRows = 50;

/** Milliseconds after which the rows are looked at without a notification, in case one was lost. */
const lookMs = 5_000;

/**
 * Follows a session of any process: its entries in the order of appending, each exactly once, first those that are stored and then each new one
 * as soon as it is. The iteration waits for a session that is not stored yet. It ends when `signal` is aborted, when the caller ends it, or when
 * the session is removed.
 *
 * Notifications of the database only tell when to look; the rows are what is returned, so nothing is lost when a connection is.
 *
 * @throws {SessionError} `read_failed` when the database was away for longer than the patience of the store. Continue with `since`.
 */
export async function* follow(
  store: PostgresSessionStore,
  sessionId: string,
  { since = 0, signal }: FollowOptions = {},
): AsyncGenerator<FollowedEntry, void> {
  const { database, presence } = store.parts;
  const alarm = new Alarm(signal);
  const stopListening = presence.onAppend((ids) => {
    if (ids === undefined || ids.includes(sessionId)) alarm.ring();
  });
  let key: string | undefined;
  let next = since;
  try {
    while (!signal?.aborted) {
      alarm.set();
      const [session] = await database.query<{ key: string; length: number }>(
        `select key::text, length from ${database.schema}.sessions where id = $1`,
        [sessionId],
      );
      if (key !== undefined && session?.key !== key) return;
      key = session?.key;
      if (!session || session.length <= next) {
        await alarm.wait();
        continue;
      }
      for await (const lines of readPortions(database, session.key, next, session.length)) {
        for (const line of lines) {
          if (signal?.aborted) return;
          yield { position: next, entry: parse(line, next) };
          next += 1;
        }
      }
    }
  } catch (cause) {
    throw operationError("read_failed", `Cannot follow the session ${sessionId}`, database.address.shown, cause);
  } finally {
    alarm.end();
    stopListening();
  }
}

/** Records of events of a session. */
export interface FollowedEvents {
  /** The `since` to continue after them. */
  id: string;
  /** The job whose run they belong to. */
  jobId: string;
  /** Records of the RPC protocol in deltas mode, such as `{"type":"message_update", …}`; see docs/rpc.md. */
  records: object[];
}

export interface FollowEventsOptions {
  /** The `id` of the last events that the caller has. Default: all that are kept. */
  since?: string;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/**
 * Follows the events of a session's jobs, in their order, each exactly once. Only workers with `keepEventsHours` keep them. The events that a
 * worker had not stored when it died are missing; then the records of the next attempt begin with `agent_start`.
 *
 * @throws {SessionError} `read_failed` like `follow`.
 */
export async function* followEvents(
  store: PostgresSessionStore,
  sessionId: string,
  { since = "0", signal }: FollowEventsOptions = {},
): AsyncGenerator<FollowedEvents, void> {
  const { database, presence } = store.parts;
  const alarm = new Alarm(signal);
  const stopListening = presence.listen(eventChannel({ database }), (id) => {
    if (id === undefined || id === sessionId) alarm.ring();
  });
  let last = since;
  try {
    while (!signal?.aborted) {
      alarm.set();
      const rows = await database.query<{ id: string; job: string; lines: string }>(
        // By the number, not by its text.
        `select e.id::text, job, lines from ${database.schema}.events e
         where session = $1 and e.id > $2 order by e.id limit ${eventRows}`,
        [sessionId, last],
      );
      for (const { id, job, lines } of rows) {
        if (signal?.aborted) return;
        const records = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as object]));
        yield { id, jobId: job, records };
        last = id;
      }
      if (rows.length < eventRows) await alarm.wait();
    }
  } catch (cause) {
    throw operationError("read_failed", `Cannot follow the events of the session ${sessionId}`, database.address.shown, cause);
  } finally {
    alarm.end();
    stopListening();
  }
}

/** Wakes one waiting caller, also if it rings before the caller waits. */
class Alarm {
  readonly #signal: AbortSignal | undefined;
  #ringing = Promise.withResolvers<void>();
  readonly ring = (): void => this.#ringing.resolve();

  /** @param signal - Rings when it is aborted. */
  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.ring);
  }

  /** Forgets earlier rings. Call it before looking at what they are about. */
  set(): void {
    this.#ringing = Promise.withResolvers();
  }

  /** Resolves when it rings, or after `lookMs`. */
  async wait(): Promise<void> {
    if (this.#signal?.aborted) return;
    const timer = setTimeout(this.ring, lookMs);
    await this.#ringing.promise;
    clearTimeout(timer);
  }

  end(): void {
    this.#signal?.removeEventListener("abort", this.ring);
  }
}

function parse(line: string, position: number): SessionEntry {
  const entry = tryParseEntry(line);
  if (entry) return entry;
  throw new SessionError("read_failed", `The entry ${position + 1} of the session is damaged: it is not a JSON object with an id.`);
}
