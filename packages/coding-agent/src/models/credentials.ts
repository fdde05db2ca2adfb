import { join } from "node:path";
import { environmentKey } from "@pikit/ai";
import { readJsonFile } from "../config/json-file.ts";
import { mayExist } from "../config/may-exist.ts";
import { SessionError } from "../errors.ts";

/** Whether a value may stand for something else. Only for these the module that resolves them, `config-value.ts`, is loaded. */
export function mayRefer(value: string): boolean {
  return /^!|\$|^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(value);
}

/** The entries of `auth.json`, by provider. */
type StoredEntries = Readonly<Record<string, unknown>>;

/** The keys of the providers. Order of precedence: `--api-key`, `auth.json`, `models.json`, the environment. */
export class Credentials {
  readonly #authFile: string;
  readonly #override: string | undefined;
  /** The output of the commands in `auth.json`, by command: they run once per process. */
  readonly #outputs = new Map<string, Promise<string | undefined>>();

  constructor(agentDir: string, options: { apiKey?: string | undefined } = {}) {
    this.#authFile = join(agentDir, "auth.json");
    this.#override = options.apiKey || undefined;
  }

  /**
   * Whether there is a key. Commands count as a key and are not run. Reads `auth.json` for each call, because keys change while a process runs.
   *
   * @param configured - `apiKey` of the provider in `models.json`.
   * @param file - The content of `auth.json`, if the caller has read it a moment ago.
   * @throws {UsageError} When `auth.json` cannot be read.
   */
  async has(provider: string, configured?: string, file?: StoredEntries): Promise<boolean> {
    const isGiven = this.#override !== undefined || environmentKey(provider) !== undefined;
    return isGiven || (await isConfigured(this.#stored(provider, file))) || isConfigured(configured);
  }

  /**
   * The content of `auth.json`, for several calls of `has` in a row.
   *
   * @throws {UsageError} When it cannot be read.
   */
  readFile(): StoredEntries {
    return mayExist(this.#authFile) ? readJsonFile(this.#authFile) : {};
  }

  /**
   * The key for a request; undefined if there is none. A command in `models.json` runs for each request, one in `auth.json` once.
   *
   * @param configured - `apiKey` of the provider in `models.json`.
   * @throws {UsageError} When `auth.json` cannot be read. {SessionError} `no_credentials` when a command fails.
   */
  async find(provider: string, configured?: string): Promise<string | undefined> {
    if (this.#override !== undefined) return this.#override;
    const stored = this.#stored(provider);
    if (stored && (await isConfigured(stored))) return this.#runOnce(provider, stored);
    if (configured && (await isConfigured(configured))) return resolveSecret(configured, `API key of ${provider} in models.json`);
    return environmentKey(provider);
  }

  #runOnce(provider: string, stored: string): Promise<string | undefined> {
    const known = this.#outputs.get(stored);
    if (known !== undefined) return known;
    const output = resolveSecret(stored, `API key of ${provider} in ${this.#authFile}`);
    if (stored.startsWith("!")) this.#outputs.set(stored, output);
    // A command that failed runs again: a keychain may have been locked.
    output.catch(() => this.#outputs.delete(stored));
    return output;
  }

  /** The key of a provider in `auth.json`, unresolved. */
  #stored(provider: string, entries = this.readFile()): string | undefined {
    const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
    if (typeof entry !== "object" || entry === null) return undefined;
    const { type, key } = entry as { type?: unknown; key?: unknown };
    return type === "api_key" && typeof key === "string" && key !== "" ? key : undefined;
  }

  /** Whether `auth.json` has a login of another kind for the provider, such as an OAuth token of a related program. */
  hasOtherLogin(provider: string): boolean {
    const entries = this.readFile();
    const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
    return typeof entry === "object" && entry !== null && (entry as { type?: unknown }).type === "oauth";
  }
}

/**
 * Resolves a value of a configuration file.
 *
 * @param what - Names the value in the message.
 * @throws {SessionError} `no_credentials` when a command fails. The message does not quote it.
 */
export async function resolveSecret(value: string, what: string): Promise<string | undefined> {
  if (!mayRefer(value)) return value;
  try {
    return await (await import("./config-value.ts")).resolveValue(value);
  } catch (cause) {
    const { message } = cause as Error;
    throw new SessionError("no_credentials", `The command for the ${what} failed: ${message}. Run it in a shell to see why.`);
  }
}

/** Whether the value can be used, see `config-value.ts`. */
async function isConfigured(value: string | undefined): Promise<boolean> {
  if (value === undefined || !mayRefer(value)) return Boolean(value);
  return (await import("./config-value.ts")).isConfigured(value);
}
