export interface RpcClientOptions {
  /** The agent's command line program, a script or an executable. Default: that of the installed `@pikit/coding-agent`, else `pi` on the PATH. */
  cliPath?: string;
  /** What runs it when it is a script. Default: the running one, `process.execPath`. */
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
  /** How long `start` waits for the first answer, in milliseconds. Default 30,000; 0 waits for ever. */
  startTimeoutMs?: number;
  /** How long a command waits for its answer, in milliseconds. Default 30,000; 0 waits for ever, as `bash` always does. */
  requestTimeoutMs?: number;
  /** How long `stop` waits after closing the agent's input, and again after SIGTERM, in milliseconds. Default 5,000. */
  stopGraceMs?: number;
  /** Receives each line of stdout that is no record of the protocol or answers nothing that is open. Default: it is dropped. */
  onNoise?: (line: string) => void;
}

/** Options of one command. */
export interface SendOptions {
  /** How long to wait for the answer, in milliseconds; 0 waits for ever. Default: the client's `requestTimeoutMs`. */
  timeoutMs?: number;
}

/** The agent's command line. Deltas cost a fraction of snapshots to send; the client puts the snapshots together again. */
export function toArguments({ provider, model, sessionDir, noSession, args = [] }: RpcClientOptions): string[] {
  return [
    ...["--mode", "rpc", "--stream", "deltas"],
    ...(provider === undefined ? [] : ["--provider", provider]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(sessionDir === undefined ? [] : ["--session-dir", sessionDir]),
    ...(noSession ? ["--no-session"] : []),
    ...args,
  ];
}
