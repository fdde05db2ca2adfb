import type { Signal } from "./abort-signal.ts";
import type { StreamMode } from "./protocol-types.ts";

export interface RpcClientOptions {
  /** The agent's command line program: a script or an executable. Default: the installed `@pikit/coding-agent`, otherwise `pi` on the PATH. */
  cliPath?: string;
  /** The runtime for a script. Default: `process.execPath`. Set it to Node if your program does not run on Node or Bun, for example on Electron. */
  runtime?: string;
  /** The working folder of the agent. Default: the current folder. */
  cwd?: string;
  /** Variables to add to the environment of this process; `undefined` removes a variable. */
  env?: Record<string, string | undefined>;
  /** Additional command line arguments for the agent. */
  args?: readonly string[];
  provider?: string;
  /** A model's id, or `provider/id`. */
  model?: string;
  /** The folder for session files. */
  sessionDir?: string;
  /** Whether to run without a session file. Default: false. */
  noSession?: boolean;
  /** The stream mode to request, if the agent supports it. Deltas are much smaller than snapshots; the events are the same. Default `deltas`. */
  streamMode?: StreamMode;
  /** Timeout of `start` for the first response, in milliseconds. Default 30,000; 0 means no timeout. */
  startTimeoutMs?: number;
  /** Timeout of a command in milliseconds. Default 30,000; 0 means no timeout. Does not apply to `bash` and `compact`, which have no timeout by default. */
  requestTimeoutMs?: number;
  /** Milliseconds that `stop` waits after it closes the agent's stdin, and again after SIGTERM. Default 5,000. */
  stopGraceMs?: number;
  /** `on-crash` restarts the agent when it ends unexpectedly; it continues with the same session file. Default `never`. */
  restart?: "never" | "on-crash";
  /** Maximum number of restarts in a row. The count starts again when an agent has run for a minute. Default 5. */
  maxRestarts?: number;
  /** Milliseconds before the first restart in a row; doubled for each further one, at most 30 s. Default 250. */
  restartDelayMs?: number;
  /** Receives each line of stdout that is not a record of the protocol, or a response without an open request. Default: such lines are dropped. */
  onNoise?: (line: string) => void;
}

/** Options of one command. */
export interface SendOptions {
  /** Timeout for the response in milliseconds; 0 means no timeout. Default: the client's `requestTimeoutMs`. */
  timeoutMs?: number;
  /** An abort rejects the call with an `RpcAbortError`. For methods that start work, an abort stops the work; see the method. */
  signal?: Signal;
}

export const defaultTimeoutMs = 30_000;
export const defaultStopGraceMs = 5_000;

/** Command line options that choose the session; true for those with a value. */
const sessionChoices: ReadonlyMap<string, boolean> = new Map([
  ["--session", true],
  ["--session-id", true],
  ["--fork", true],
  ["--continue", false],
  ["-c", false],
]);

/**
 * The command line arguments of the agent.
 *
 * @param resumedFile - A session file to continue; it replaces the session in the options.
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
