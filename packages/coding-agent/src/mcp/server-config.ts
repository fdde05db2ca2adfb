import type { McpServerConfig } from "../config/mcp-server-settings.ts";
import { isSecretName } from "../exec/command-environment.ts";

/** The program or address of a server, with resolved references. */
export type McpTarget =
  | { kind: "stdio"; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string | undefined }
  | { kind: "http"; url: URL; headers: Readonly<Record<string, string>> };

export interface ResolvedServer {
  target: McpTarget;
  startTimeoutMs: number;
  timeoutMs: number;
  /** Values to hide in messages: values of references and headers, and variables that are named like secrets. */
  secrets: readonly string[];
}

export interface ResolveOptions {
  /** The environment for references. */
  env: NodeJS.ProcessEnv;
  /** Whether addresses of other machines are refused. */
  offline: boolean;
}

/** The maximum delay of a timer. */
const maxTimerMs = 2 ** 31 - 1;
const referencePattern = /\$\$|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/**
 * Resolves the settings of a server. Only `$NAME` and `${NAME}` in values of `env` and `headers` are references, and `$$` is a dollar sign;
 * all other text is literal, and no command is run to get a value (SC-008).
 *
 * @throws {Error} When the settings are invalid, or a variable is not set; the message begins with a lower-case letter.
 */
export function resolveServer(config: McpServerConfig, { env, offline }: ResolveOptions): ResolvedServer {
  const secrets: string[] = [];
  const resolveValues = (values: Readonly<Record<string, string>> = {}, field: string) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, resolveReferences(value, `${field}.${name}`, env, secrets)]),
    );
  const times = {
    startTimeoutMs: toMs(config.startTimeoutSeconds ?? 30),
    timeoutMs: toMs(config.timeoutSeconds ?? 300),
    secrets,
  };
  const { command, args = [], url, cwd } = config;
  if (command !== undefined && url !== undefined) throw new Error('it has both "command" and "url", but must have one of them');
  if (command !== undefined && command.trim() !== "") {
    const variables = resolveValues(config.env, "env");
    for (const [name, value] of Object.entries(variables)) if (isSecretName(name)) secrets.push(value);
    return { ...times, target: { kind: "stdio", command, args, env: variables, cwd } };
  }
  if (url === undefined) throw new Error('it has neither "command" nor "url"');
  const headers = resolveValues(config.headers, "headers");
  // Words such as `Bearer` are not hidden; keys are longer.
  secrets.push(...Object.values(headers).flatMap((value) => value.split(/\s+/).filter((word) => word.length >= 8)));
  return { ...times, target: { kind: "http", url: readUrl(url, offline), headers } };
}

function resolveReferences(value: string, field: string, env: NodeJS.ProcessEnv, secrets: string[]): string {
  return value.replace(referencePattern, (reference, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return reference === "$$" ? "$" : reference;
    const resolved = env[name];
    if (resolved === undefined) throw new Error(`"${field}" needs the environment variable ${name}, which is not set`);
    secrets.push(resolved);
    return resolved;
  });
}

function readUrl(text: string, offline: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The message does not quote the URL, because it may contain a key.
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw new Error('its "url" must begin with http:// or https://');
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (offline && !isLocal) throw new Error("it is not on this machine, and --offline allows no request to others");
  return url;
}

function toMs(seconds: number): number {
  return seconds === 0 ? maxTimerMs : Math.min(seconds * 1000, maxTimerMs);
}
