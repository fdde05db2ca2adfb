import { join } from "node:path";
import { environmentKey, keyVariablesOf } from "@pikit/ai";
import { readJsonFile } from "../../../config/json-file.ts";
import { agentFolder } from "../../../config/paths.ts";
import { updateJsonFile } from "../../../config/update-json-file.ts";

type Credential = { type: string; key?: string };
type Credentials = Record<string, Credential>;

/** The stored keys of providers, as extensions read and change them. */
export class AuthStorage {
  readonly #file: string | undefined;
  #stored: Credentials;
  readonly #overrides = new Map<string, string>();
  #findFallback: (provider: string) => string | undefined = () => undefined;
  #writing: Promise<void> = Promise.resolve();
  #errors: Error[] = [];

  private constructor(stored: Credentials, file?: string) {
    this.#stored = stored;
    this.#file = file;
    this.reload();
  }

  /** @param file - Default: `auth.json` of the agent's folder. */
  static create(file = join(agentFolder(), "auth.json")): AuthStorage {
    return new AuthStorage({}, file);
  }

  static inMemory(stored: Credentials = {}): AuthStorage {
    return new AuthStorage(structuredClone(stored));
  }

  reload(): void {
    if (this.#file === undefined) return;
    try {
      this.#stored = readJsonFile(this.#file) as Credentials;
    } catch (error) {
      this.#errors.push(error as Error);
    }
  }

  get(provider: string): Credential | undefined {
    return Object.hasOwn(this.#stored, provider) ? this.#stored[provider] : undefined;
  }

  set(provider: string, credential: Credential): void {
    this.#stored = { ...this.#stored, [provider]: credential };
    this.#write((content) => ({ ...content, [provider]: credential }));
  }

  remove(provider: string): void {
    const without = ({ [provider]: _removed, ...others }: Record<string, unknown>) => others;
    this.#stored = without(this.#stored) as Credentials;
    this.#write(without);
  }

  logout(provider: string): void {
    this.remove(provider);
  }

  list(): string[] {
    return Object.keys(this.#stored);
  }

  getAll(): Credentials {
    return structuredClone(this.#stored);
  }

  has(provider: string): boolean {
    return this.get(provider) !== undefined;
  }

  hasAuth(provider: string): boolean {
    return this.getAuthStatus(provider).configured;
  }

  getAuthStatus(provider: string): { configured: boolean; source?: string; label?: string } {
    if (this.#overrides.has(provider)) return { configured: true, source: "runtime" };
    if (this.has(provider)) return { configured: true, source: "stored" };
    const label = keyVariablesOf(provider).find((name) => process.env[name]);
    if (label !== undefined) return { configured: true, source: "environment", label };
    return this.#findFallback(provider) === undefined ? { configured: false } : { configured: true, source: "fallback" };
  }

  /** Keys in the order of precedence: of this run, stored, of the environment, of the fallback. */
  async getApiKey(provider: string, { includeFallback = true }: { includeFallback?: boolean } = {}): Promise<string | undefined> {
    const stored = this.get(provider);
    const key = this.#overrides.get(provider) ?? (stored?.type === "api_key" ? stored.key : undefined) ?? environmentKey(provider);
    return key ?? (includeFallback ? this.#findFallback(provider) : undefined);
  }

  setRuntimeApiKey(provider: string, key: string): void {
    this.#overrides.set(provider, key);
  }

  removeRuntimeApiKey(provider: string): void {
    this.#overrides.delete(provider);
  }

  setFallbackResolver(find: (provider: string) => string | undefined): void {
    this.#findFallback = find;
  }

  getOAuthProviders(): never[] {
    return [];
  }

  /** Waits until all changes are written. Never rejects: see `drainErrors`. */
  flush(): Promise<void> {
    return this.#writing;
  }

  drainErrors(): Error[] {
    const errors = this.#errors;
    this.#errors = [];
    return errors;
  }

  #write(change: (content: Record<string, unknown>) => Record<string, unknown>): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#writing = this.#writing.then(() => updateJsonFile(file, change)).catch((error: Error) => void this.#errors.push(error));
  }
}
