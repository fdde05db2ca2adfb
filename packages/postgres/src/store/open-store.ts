import { PostgresSessionStore, type PostgresStoreOptions } from "./postgres-store.ts";

/**
 * Opens the store at an address. Programs that load a store package by its name call this function.
 *
 * @param url - Such as `postgres://user:password@host:5432/database`.
 * @throws {UsageError} When the address is not valid.
 */
export function openSessionStore(url: string, options: Omit<PostgresStoreOptions, "url"> = {}): PostgresSessionStore {
  return new PostgresSessionStore({ ...options, url });
}
