import type { Model, RequestedThinkingLevel } from "@pikit/ai";
import type { ApprovalPolicy, RuleTexts } from "../config/approval-policies.ts";
import type { McpServerConfig } from "../config/mcp-server-settings.ts";
import type { SettingsFile } from "../config/read-settings.ts";
import type { SandboxMode, SandboxSettings } from "../config/sandbox-modes.ts";
import type { SessionChoice } from "../conversation/choose-session.ts";
import type { SessionStore } from "../conversation/session-store.ts";
import type { ProcessRunner } from "../exec/run-process.ts";
import type { ExtensionFactory } from "../extensions/api.ts";
import type { ExtensionFlag } from "../extensions/api-tools.ts";
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

/** The options that the entry points of this package set. */
export interface EntryPointOptions {
  /** Loads the module that extensions get when they import this package. Default: they load a copy of their own. */
  loadLibrary?: (() => Promise<object>) | undefined;
  /**
   * Returns the values of the options that extensions have added to the command line. Called when the extensions are loaded; it throws for
   * options that none has. Default: none is given.
   */
  readFlags?: ((known: ReadonlyMap<string, ExtensionFlag>) => ReadonlyMap<string, boolean | string>) | undefined;
  /** Whether the mode lets a program register models of the provider `host`. They can then be named before. Default: false. */
  awaitsHostModels?: boolean | undefined;
  /** The content of `settings.json` of `agentDir`, if it was read already. Default: the session reads it. */
  userSettings?: SettingsFile | undefined;
  /** Whether commands change the files of this machine, although `runProcess` is given. Default false. */
  runsLocally?: boolean;
}

/** The options of `createAgentSession`. All have defaults. */
export interface CreateAgentSessionOptions {
  /** The working folder. Default: that of the process. An opened session has its own. */
  cwd?: string;
  /** The folder of configuration and sessions. Default: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
  agentDir?: string;
  /** The folder of session files. Default: a folder in `agentDir` named after `cwd`. */
  sessionDir?: string;
  session?: SessionChoice;
  /**
   * Whether to replace the lock of the chosen session if its holder runs on another host or in another container, where pi cannot check
   * whether it is still alive. Set it only if that process has ended. A running process on this host keeps its lock. Default false.
   */
  takeOverLock?: boolean;
  /** A new name for the session. Default: it keeps its name. */
  name?: string;
  /** The store of sessions. Default: files in `sessionDir`; for the choice `memory` nothing is stored. */
  store?: SessionStore;
  /** A model, or its name: `id`, `provider/id`, either with `:level`. Default: the session's, then the settings', then one with a key. */
  model?: Model | string;
  provider?: string;
  /** The models that `models.cycle` goes through: names, or patterns with `*`. Default: all usable models. */
  modelScope?: readonly string[];
  /** The API key. Takes precedence over stored keys and the environment. */
  apiKey?: string;
  /** Default: the session's, then the settings', then `medium`. Levels that give the same request to the model count as one. */
  thinkingLevel?: RequestedThinkingLevel;
  /** Built-in tools by name. Default: read, bash, edit, write. */
  tools?: readonly BuiltInToolName[];
  /** Tools by name: those of extensions, MCP servers and `customTools` that are not in the list are left out, too. Default: none is left out. */
  onlyTools?: readonly string[];
  /** Tools by name that are left out, whatever their source. Default: none. */
  excludeTools?: readonly string[];
  /** Further tools. A tool with the name of a built-in tool replaces it. */
  customTools?: readonly ToolDefinition[];
  /** The risk tier of further tools, by tool name. Default: `execute`. */
  toolTiers?: Readonly<Record<string, RiskTier>>;
  /** Which tool calls `user` must approve. Default: the settings', else `never-ask`. */
  approval?: ApprovalPolicy;
  /** Rules for approvals, which count together with those of the settings. */
  approvalRules?: RuleTexts;
  /** Refuses every tool call that does more than read. Default false. */
  readOnly?: boolean;
  /**
   * The sandbox of commands and local MCP servers: a mode, or settings that replace those of the user field by field. It also limits which files
   * tools read and write. Default: the user's settings, else `off`.
   */
  sandbox?: SandboxMode | SandboxSettings;
  /** Replaces the built-in instructions. */
  systemPrompt?: string;
  /** Added at the end of the system prompt. */
  appendSystemPrompt?: string;
  /** Whether AGENTS.md files are read. Default true. */
  contextFiles?: boolean;
  /** Rules that are matched against answers while they stream. They come before those of files. Default: none. */
  streamRules?: readonly StreamRule[];
  /** Whether rules are read from `rules` of `agentDir` and of a trusted project's `.pi`. Default true. */
  ruleFiles?: boolean;
  /** Extensions: functions, or paths (relative to `cwd`) of files, folders or packages. */
  extensions?: readonly (string | ExtensionFactory)[];
  /** Whether extensions of settings, of `agentDir` and of a trusted project's `.pi` are loaded too. Default true. */
  discoverExtensions?: boolean;
  /** Time limit of an extension's handler in milliseconds, without the time it waits for the user. Default: 30,000. */
  extensionTimeoutMs?: number;
  /** Whether the project's `.pi` folder takes effect in this session. Default: the remembered answer, else `user` is asked. */
  trustProject?: boolean;
  /** Paths of skills (relative to `cwd`) in addition to the default folders; false: no skills at all. */
  skills?: readonly string[] | false;
  /** Whether skills of settings, of `agentDir`, of `~/.agents` and of a trusted project are used too. Default true. */
  discoverSkills?: boolean;
  /** Paths of prompt templates (relative to `cwd`) in addition to the default folders; false: no prompt templates at all. */
  promptTemplates?: readonly string[] | false;
  /** Whether prompt templates of settings, of `agentDir` and of a trusted project's `.pi` are used too. Default true. */
  discoverPromptTemplates?: boolean;
  /** Whether the MCP servers of the settings are used. Default true. */
  mcp?: boolean;
  /** Further MCP servers, by name. One with the name of a server of the settings replaces it. Default: none. */
  mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** Whether only models and MCP servers on this machine may be used. Default false. It does not restrict tools and extensions. */
  offline?: boolean;
  /** Called with one line for each piece of configuration that is not used. Default: `user.notify`. */
  onProblem?: (problem: string) => void;
  /** A file to which all answers of models are appended, for `--model replay/<file>`. Relative to `cwd`. */
  record?: string;
  /** The files of the tools. Default: those of this machine. */
  files?: FileAccess;
  /** Runs shell commands. Default: on this machine. */
  runProcess?: ProcessRunner;
  /** Retries of answers after temporary failures. Default: the settings', else 3 after 2, 4 and 8 seconds. */
  retry?: Partial<RetrySettings>;
  /** When and how the conversation is summarised. Default of each field: that of the settings, else the built-in default. */
  compaction?: Partial<CompactionSettings>;
  /** The limits of one run. Default of each field: that of the settings, else no limit. */
  limits?: RunLimits;
  /** The interface for questions to the user. Default: none; questions get their default answers. */
  user?: UserInterface;
  /**
   * Whether the start handlers of extensions run at once. With false, the caller subscribes to the events and then calls `start`; without
   * that call, the first prompt starts them. Default true.
   */
  autoStart?: boolean;
  /** Called with the output of running `bash` calls as it arrives, as plain text. */
  onCommandOutput?: CommandObserver;
  /** Whether `onCommandOutput` distinguishes stdout and stderr; their order is then inexact. Default false. */
  separateStreams?: boolean;
  /** Called for every preview that the `preview` tool serves. */
  onPreview?: (event: PreviewEvent) => void;
  /** Called for every sub-task that the `delegate` tool begins. */
  onDelegation?: DelegationObserver;
}
