import type { Database } from "../database/database.ts";
import { Batcher } from "./batcher.ts";
import type { Opening } from "./ownership.ts";

/** Maximum number of sessions of a statement. */
const maxItems = 1000;

/** Closes the sessions of one owner. Those that are closed at the same time are closed together, in one statement. */
export class Releases {
  readonly #releases: Batcher<Opening, void>;
  /** Sessions that could not be closed. */
  #left: Opening[] = [];

  constructor(database: Database, owner: string) {
    this.#releases = new Batcher<Opening, void>({
      run: async (openings, deadline) => {
        // Of a session that another owner has opened meanwhile, the fence has changed.
        await database.query(
          `update ${database.schema}.sessions s set owner = null
           from unnest($1::text[], $2::bigint[]) as o (id, fence) where s.id = o.id and s.fence = o.fence and s.owner = $3`,
          [openings.map(({ id }) => id), openings.map(({ fence }) => fence), owner],
          deadline,
        );
        return openings.map(() => undefined);
      },
      maxItems,
      patienceMs: database.patienceMs,
    });
  }

  /** Closes a session, now or, when that fails, with the next call of `tryAgain`. */
  async release(opening: Opening): Promise<void> {
    await this.#releases.add(opening).catch(() => void this.#left.push(opening));
  }

  /** Closes the sessions that could not be closed before. */
  async tryAgain(): Promise<void> {
    const openings = this.#left;
    this.#left = [];
    await Promise.all(openings.map((opening) => this.release(opening)));
  }
}
