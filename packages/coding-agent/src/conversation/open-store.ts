import { findPackage, importPackage, installCommand } from "../config/named-package.ts";
import { SessionError, UsageError } from "../errors.ts";
import type { CopyingStore, SharedStore } from "./session-store.ts";

/** A store outside of this machine's files, which has all optional parts. */
export interface AddressedStore extends SharedStore, CopyingStore {
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  /** The folder whose `node_modules` may have the package of the store. */
  agentDir: string;
  /** Called with one line for each problem that makes no call fail, such as a lost connection. Default: nothing. */
  report?: (problem: string) => void;
}

/** The exports of a package with a store. */
interface StorePackage {
  openSessionStore(address: string, options: { report?: (problem: string) => void }): AddressedStore | Promise<AddressedStore>;
}

/** The packages with stores, by the scheme of their addresses. They are no part of this package, and are installed when needed. */
const packages: Readonly<Record<string, string>> = { "postgres:": "@pikit/postgres", "postgresql:": "@pikit/postgres" };

/** Whether a text is the address of a store, such as `postgres://…`, and no path. */
export function isStoreAddress(text: string): boolean {
  return packageOf(text) !== undefined;
}

/**
 * Opens the store with an address. Its package is loaded from where pi is installed, or else from `node_modules` of the agent folder. The
 * store connects when it is used first. Its errors are of another copy of our classes: ask `isSessionError`, not `instanceof`.
 *
 * @throws {UsageError} `invalid_arguments` for an address of no known store; `config_unavailable` when its package is not installed.
 * @throws {SessionError} `read_failed` when the package cannot be loaded, or does not fit this version. The errors of the package.
 */
export async function openStore(address: string, { agentDir, report }: OpenStoreOptions): Promise<AddressedStore> {
  const name = packageOf(address);
  if (name === undefined) {
    throw new UsageError(
      "invalid_arguments",
      `"${showAddress(address)}" is no address of a session store: expected one such as postgres://user@host/database.`,
    );
  }
  const { openSessionStore } = await loadPackage(name, { address, agentDir });
  return openSessionStore(address, report === undefined ? {} : { report });
}

/** An address without its password, for messages. */
export function showAddress(address: string): string {
  if (!URL.canParse(address)) return address.replace(/\/\/.*@/s, "//…@");
  const url = new URL(address);
  if (url.password === "" && !secretParameters.some((name) => url.searchParams.has(name))) return address;
  if (url.password !== "") url.password = "…";
  for (const name of secretParameters) if (url.searchParams.has(name)) url.searchParams.set(name, "…");
  return url.href.replaceAll("%E2%80%A6", "…");
}

/** Parameters of addresses of PostgreSQL whose values are secrets. */
const secretParameters = ["password", "sslpassword"];

function packageOf(address: string): string | undefined {
  const scheme = /^[a-z][a-z+.-]*:/i.exec(address)?.[0].toLowerCase();
  return scheme !== undefined && Object.hasOwn(packages, scheme) ? packages[scheme] : undefined;
}

async function loadPackage(name: string, { address, agentDir }: { address: string; agentDir: string }): Promise<StorePackage> {
  const file = findPackage(name, agentDir);
  if (file === undefined) {
    throw new UsageError(
      "config_unavailable",
      `The session store ${showAddress(address)} needs the package ${name}, which is not installed. Run: ${installCommand(name, agentDir)}`,
    );
  }
  try {
    const loaded = await importPackage(file);
    if (isStorePackage(loaded)) return loaded;
  } catch (cause) {
    throw new SessionError("read_failed", `Cannot load ${name} from ${file}: ${String(cause)}. Install it again.`, { cause });
  }
  throw new SessionError(
    "read_failed",
    `${name} in ${file} has no function openSessionStore. Install the version that belongs to this version of pi.`,
  );
}

function isStorePackage(value: unknown): value is StorePackage {
  return typeof value === "object" && value !== null && "openSessionStore" in value && typeof value.openSessionStore === "function";
}
