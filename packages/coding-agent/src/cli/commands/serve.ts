import { writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { parseArgs } from "node:util";
import { mayExist } from "../../config/may-exist.ts";
import { agentFolder } from "../../config/paths.ts";
import { type SandboxMode, sandboxModes } from "../../config/sandbox-modes.ts";
import type { SharedStore } from "../../conversation/session-store.ts";
import { UsageError } from "../../errors.ts";
import { isLoopback } from "../../modes/serve/http/access.ts";
import { readToken } from "../../modes/serve/http/token-file.ts";
import { type RunningServer, startServer } from "../../modes/serve/serve-mode.ts";
import { defaultLimits, defaultTimes, type ServeLimits } from "../../modes/serve/serve-options.ts";
import { writeError } from "../../modes/terminal-text.ts";
import { surviveFaults } from "../last-resort.ts";
import { careForMemory } from "../memory/care-for-memory.ts";
import { namesStore } from "../session-store.ts";
import { onServerEnd } from "../signals.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const serveUsage = `Usage: pi serve [options]

  --host <address>      the address to listen on (default 127.0.0.1)
  --port <n>            the port; 0: any free one (default 4711)
  --root <folder>       sessions work within it; repeatable (default: this folder)
  --token-file <file>   the token of the clients (default serve-token in the agent folder; created if it is missing)
  --allow-host <name>   a further name of this server in the Host header; repeatable
  --session-dir <folder>  where sessions are stored
  --session-store <address>  store sessions there, such as postgres://…, and share them with other servers (default $PI_SESSION_STORE)
  --announce <url>      with a store: the address of this server for clients of the others (default: its own one)
  --forward             with a store: forward requests for sessions of other servers, instead of sending clients there
  --sandbox <mode>      whether commands run in a sandbox: ${sandboxModes.join(", ")} (default: that of the settings)
  --metrics-open        GET /metrics needs no token
  --json                print one line of JSON when the server listens`;

interface ServeArguments {
  host: string;
  port: number;
  roots: readonly [string, ...string[]];
  tokenFile: string;
  allowedHosts: readonly string[];
  sessionDir: string | undefined;
  /** The address of the store; undefined for files. */
  storeAddress: string | undefined;
  announce: string | undefined;
  forward: boolean;
  openMetrics: boolean;
  /** Undefined: that of the settings. */
  sandbox: SandboxMode | undefined;
  isJson: boolean;
}

/**
 * Runs `pi serve` until SIGTERM or SIGINT, and then until its sessions are stored.
 *
 * @throws {UsageError} For unknown options; with exit code 1 for a token file, a root or an address that cannot be used.
 */
export async function serve(args: readonly string[]): Promise<number> {
  const agentDir = agentFolder();
  const parsed = await parse(args, agentDir);
  if (!parsed) {
    print(serveUsage);
    return 0;
  }
  const { tokenFile, isJson, storeAddress, ...options } = parsed;
  const limits = await readLimits(agentDir);
  const token = await readToken(tokenFile);
  const store = storeAddress === undefined ? undefined : await openSharedStore(storeAddress, agentDir);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // Before the server listens, so that no signal is missed.
  onServerEnd(end);
  const server = await startServer({
    ...options,
    ...{ agentDir, token, store, limits, times: defaultTimes },
    loadLibrary: () => import("../../index.ts"),
    report: writeError,
  });
  careForMemory();
  surviveFaults();
  announce(server, { tokenFile, token, isJson, isLocal: isLoopback(options.host) });
  setImmediate(() => {
    // A server outlives the reader of its errors.
    process.stderr.on("error", () => undefined);
    void server.warmUp();
  });
  await ended;
  await server.close();
  return 0;
}

/** The arguments; undefined for `--help`. */
async function parse(args: readonly string[], agentDir: string): Promise<ServeArguments | undefined> {
  const { values } = parseSubcommand(serveUsage, () =>
    parseArgs({
      args: [...args],
      options: {
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "4711" },
        root: { type: "string", multiple: true, default: [] },
        "token-file": { type: "string" },
        "allow-host": { type: "string", multiple: true, default: [] },
        "session-dir": { type: "string" },
        "session-store": { type: "string" },
        announce: { type: "string" },
        forward: { type: "boolean", default: false },
        "metrics-open": { type: "boolean", default: false },
        sandbox: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }),
  );
  if (values.help) return undefined;
  const { host, root, "token-file": tokenFile, "session-dir": sessionDir } = values;
  if (!isLoopback(host) && tokenFile === undefined) {
    throw new UsageError(
      "invalid_arguments",
      `--host ${host} can be reached by other machines. Name the file of the token with --token-file, and put TLS in front: the server speaks plain HTTP.`,
    );
  }
  const [first = process.cwd(), ...others] = root;
  const { announce, forward } = values;
  const storeAddress = namesStore(values) ? (await import("../named-store.ts")).findStoreAddress(values) : undefined;
  if (storeAddress === undefined && (announce !== undefined || forward)) {
    throw new UsageError(
      "invalid_arguments",
      "--announce and --forward are for servers that share a store. Name the store with --session-store.",
    );
  }
  return {
    host,
    port: readPort(values.port),
    roots: [resolve(first), ...others.map((path) => resolve(path))],
    tokenFile: resolve(tokenFile ?? join(agentDir, "serve-token")),
    allowedHosts: values["allow-host"],
    sessionDir: sessionDir === undefined ? undefined : resolve(sessionDir),
    ...{ storeAddress, announce, forward, openMetrics: values["metrics-open"] },
    sandbox: readSandbox(values.sandbox),
    isJson: values.json,
  };
}

function readSandbox(given: string | undefined): SandboxMode | undefined {
  const mode = sandboxModes.find((each) => each === given);
  if (given === undefined || mode !== undefined) return mode;
  throw new UsageError("invalid_arguments", `Unknown value "${given}" for --sandbox: expected ${sandboxModes.join(", ")}.`);
}

async function openSharedStore(address: string, agentDir: string): Promise<SharedStore> {
  const { openStore } = await import("../../conversation/open-store.ts");
  return openStore(address, { agentDir, report: writeError });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError("invalid_arguments", `--port must be a number from 0 to 65535, but is "${text}".`);
}

/** The settings are loaded only if there are some. */
async function readLimits(agentDir: string): Promise<ServeLimits> {
  const path = join(agentDir, "settings.json");
  if (!mayExist(path)) return defaultLimits;
  const { readSettings } = await import("../../config/read-settings.ts");
  return { ...defaultLimits, ...(await readSettings(path)).serve };
}

interface Announcement {
  tokenFile: string;
  token: string;
  isJson: boolean;
  isLocal: boolean;
}

/**
 * Prints where the server listens. The link with the token is printed on terminals only: other outputs are often kept as logs, and programs
 * read the token from its file.
 */
function announce({ url }: RunningServer, { tokenFile, token, isJson, isLocal }: Announcement): void {
  if (!isLocal) writeError("Other machines can reach this server, and it speaks plain HTTP. Put a proxy with TLS in front.");
  if (isJson) {
    print(JSON.stringify({ type: "listening", url, tokenFile }));
    return;
  }
  print(`pi serves sessions at ${url}. The token for clients is in ${tokenFile}.`);
  if (isatty(1)) print(`Open ${url}/#token=${token}`);
}

/** Prints a line without `process.stdout`, which takes a part of the start. A closed stdout is no failure of a server. */
function print(text: string): void {
  try {
    writeSync(1, `${text}\n`);
  } catch {
    // The program that started the server does not read its output.
  }
}
