import type { Signal } from "./abort-signal.ts";
import type { StreamMode } from "./protocol-types.ts";

export interface RpcClientOptions {
  /** The agent's command line program, a script or an executable. Default: that of the installed `@pikit/coding-agent`, else `pi` on the PATH. */
  cliPath?: string;
  /** What runs it when it is a script. Default: the running one, `process.execPath`. Name a Node where this program runs on something else than Node or Bun, such as Electron. */
  runtime?: string;
  /** The folder that the agent works in. Default: the current one. */
  cwd?: string;
  /** Added to the environment of this process; undefined takes a variable out. */
  env?: Record<string, string | undefined>;
  /** More command line arguments for the agent. */
  args?: readonly string[];
  provider?: string;
  /** A model's id, or `provider/id`. */
  model?: string;
  /** Where session files are kept. */
  sessionDir?: string;
  /** Keeps no session file. Default false. */
  noSession?: boolean;
  /** What is asked of an agent that can do both. Deltas cost a fraction of snapshots to send, and events look the same. Default `deltas`. */
  streamMode?: StreamMode;
  /** How long `start` waits for the first answer, in milliseconds. Default 30,000; 0 waits for ever. */
  startTimeoutMs?: number;
  /** How long a command waits for its answer, in milliseconds. Default 30,000; 0 waits for ever, as `bash` and `compact` always do. */
  requestTimeoutMs?: number;
  /** How long `stop` waits after closing the agent's input, and again after SIGTERM, in milliseconds. Default 5,000. */
  stopGraceMs?: number;
  /** `on-crash` starts the agent again when it ended by itself; it goes on with the same session file. Default `never`. */
  restart?: "never" | "on-crash";
  /** After how many crashes in a row the client gives up; a minute of life ends the row. Default 5. */
  maxRestarts?: number;
  /** How long it waits before the first restart, in milliseconds; each next one of a row waits twice as long, at most 30 s. Default 250. */
  restartDelayMs?: number;
  /** Receives each line of stdout that is no record of the protocol or answers nothing that is open. Default: it is dropped. */
  onNoise?: (line: string) => void;
}

/** Options of one command. */
export interface SendOptions {
  /** How long to wait for the answer, in milliseconds; 0 waits for ever. Default: the client's `requestTimeoutMs`. */
  timeoutMs?: number;
  /** Ends the wait; the call rejects with an `RpcAbortError`. Methods that start work stop that work instead, and say so. */
  signal?: Signal;
}

export const defaultTimeoutMs = 30_000;
export const defaultStopGraceMs = 5_000;

/** Command line options that say which session to begin with, by whether they have a value. */
const sessionChoices: ReadonlyMap<string, boolean> = new Map([
  ["--session", true],
  ["--session-id", true],
  ["--fork", true],
  ["--continue", false],
  ["-c", false],
]);

/**
 * The agent's command line.
 *
 * @param resumedFile - A session file to go on with, in the place of what the options say.
 */
export function toArguments(
  { provider, model, sessionDir, noSession, args = [] }: RpcClientOptions,
  resumedFile?: string,
): string[] {
  return [
    ...["--mode", "rpc"],
    ...(provider === undefined ? [] : ["--provider", provider]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(sessionDir === undefined ? [] : ["--session-dir", sessionDir]),
    ...(noSession ? ["--no-session"] : []),
    ...(resumedFile === undefined ? args : [...withoutSessionChoice(args), "--session", resumedFile]),
  ];
}

function withoutSessionChoice(args: readonly string[]): string[] {
  return args.filter((argument, index) => {
    const previous = args[index - 1];
    if (previous !== undefined && sessionChoices.get(previous)) return false;
    return !sessionChoices.has(argument.split("=", 1)[0] as string);
  });
}
