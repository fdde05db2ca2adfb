import { SessionError } from "@pikit/coding-agent/errors";
import type { ClientBase } from "pg";
import type { Connection, Database } from "./database.ts";

/** The variable of a connection that names the owner. Only the connection that has set it can see it, unless connections are shared. */
export const ownerVariable = "pikit.owner";

/** Most connections that are looked at. */
const maxLooks = 4;

/** The process of the server that runs a statement, and its variable. */
interface Backend {
  pid: number;
  owner: string | null;
}

/**
 * Checks that a connection keeps its process of the server between two statements: its lock and its variable would be lost otherwise, or be
 * those of others.
 *
 * The process id that the server gives at the beginning is that of a direct connection. A pooler gives its own. Then several transactions
 * keep the processes of the pooler busy, so that a pooler in transaction mode has to mix them up.
 *
 * @param client - The connection. It has set `ownerVariable` to the id of the owner.
 * @throws {SessionError} `read_failed`.
 */
export async function refusePooler(database: Database, client: Connection, owner: string): Promise<void> {
  const before = await lookAt(client);
  const isDirect = client.processID === before.pid;
  await look(isDirect ? 1 : Math.min(maxLooks, database.maxConnections));

  /** Looks at the connection while so many others are in transactions. */
  async function look(others: number): Promise<void> {
    if (others === 0) {
      const now = await lookAt(client);
      if (now.pid !== before.pid || now.owner !== owner) throw poolerError(database);
      return;
    }
    await database.transact(async (other) => {
      const seen = await lookAt(other);
      if (seen.pid === before.pid || seen.owner === owner) throw poolerError(database);
      await look(others - 1);
    });
  }
}

async function lookAt(client: ClientBase): Promise<Backend> {
  const { rows } = await client.query<Backend>("select pg_backend_pid() as pid, current_setting($1, true) as owner", [
    ownerVariable,
  ]);
  return rows[0] as Backend;
}

export function poolerError({ address }: Database): SessionError {
  return new SessionError(
    "read_failed",
    `The address ${address.shown} leads to a connection pooler in transaction mode, in which locks are not kept. Give the address of the server itself, or of a pooler in session mode.`,
  );
}
