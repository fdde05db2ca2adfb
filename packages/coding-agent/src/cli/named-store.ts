import { agentFolder } from "../config/paths.ts";
import { looksLikePath } from "../conversation/ids.ts";
import { type AddressedStore, openStore } from "../conversation/open-store.ts";
import { UsageError } from "../errors.ts";
import { writeError } from "../modes/terminal-text.ts";
import type { StoreOptions } from "./args.ts";
import { beforeEnd } from "./end-process.ts";

/**
 * The address of the store that `--session-store` names, or else `PI_SESSION_STORE`; undefined if sessions are stored in files or not at all. An
 * option that names files takes precedence over the variable.
 *
 * @throws {UsageError} For options that exclude each other.
 */
export function findStoreAddress(options: StoreOptions): string | undefined {
  const { "session-store": named = "", "session-dir": folder } = options;
  const file = (["session", "fork", "export"] as const).find((name) => looksLikePath(options[name] ?? ""));
  if (options["no-session"]) return undefined;
  if (named === "") return folder === undefined && file === undefined ? process.env.PI_SESSION_STORE || undefined : undefined;
  if (folder !== undefined) {
    throw new UsageError("invalid_arguments", "--session-store and --session-dir exclude each other. Give one of them.");
  }
  if (file !== undefined) {
    throw new UsageError(
      "invalid_arguments",
      `--${file} names a file, but --session-store another place of sessions. Give an id, or copy the file with pi sessions copy.`,
    );
  }
  return named;
}

/**
 * Opens the store with that address, and asks it for a session, so that it is known to answer. It is closed when the process ends.
 *
 * @param report - Called with one line for each problem that makes no call fail. Default: writes it to stderr.
 * @throws {UsageError} {SessionError} When the store cannot be opened or read.
 */
export async function openNamedStore(
  options: StoreOptions,
  report: (problem: string) => void = writeError,
): Promise<AddressedStore | undefined> {
  const address = findStoreAddress(options);
  if (address === undefined) return undefined;
  const store = await openStore(address, { agentDir: agentFolder(), report });
  beforeEnd(() => store.close());
  // A store that does not answer is an error at the start, not a conversation that is not stored.
  await store.list({ limit: 1 });
  return store;
}
