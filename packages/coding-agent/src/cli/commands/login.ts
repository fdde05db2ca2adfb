import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { keyVariablesOf, providers, usedKeyVariable } from "@pikit/ai";
import { agentFolder } from "../../config/paths.ts";
import { updateJsonFile } from "../../config/update-json-file.ts";
import { UsageError } from "../../errors.ts";
import { readCustomProviders } from "../../models/custom-providers.ts";
import { authFile, maxKeyLength, storeKey } from "../../models/stored-keys.ts";
import { writeError } from "../../modes/terminal-text.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const loginUsage = "Usage: pi login <provider>    (the key is asked for, or read from stdin)";
const logoutUsage = "Usage: pi logout <provider>";

/**
 * Runs `pi login <provider>`: stores an API key in `auth.json`, which only the user can read (mode 0600). On a terminal the key is not shown.
 *
 * @throws {UsageError} Without a known provider, without a key, or when `auth.json` cannot be written.
 */
export async function login(args: readonly string[]): Promise<number> {
  const provider = await readProvider(loginUsage, args);
  const key = process.stdin.isTTY ? await askForKey(provider) : await readKey();
  const file = await storeKey(agentFolder(), provider, key);
  process.stdout.write(`The key of ${provider} is stored in ${file}.\n`);
  return 0;
}

/** Runs `pi logout <provider>`: removes its key from `auth.json`. */
export async function logout(args: readonly string[]): Promise<number> {
  const provider = await readProvider(logoutUsage, args);
  const file = authFile(agentFolder());
  let wasStored = false;
  await updateJsonFile(file, (content) => {
    wasStored = Object.hasOwn(content, provider);
    return Object.fromEntries(Object.entries(content).filter(([name]) => name !== provider));
  });
  process.stdout.write(
    wasStored ? `The key of ${provider} was removed from ${file}.\n` : `There is no key of ${provider} in ${file}.\n`,
  );
  const variable = usedKeyVariable(provider);
  if (variable !== undefined) writeError(`${variable} in the environment still gives a key of ${provider}.`);
  return 0;
}

/** @throws {UsageError} For a provider that neither the catalog nor `models.json` has. */
async function readProvider(usage: string, args: readonly string[]): Promise<string> {
  const { positionals } = parseSubcommand(usage, () => parseArgs({ args: [...args], allowPositionals: true, options: {} }));
  const custom = await readCustomProviders(join(agentFolder(), "models.json"));
  const names = [...providers.map(({ provider }) => provider), ...custom.map(({ name }) => name)];
  const [provider, second] = positionals;
  if (provider === undefined || second !== undefined) {
    throw new UsageError("invalid_arguments", `${usage}\nProviders: ${names.join(", ")}.`);
  }
  if (names.includes(provider)) return provider;
  throw new UsageError("invalid_arguments", `There is no provider "${provider}". Providers: ${names.join(", ")}.`, {
    typed: provider,
    words: names,
  });
}

async function readKey(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxKeyLength + 2) break;
  }
  return text.trim();
}

/** Reads a line from the terminal without echo. Ctrl-C and Ctrl-D give none. */
async function askForKey(provider: string): Promise<string> {
  const [variable] = keyVariablesOf(provider);
  // Without an output nothing that is typed is shown. Created first, because it also switches off the echo of the terminal.
  const lines = createInterface({ input: process.stdin, terminal: true, output: undefined });
  process.stderr.write(`API key of ${provider}${variable === undefined ? "" : ` (as in ${variable})`}, not shown: `);
  try {
    return await new Promise((resolve) => lines.once("line", (line) => resolve(line.trim())).once("close", () => resolve("")));
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
