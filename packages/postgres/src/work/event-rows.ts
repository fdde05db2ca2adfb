import type { AgentSession, RecordStream } from "@pikit/coding-agent";
import { reasonOf } from "../errors.ts";
import type { Claim } from "./claims.ts";
import type { Engine } from "./engine.ts";

/** The channel on which rows of events are announced, with the id of their session. */
export function eventChannel({ database }: Pick<Engine, "database">): string {
  return `${database.address.schema}_events`;
}

/**
 * Keeps the events of a run as rows, until the returned stream is ended. A row has all records that came while the one before it was stored.
 * Rows that cannot be stored are left out and reported, since the session has everything that was said.
 */
export async function keepEvents(engine: Engine, owner: string, claim: Claim, session: AgentSession): Promise<RecordStream> {
  const { database } = engine;
  const { streamRecords } = await import("@pikit/coding-agent");
  let number = 0;
  return streamRecords(session, async (lines) => {
    number += 1;
    try {
      // The claim is locked until the row is stored, so that rows of the next attempt have later ids. Repeated after a lost connection, hence
      // the number.
      await database.query(
        `with mine as (select from ${database.schema}.claims where job = $1 and attempt = $2 and owner = $3 for share),
         added as (
           insert into ${database.schema}.events (session, job, attempt, number, at, lines)
           select $4, $1, $2, $5, clock_timestamp(), $6 from mine on conflict (job, attempt, number) do nothing)
         select pg_notify($7, $4)`,
        [claim.id, claim.attempt, owner, claim.stored.sessionId, number, lines, eventChannel(engine)],
      );
    } catch (error) {
      database.report(`Events of the job ${claim.id} are lost: ${reasonOf(error)}.`);
    }
  });
}

/** Removes the events that are older than so many hours. */
export async function removeOldEvents({ database }: Engine, hours: number): Promise<void> {
  await database.query(`delete from ${database.schema}.events where at < clock_timestamp() - $1 * interval '1 hour'`, [hours]);
}
