/** Words in the name of a variable that mark its value as a secret. */
const secretWords = new Set([
  "KEY",
  "KEYS",
  "SECRET",
  "SECRETS",
  "TOKEN",
  "PASS",
  "PASSPHRASE",
  "CREDENTIAL",
  "CREDENTIALS",
  "PAT",
  "PSK",
]);
/** The same for the end of a word, as in `PGPASSWORD` and `APIKEY`. */
const secretEndings = /(?:PASSWORD|PASSWORDS|PASSWD|PASSPHRASE|SECRET|TOKEN|APIKEY|AUTHKEY|PRIVATEKEY|SECRETKEY|ACCESSKEY)$/;
/** Names of secrets without such a word. */
const secretNames = /^(?:MYSQL_PWD|DOCKER_AUTH_CONFIG|PI_SESSION_STORE|OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS|.*_AUTH)$/i;

export interface CommandEnvironmentOptions {
  /** The environment to pass on. Default: that of this process. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Whether variables that hold keys, tokens, passwords and other secrets are passed on. Default: true. */
  passKeys?: boolean | undefined;
}

/**
 * Creates the environment of commands: that of the agent, without keys from other sources such as `auth.json`. With `passKeys: false`,
 * variables that are named like secrets are removed (see `isSecretName`).
 */
export function createCommandEnvironment({
  env = process.env,
  passKeys = true,
}: CommandEnvironmentOptions = {}): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => passKeys || !isSecretName(name)));
}

/**
 * Whether the name of a variable looks like that of a secret: `OPENAI_API_KEY`, `GH_TOKEN`, `npm_config__authToken`, `PGPASSWORD`, but
 * not `KEYBOARD`.
 */
export function isSecretName(name: string): boolean {
  if (secretNames.test(name)) return true;
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z]+/);
  return words.some((word) => secretWords.has(word) || secretEndings.test(word));
}
