import type { SessionEntry } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import { operationError } from "../errors.ts";
import { readPortions, tryParseEntry } from "../store/lines.ts";
import type { PostgresSessionStore } from "../store/postgres-store.ts";

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
  let wake = Promise.withResolvers<void>();
  const stopListening = presence.onAppend((ids) => {
    if (ids === undefined || ids.includes(sessionId)) wake.resolve();
  });
  const end = () => wake.resolve();
  signal?.addEventListener("abort", end);
  let key: string | undefined;
  let next = since;
  try {
    while (!signal?.aborted) {
      wake = Promise.withResolvers();
      const [session] = await database.query<{ key: string; length: number }>(
        `select key::text, length from ${database.schema}.sessions where id = $1`,
        [sessionId],
      );
      if (key !== undefined && session?.key !== key) return;
      key = session?.key;
      if (session && session.length > next) {
        for await (const lines of readPortions(database, session.key, next, session.length)) {
          for (const line of lines) {
            if (signal?.aborted) return;
            yield { position: next, entry: parse(line, next) };
            next += 1;
          }
        }
        continue;
      }
      const timer = setTimeout(wake.resolve, lookMs);
      await wake.promise;
      clearTimeout(timer);
    }
  } catch (cause) {
    throw operationError("read_failed", `Cannot follow the session ${sessionId}`, database.address.shown, cause);
  } finally {
    signal?.removeEventListener("abort", end);
    stopListening();
  }
}

function parse(line: string, position: number): SessionEntry {
  const entry = tryParseEntry(line);
  if (entry) return entry;
  throw new SessionError("read_failed", `The entry ${position + 1} of the session is damaged: it is not a JSON object with an id.`);
}
