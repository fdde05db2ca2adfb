import type { AddressedStore } from "../conversation/open-store.ts";
import type { StoreOptions } from "./args.ts";

/** Whether the command line or the environment names a store. Only then is the code for stores loaded. */
export function namesStore({ "session-store": named }: StoreOptions): boolean {
  return Boolean(named || process.env.PI_SESSION_STORE);
}

/** Opens the store that is named; see `openNamedStore` of `named-store.ts`. Undefined if sessions are stored in files or not at all. */
export async function openStoreIfNamed(options: StoreOptions): Promise<AddressedStore | undefined> {
  return namesStore(options) ? (await import("./named-store.ts")).openNamedStore(options) : undefined;
}
