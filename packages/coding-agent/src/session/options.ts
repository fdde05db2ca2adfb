import type { Model, RequestedThinkingLevel } from "@pikit/ai";
import type { ApprovalPolicy } from "../config/approval-policies.ts";
import type { SessionChoice } from "../conversation/choose-session.ts";
import type { SessionStore } from "../conversation/session-store.ts";
import type { ProcessRunner } from "../exec/run-process.ts";
import type { ExtensionFactory } from "../extensions/api.ts";
import type { RiskTier } from "../risk-tiers.ts";
import type { RetrySettings } from "../run/auto-retry.ts";
import type { CompactionSettings } from "../run/compaction/policy.ts";
import type { RunLimits } from "../run/limits.ts";
import type { StreamRule } from "../run/stream-rules/rule.ts";
import type { CommandObserver } from "../tools/bash/run.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import type { DelegationObserver } from "../tools/delegate/run.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import type { BuiltInToolName } from "../tools/index.ts";
import type { PreviewEvent } from "../tools/preview/run.ts";
import type { UserInterface } from "../user-interface.ts";

/** What `createAgentSession` can be told. Everything has a default. */
export interface CreateAgentSessionOptions {
  /** The folder to work in. Default: the process's. A session that is opened brings its own. */
  cwd?: string;
  /** Where configuration and sessions live. Default: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
  agentDir?: string;
  /** Where sessions of this folder are stored. Default: a folder of `agentDir` named after `cwd`. */
  sessionDir?: string;
  session?: SessionChoice;
  /**
   * Whether the lock of the chosen session is replaced when its holder is on another host or in another container, where it cannot be asked
   * about. Say so only when that process has ended. A process of this host that is running keeps its lock. Default false.
   */
  takeOverLock?: boolean;
  /** The session's name. Default: the one that it has. */
  name?: string;
  /** Where sessions are kept. Default: files in `sessionDir`; nowhere for the choice `memory`. */
  store?: SessionStore;
  /** A model, or its name: `id`, `provider/id`, either with `:level`. Default: the session's, then the settings', then what has a key. */
  model?: Model | string;
  provider?: string;
  /** The models that `models.cycle` walks: names, or patterns with `*`. Default: all that can be used. */
  modelScope?: readonly string[];
  /** Wins over stored keys and the environment. */
  apiKey?: string;
  /** Default: the session's, then the settings', then `medium`. What requests to the model cannot tell apart is one level. */
  thinkingLevel?: RequestedThinkingLevel;
  /** Built-in tools by name. Default: read, bash, edit, write. */
  tools?: readonly BuiltInToolName[];
  /** Further tools. One with the name of a built-in tool takes its place. */
  customTools?: readonly ToolDefinition[];
  /** How far calls of further tools reach, by the tool's name. Default: `execute`. */
  toolTiers?: Readonly<Record<string, RiskTier>>;
  /** Which calls need a yes of `user`. Default: the settings', else `never-ask`. */
  approval?: ApprovalPolicy;
  /** Refuses every call that does more than look. Default false. */
  readOnly?: boolean;
  /** Takes the place of the built-in instructions. */
  systemPrompt?: string;
  /** Added at the end of the system prompt. */
  appendSystemPrompt?: string;
  /** Whether AGENTS.md files are read. Default true. */
  contextFiles?: boolean;
  /** Rules that answers are watched for while they stream, before those of files. Default: none. */
  streamRules?: readonly StreamRule[];
  /** Whether rules are read from `rules` of `agentDir` and of a trusted project's `.pi`. Default true. */
  ruleFiles?: boolean;
  /** Extensions: functions, or paths (relative to `cwd`) of files, folders or packages. */
  extensions?: readonly (string | ExtensionFactory)[];
  /** Whether extensions of settings, of `agentDir` and of a trusted project's `.pi` are loaded too. Default true. */
  discoverExtensions?: boolean;
  /** Milliseconds that a handler of an extension may take, waiting for the user aside. Default: 30 seconds. */
  extensionTimeoutMs?: number;
  /** Whether what the folder brings in `.pi` takes effect in this session. Default: as remembered, else `user` is asked. */
  trustProject?: boolean;
  /** Paths of skills (relative to `cwd`) beside the usual ones; false: no skills at all. */
  skills?: readonly string[] | false;
  /** The same of prompt templates. */
  promptTemplates?: readonly string[] | false;
  /** Whether the MCP servers of the settings are used. Default true. */
  mcp?: boolean;
  /** Whether only models and MCP servers on this machine may be asked. Default false. What tools and extensions do is their own. */
  offline?: boolean;
  /** Told of each piece of configuration that is not used, in one line. Default: `user.notify`. */
  onProblem?: (problem: string) => void;
  /** A file that everything the models answer is appended to, for `--model replay/<file>`. Relative to `cwd`. */
  record?: string;
  /** The files that tools work on. Default: those of this machine. */
  files?: FileAccess;
  /** What runs shell commands. Default: this machine. */
  runProcess?: ProcessRunner;
  /** Retries of answers that failed for a passing reason. Default: the settings', else 3 after 2, 4 and 8 seconds. */
  retry?: Partial<RetrySettings>;
  /** When and how the conversation is summarised. What is absent: as the settings say, else the defaults. */
  compaction?: Partial<CompactionSettings>;
  /** What one run may use up. What is absent: as the settings say, else no limit. */
  limits?: RunLimits;
  /** Who is asked where a decision is needed. Default: nobody; questions get their defaults. */
  user?: UserInterface;
  /**
   * Whether extensions are told at once that the session begins. With false, `start` of the session tells them, when whoever shows what they say
   * listens; at the latest the first prompt does. Default true.
   */
  autoStart?: boolean;
  /** Sees the output of running `bash` calls as it comes, as plain text. */
  onCommandOutput?: CommandObserver;
  /** Whether `onCommandOutput` is told truly what is stdout and what stderr; their order is then inexact. Default false. */
  separateStreams?: boolean;
  /** Told of every preview that the `preview` tool serves. */
  onPreview?: (event: PreviewEvent) => void;
  /** Told of every sub-task that the `delegate` tool begins. */
  onDelegation?: DelegationObserver;
}
