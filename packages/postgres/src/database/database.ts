import { setTimeout as wait } from "node:timers/promises";
import { SessionError } from "@pikit/coding-agent/errors";
import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient } from "pg";
import { isLostConnection, isTransient } from "../errors.ts";
import type { DatabaseAddress } from "./address.ts";
import { migrate } from "./migrate.ts";

/** A connection, with what the types of `pg` leave out. */
export interface Connection extends Client {
  /** The process of the server as it was named at the beginning. A pooler names one of its own. */
  readonly processID: number | null;
  /** Keeps the process running while the connection is open, which is the default. */
  ref(): void;
  unref(): void;
}

export interface DatabaseOptions {
  address: DatabaseAddress;
  /** Maximum number of connections of the pool. */
  maxConnections: number;
  /** Milliseconds for which an operation waits for a database that is away. */
  patienceMs: number;
  /** Called with one line for a problem that fails no call. */
  report: (problem: string) => void;
}

/** Milliseconds until a connection must be there. */
const connectMs = 10_000;

/** Milliseconds for which the very first connection is tried again: a wrong address should fail soon. */
const firstPatienceMs = 5_000;

/** Milliseconds after which an unused connection is closed. */
const idleMs = 30_000;

/** Milliseconds between attempts: the first and the longest. */
const backoffMs = { first: 50, most: 2_000 };

/** Milliseconds that a statement may take, however short the patience is. */
const leastStatementMs = 15_000;

/** Characters of the values of a statement that add a millisecond to the time that it may take. */
const charactersPerMs = 1000;

/** Connections to one database, whose schema is created or migrated with the first use. */
export class Database {
  readonly address: DatabaseAddress;
  readonly patienceMs: number;
  /** The name of the schema for statements. */
  readonly schema: string;
  readonly #options: DatabaseOptions;
  readonly #pool: Pool;
  readonly #closing = new AbortController();
  #migrated: Promise<void> | undefined;
  #wasConnected = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.address = options.address;
    this.patienceMs = options.patienceMs;
    this.schema = `"${options.address.schema}"`;
    this.#pool = new Pool({
      ...connectionOptions(options.address),
      max: options.maxConnections,
      idleTimeoutMillis: idleMs,
      connectionTimeoutMillis: connectMs,
      // A server, or a network, that does not answer counts as a lost connection.
      query_timeout: statementMs(options),
      allowExitOnIdle: true,
    });
    // An unused connection was lost; the next use makes a new one. One in use is lost, too; its statement fails with the error.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** Maximum number of connections of the pool. */
  get maxConnections(): number {
    return this.#options.maxConnections;
  }

  /** Reports a problem that fails no call. Never throws. */
  report(problem: string): void {
    try {
      this.#options.report(problem);
    } catch {
      // An error of the caller's function cannot be reported.
    }
  }

  /**
   * Runs one statement, and repeats it while the database is away. So the statement must have the same effect when it is run twice.
   *
   * @param deadline - When to give up, in the milliseconds of `performance.now()`. Default: `patienceMs` from now.
   * @returns The rows.
   * @throws The error of the server or the connection.
   */
  query<Row extends object>(text: string, values: unknown[] = [], deadline?: number): Promise<Row[]> {
    const length = values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    const query_timeout = Math.ceil(statementMs(this) + length / charactersPerMs);
    const statement = { text, values, query_timeout };
    return this.use(async (client) => (await client.query<Row>(statement)).rows, deadline);
  }

  /** Like `query`, for statements in a transaction or on one connection. `run` is called again after a lost connection. */
  async use<T>(run: (client: ClientBase) => Promise<T>, deadline = performance.now() + this.patienceMs): Promise<T> {
    await this.#prepare(deadline);
    return this.#repeat(() => this.#once(run), deadline);
  }

  /** Runs statements in one transaction, and does not repeat them. */
  async transact<T>(run: (client: ClientBase) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.patienceMs;
    await this.#prepare(deadline);
    const client = await this.#repeat(() => this.#pool.connect(), deadline);
    return this.#release(client, () => inTransaction(client, run));
  }

  /** Creates a connection outside of the pool. The caller closes it. Not repeated. */
  async connect(): Promise<Connection> {
    await this.#prepare(performance.now() + this.patienceMs);
    const client = new Client({ ...connectionOptions(this.address), connectionTimeoutMillis: connectMs }) as Connection;
    // An error between two statements; the next statement fails with it.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Closes all connections. Operations that wait for the database fail. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#pool.end();
  }

  /** Creates or migrates the schema once. */
  async #prepare(deadline: number): Promise<void> {
    if (this.#closing.signal.aborted) throw closedError();
    const given = this.#wasConnected ? deadline : Math.min(deadline, performance.now() + firstPatienceMs);
    this.#migrated ??= this.#repeat(() => this.#once((client) => migrate(client, this.address)), given);
    try {
      await this.#migrated;
    } catch (error) {
      this.#migrated = undefined;
      throw error;
    }
  }

  async #once<T>(run: (client: ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    this.#wasConnected = true;
    return this.#release(client, () => run(client));
  }

  /** Returns the client to the pool, or closes it if it is of no use any more. */
  async #release<T>(client: PoolClient, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      client.release();
      return result;
    } catch (error) {
      client.release(isLostConnection(error));
      throw error;
    }
  }

  async #repeat<T>(run: () => Promise<T>, deadline: number): Promise<T> {
    const { signal } = this.#closing;
    for (let delay = backoffMs.first; ; delay = Math.min(delay * 2, backoffMs.most)) {
      if (signal.aborted) throw closedError();
      try {
        return await run();
      } catch (error) {
        if (!isTransient(error) || performance.now() + delay > deadline) throw error;
        await wait(delay * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

/** Milliseconds that a statement may take. Half of the patience is left to repeat it when its connection hangs. */
function statementMs({ patienceMs }: { patienceMs: number }): number {
  return Math.max(leastStatementMs, patienceMs / 2);
}

/** Runs statements in a transaction of a client. */
export async function inTransaction<T>(client: ClientBase, run: (client: ClientBase) => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await run(client);
    await client.query("commit");
    return result;
  } catch (error) {
    // Fails for a lost connection, which ends the transaction, too.
    if (!isLostConnection(error)) await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

function connectionOptions({ url }: DatabaseAddress): ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: "pikit",
    // A server that vanishes without a word is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

function closedError(): SessionError {
  return new SessionError("disposed", "The session store is closed. Create a new one.");
}
