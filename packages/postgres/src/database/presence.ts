import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { SessionError } from "@pikit/coding-agent/errors";
import { isTransient, reasonOf } from "../errors.ts";
import type { Connection, Database } from "./database.ts";
import { ownerVariable, poolerError, refusePooler } from "./pooler.ts";

/** Called with the text of a notification; undefined after some may have been lost. */
export type NotificationListener = (payload: string | undefined) => void;

/** Called with the ids of sessions that have new entries; undefined: any session may have some. */
export type AppendListener = (ids: readonly string[] | undefined) => void;

/** Milliseconds between attempts to connect again: the first and the longest. */
const backoffMs = { first: 50, most: 2_000 };

/** Attempts to take the lock of an owner before its next sign of life. */
const lockAttempts = 10;

/** Milliseconds that a statement of the lock connection may take, however short the lease is. */
const leastAnswerMs = 5_000;

/**
 * The heartbeat of one store object, its "owner". A connection of its own holds an advisory lock with the id of the owner, writes the time
 * now and then, and listens for appends. When the connection is lost it is made again.
 */
export class Presence {
  /** A random number of 63 bits. */
  readonly owner: string;
  readonly #database: Database;
  readonly #leaseMs: number;
  /** By channel. */
  readonly #listeners = new Map<string, Set<NotificationListener>>();
  /** Called with each heartbeat. */
  readonly #chores: () => Promise<void>;
  readonly #closing = new AbortController();
  #address: string | null = null;
  #announced: Promise<void> = Promise.resolve();
  #client: Connection | undefined;
  #connecting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #hasLock = false;
  #refusal: SessionError | undefined;

  /** @param chores - Called after each heartbeat; rejections are reported. */
  constructor(database: Database, leaseMs: number, chores: () => Promise<void>) {
    this.#database = database;
    this.#leaseMs = leaseMs;
    this.#chores = chores;
    this.owner = (randomBytes(8).readBigUInt64BE() >> 1n).toString();
  }

  /**
   * Resolves when this owner is alive for others. Waits for a database that is away.
   *
   * @throws {SessionError} When the address leads to a pooler in transaction mode. The error of the server or the connection.
   */
  async ensure(): Promise<void> {
    const deadline = performance.now() + this.#database.patienceMs;
    for (let delay = backoffMs.first; !this.#client; delay = Math.min(delay * 2, backoffMs.most)) {
      try {
        await this.#connect();
        return;
      } catch (error) {
        if (!isTransient(error) || performance.now() + delay > deadline) throw error;
      }
      await wait(delay, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  /** Sets the address of the server that uses this owner, which others can see. */
  announce(address: string): void {
    this.#address = address;
    if (this.#client) this.#announced = this.#beat();
  }

  /** The announced address; null if there is none. */
  get address(): string | null {
    return this.#address;
  }

  /** Resolves when others can see the announced address, or when the connection is lost meanwhile. */
  get announced(): Promise<void> {
    return this.#announced;
  }

  /** Calls the listener after appends, those of this process too, until the returned function is called. Keeps the process running. */
  onAppend(listener: AppendListener): () => void {
    return this.listen(this.#database.address.schema, (payload) => {
      listener(payload ? (JSON.parse(payload) as string[]) : undefined);
    });
  }

  /**
   * Calls the listener after notifications on a channel, and once when it is listened to, until the returned function is called. Keeps the
   * process running.
   *
   * @param channel - Without double quotes.
   */
  listen(channel: string, listener: NotificationListener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    this.#client?.ref();
    void this.#beginToListen();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(channel);
      if (this.#listeners.size === 0) this.#client?.unref();
    };
  }

  /** Ends the heartbeats. Sessions that are still open become free for others. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#connecting?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    await this.#turn;
    const { schema } = this.#database;
    await client.query(limited(`delete from ${schema}.owners where id = $1`, [this.owner], this.#answerMs)).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  /** Milliseconds between two heartbeats. */
  get #beatMs(): number {
    return this.#leaseMs / 3;
  }

  /** Milliseconds that a statement may take before its connection counts as lost. */
  get #answerMs(): number {
    return Math.max(leastAnswerMs, this.#beatMs);
  }

  /** Tries to connect once, together with other callers. Does nothing if another caller has connected meanwhile. */
  async #connect(): Promise<void> {
    if (this.#client) return;
    if (this.#refusal) throw this.#refusal;
    if (this.#closing.signal.aborted) throw new SessionError("disposed", "The session store is closed. Create a new one.");
    this.#connecting ??= this.#connectOnce().finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
  }

  /** Connects again, however long it takes, and reports the first reason for which it fails. */
  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    let isReported = false;
    for (let delay = backoffMs.first; !signal.aborted && !this.#refusal; delay = Math.min(delay * 2, backoffMs.most)) {
      try {
        await this.#connect();
        // Notifications were lost meanwhile.
        this.#notifyAll();
        return;
      } catch (error) {
        if (!isReported) this.#database.report(`The connection that holds the locks of sessions is lost: ${reasonOf(error)}.`);
        isReported = true;
      }
      await wait(delay, undefined, { signal, ref: this.#listeners.size > 0 }).catch(() => undefined);
    }
  }

  async #connectOnce(): Promise<void> {
    const client = await this.#database.connect();
    this.#hasLock = false;
    try {
      await client.query(limited("select set_config($1, $2, false)", [ownerVariable, this.owner], this.#answerMs));
      await this.#signal(client);
      await refusePooler(this.#database, client, this.owner);
      client.on("notification", ({ channel, payload }) => this.#notify(channel, payload));
      await this.#listen(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      if (error instanceof SessionError) this.#refusal = error;
      throw error;
    }
    client.once("end", () => this.#onLost(client));
    this.#client = client;
    if (this.#listeners.size === 0) client.unref();
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#beat(), this.#beatMs).unref();
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    try {
      await this.#inTurn(() => this.#signal(client));
    } catch (error) {
      if (error instanceof SessionError) this.#refuse(error);
      // Closes the connection, which begins the next one.
      await client.end().catch(() => undefined);
      return;
    }
    this.#schedule();
    this.#chores().catch((error) => {
      if (!this.#closing.signal.aborted) this.#database.report(`Cannot clean up the store: ${reasonOf(error)}.`);
    });
  }

  /** Runs statements after earlier ones: a connection runs one at a time. */
  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #refuse(error: SessionError): void {
    this.#refusal = error;
    this.#database.report(error.message);
  }

  /** Takes the lock, unless the connection has it, and writes the time. */
  async #signal(client: Connection): Promise<void> {
    if (!this.#hasLock) this.#hasLock = await this.#takeLock(client);
    const { rows } = await client.query<{ variable: string | null }>(
      limited(
        `insert into ${this.#database.schema}.owners (id, address, lease, seen_at, started_at)
         values ($1, $2, $3 * interval '1 ms', clock_timestamp(), clock_timestamp())
         on conflict (id) do update set address = excluded.address, seen_at = excluded.seen_at
         returning current_setting($4, true) as variable`,
        [this.owner, this.#address, this.#leaseMs, ownerVariable],
        this.#answerMs,
      ),
    );
    if (rows[0]?.variable !== this.owner) throw poolerError(this.#database);
  }

  /**
   * Takes the lock. An earlier connection of this owner may still have it, because the server has not noticed its loss; then it is ended. Other
   * owners have the lock for a moment when they look whether it is taken.
   */
  async #takeLock(client: Connection): Promise<boolean> {
    const run = (text: string) => client.query<{ taken: boolean }>(limited(text, [this.owner], this.#answerMs));
    for (let attempt = 1; ; attempt += 1) {
      const { rows } = await run("select pg_try_advisory_lock($1) as taken");
      const isTaken = rows[0]?.taken === true;
      if (isTaken || attempt === lockAttempts) return isTaken;
      await run(
        `select pg_terminate_backend(pid) from pg_locks
         where locktype = 'advisory' and objsubid = 1 and (classid::bigint << 32 | objid::bigint) = $1 and mode = 'ExclusiveLock'
           and granted and pid <> pg_backend_pid() and database = (select oid from pg_database where datname = current_database())`,
      );
      await wait(backoffMs.first);
    }
  }

  async #beginToListen(): Promise<void> {
    if (!this.#client) await this.#reconnect();
    const client = this.#client;
    // Repeated if the connection was being made, because it may have listened before this channel was added.
    if (!client) return;
    try {
      await this.#inTurn(() => this.#listen(client));
      this.#notifyAll();
    } catch {
      // Closes the connection, which begins the next one.
      await client.end().catch(() => undefined);
    }
  }

  async #listen(client: Connection): Promise<void> {
    for (const channel of this.#listeners.keys()) await client.query(`listen "${channel}"`);
  }

  #notify(channel: string, payload: string | undefined): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }

  #notifyAll(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener(undefined);
  }

  #onLost(client: Connection): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    void this.#reconnect();
  }
}

function limited(text: string, values: unknown[], timeoutMs: number): { text: string; values: unknown[]; query_timeout: number } {
  return { text, values, query_timeout: timeoutMs };
}
