import { join } from "node:path";
import { environmentKey } from "@pikit/ai";
import { readJsonFile } from "../config/json-file.ts";

/** The keys of the providers. Order of precedence: `--api-key`, `auth.json`, the environment, `models.json`. */
export class Credentials {
  readonly #authFile: string;
  readonly #override: string | undefined;

  constructor(agentDir: string, options: { apiKey?: string | undefined } = {}) {
    this.#authFile = join(agentDir, "auth.json");
    this.#override = options.apiKey || undefined;
  }

  /**
   * The current key; undefined if there is none. Reads `auth.json` for each request, because keys change while a process runs.
   *
   * @param configured - `apiKey` of the provider in `models.json`: a literal, or `$NAME` for an environment variable.
   * @throws {UsageError} When `auth.json` cannot be read.
   */
  find(provider: string, configured?: string): string | undefined {
    return this.#override ?? this.#stored(provider) ?? environmentKey(provider) ?? expand(configured);
  }

  #stored(provider: string): string | undefined {
    const entries = readJsonFile(this.#authFile);
    const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
    if (typeof entry !== "object" || entry === null) return undefined;
    const { type, key } = entry as { type?: unknown; key?: unknown };
    return type === "api_key" && typeof key === "string" && key !== "" ? key : undefined;
  }
}

function expand(value: string | undefined): string | undefined {
  if (value === undefined || value === "") return undefined;
  return value.startsWith("$") ? process.env[value.slice(1)] || undefined : value;
}
