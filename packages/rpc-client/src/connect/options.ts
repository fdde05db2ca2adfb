import type { Signal } from "../abort-signal.ts";
import type { CommandParams, StreamMode } from "../protocol-types.ts";

/** The session to begin or to open, and its options: those of the SDK, by the same names. All have defaults. */
export interface SessionRequest {
  /**
   * The session. Default `new`.
   *
   * - `new`: a new one, stored from its first message on; `memory`: a new one that is not stored
   * - `continue`: the latest one of the folder
   * - `path`: the one in this file; `idPrefix`: the one whose id begins so
   * - `id`: the one with this id, or a new one with it
   * - `fork`: a copy of another one, given by its path or the beginning of its id
   */
  session?: "new" | "memory" | "continue" | { path: string } | { idPrefix: string } | { id: string } | { fork: string };
  /** The working folder of a new session: absolute, within a root of the server. Default: the first root. */
  cwd?: string;
  /** Whether to replace the lock of a process on another host or in another container, which has ended. Default false. */
  takeOverLock?: boolean;
  /** A name for the session. */
  name?: string;
  /** A model: `id`, `provider/id`, either with `:level`. */
  model?: string;
  provider?: string;
  /** The models that `cycleModel` goes through: names, or patterns with `*`. */
  modelScope?: string[];
  thinkingLevel?: CommandParams<"set_thinking_level">["level"];
  /** Built-in tools by name. Default: read, bash, edit, write. */
  tools?: ("read" | "bash" | "edit" | "write" | "grep" | "find" | "ls" | "todo" | "preview" | "delegate")[];
  /** Which tool calls need an approval. Default: the settings of the server. */
  approval?: "never-ask" | "on-risk" | "unless-safe" | "always";
  /** Refuses every tool call that does more than read. Default false. */
  readOnly?: boolean;
  /** Replaces the built-in instructions. */
  systemPrompt?: string;
  /** Added at the end of the system prompt. */
  appendSystemPrompt?: string;
  /** Whether AGENTS.md files are read. Default true. */
  contextFiles?: boolean;
  /** Whether stream rules are read from files. Default true. */
  ruleFiles?: boolean;
  /** Further skills by their paths; false: none. */
  skills?: string[] | false;
  /** Further prompt templates by their paths; false: none. */
  promptTemplates?: string[] | false;
  /** Whether the MCP servers of the settings are used. Default true. */
  mcp?: boolean;
  /** Whether only models and MCP servers on the server's machine may be used. Default false. */
  offline?: boolean;
  /** Whether the project's `.pi` folder takes effect. Default: the remembered answer. */
  trustProject?: boolean;
  /** Retries of answers after temporary failures. `baseDelayMs`: before the first retry. */
  retry?: { enabled?: boolean; maxRetries?: number; baseDelayMs?: number };
  /** When the older part of the conversation is summarised; the numbers are tokens. */
  compaction?: { enabled?: boolean; reserveTokens?: number; keepRecentTokens?: number };
  /** The limits of one prompt. Default: no limit. */
  limits?: {
    maxTurns?: number;
    maxCostUsd?: number;
    maxTimeMs?: number;
    maxToolCalls?: number;
    maxFailuresInARow?: number;
    maxRepeats?: number;
  };
}

/** The options of `RpcClient.connect`. */
export interface ConnectOptions {
  /** The token of the server, or a function that returns it: it is called for each connection. White space around the token is dropped. */
  token?: string | (() => string | Promise<string>);
  /** The id of the session, which is live or stored. Without it, a session is begun or opened as `create` says. */
  sessionId?: string;
  /** The session to begin or to open. Default: a new one. Ignored with `sessionId`. */
  create?: SessionRequest;
  /** Names this client in the memory of the server. Each client must have a name of its own. Default: a random UUID. */
  clientId?: string;
  /** How the server sends answers. Deltas are much smaller than snapshots; the events are the same. Default `deltas`. */
  streamMode?: StreamMode;
  /** Timeout of the first connection, in milliseconds; temporary failures are retried until then. Default 30,000; 0 means no timeout. */
  startTimeoutMs?: number;
  /**
   * Timeout of a command in milliseconds, the time to connect again included. Default 30,000; 0 means no timeout. Does not apply to `bash` and
   * `compact`, which have no timeout by default.
   */
  requestTimeoutMs?: number;
  /** Maximum number of failed attempts in a row to connect again; then the client ends with `gave_up`. Default: no maximum. */
  maxReconnects?: number;
  /** Milliseconds before the first attempt in a row; doubled for each further one, at most 30 s, and varied at random. Default 250. */
  reconnectDelayMs?: number;
  /** Aborts `connect`. Has no effect afterwards. */
  signal?: Signal;
  /** Receives each message that is not a record of the protocol, or a response without an open request. Default: they are dropped. */
  onNoise?: (text: string) => void;
}
