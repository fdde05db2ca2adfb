export type { AppendListener } from "./database/presence.ts";
export { openSessionStore } from "./store/open-store.ts";
export { PostgresSessionStore, type PostgresStoreOptions } from "./store/postgres-store.ts";
