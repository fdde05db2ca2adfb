import { thinkingLevels } from "@pikit/ai";
import { approvalPolicies } from "../config/approval-policies.ts";
import { sandboxModes } from "../config/sandbox-modes.ts";
import { listOptions, type Option, type OptionName, usage } from "./args.ts";

/** The description of each option. */
const descriptions: Readonly<Record<OptionName, string>> = {
  mode: "how to talk to you (default text)",
  plain: "a conversation in plain lines, as for screen readers",
  print: "print only the last answer; no effect in the other modes",
  model: "the model: id or provider/id, either with :level",
  provider: "the provider; alone: its default model",
  "api-key": "overrides stored keys and the environment",
  thinking: `how hard to think: ${thinkingLevels.join(", ")} or max`,
  "system-prompt": "replaces the built-in instructions",
  "append-system-prompt": "appended to the system prompt; repeatable",
  tools: "the only tools to use (default read,bash,edit,write)",
  "exclude-tools": "tools to leave out",
  "no-builtin-tools": "use no built-in tools, but those of extensions",
  "no-tools": "use no tools",
  session: "open a session; a path that does not exist begins one",
  "session-id": "open the session with that id, or create it",
  "session-dir": "where sessions are stored",
  "session-store": "a database of sessions, postgres://…; or set PI_SESSION_STORE",
  continue: "continue the latest session of this folder",
  resume: "choose a session from a list, and continue it",
  fork: "continue in a copy of that session",
  "take-over": "replace the session's lock if its holder was on another host",
  name: "name the session",
  "no-session": "store nothing",
  record: "record the model's answers; replay them with --model replay/<file>",
  stream: "how json and rpc modes stream answers",
  ready: "rpc mode: write a ready line (the default)",
  "no-ready": "rpc mode: write no ready line",
  models: "the models for cycle_model",
  approval: `when to ask for approval: ${approvalPolicies.join(", ")}`,
  "read-only": "refuse tools that do more than read",
  sandbox: `whether commands run in a sandbox: ${sandboxModes.join(", ")}`,
  "max-turns": "end a run before its n+1st model call",
  "max-cost": "end a run when it has cost that much",
  "max-time": "end a run after that many seconds",
  "max-tool-calls": "end a run before its n+1st tool call",
  extension: "load that extension or package; repeatable",
  "no-extensions": "load no other extensions",
  skill: "use that skill, or those of that folder; repeatable",
  "no-skills": "use no other skills",
  "prompt-template": "use that prompt template; repeatable",
  "no-prompt-templates": "use no other prompt templates",
  theme: "add that theme, or those of that folder; repeatable",
  "use-theme": "use that theme, or that of two for the background: light/dark",
  "no-rules": "do not read stream rules",
  "no-mcp": "use no MCP servers",
  offline: "use only models and MCP servers on this machine",
  approve: "trust the .pi folder of the working folder, for this run",
  "no-approve": "ignore the .pi folder of the working folder, and do not ask",
  "no-context-files": "do not read AGENTS.md files",
  export: "export that session to HTML; an argument names the file",
  "redact-paths": "with --export: show . and ~ for the working and home folders",
  "list-models": "list the usable models; words filter them",
  help: "show this help",
  version: "show the version",
};

/** An option with its name and description, for the completion of shells. */
export interface DescribedOption extends Option {
  name: string;
  help: string;
}

/** All options, in the order of the help. Short names of several letters are left out: shells complete them letter by letter. */
export function describeOptions(): DescribedOption[] {
  return listOptions().map(([name, { short, ...option }]) => ({
    ...{ name, help: descriptions[name] },
    ...option,
    ...(short?.length === 1 ? { short } : {}),
  }));
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = listOptions().map(([name, { short, value }]): [string, string] => [
    `${(short ? `-${short}, ` : "").padEnd(6)}--${name}${value ? ` <${value}>` : ""}`,
    descriptions[name],
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    usage,
    "",
    ...rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`),
    "",
    "Also:",
    ...Object.values(subcommands).flatMap(({ usage: left, help }: Subcommand) =>
      help === undefined ? [] : [`  ${`pi ${left}`.padEnd(28)}  ${help}`],
    ),
    "",
    'Examples:\n  pi --model demo/tour "Show me around"\n  pi -p "What does this do?" @src/main.ts\n  git diff | pi -p "Review this"\n  pi --mode rpc --no-session',
  ].join("\n");
}

interface Subcommand {
  /** How it is typed, after `pi`. */
  usage: string;
  /** A description for the help. Absent if the line of another subcommand describes it too. */
  help?: string;
  /** Words and options that may follow, for the completion of shells. */
  words: readonly string[];
}

/** All subcommands: the help and the completion of shells are generated from this table. */
const subcommands = {
  sessions: {
    usage: "sessions [--all] [--json]",
    help: "the stored sessions of this folder, or of all; sessions copy copies them",
    words: ["copy", "--all", "--json", "--limit", "--session-dir", "--session-store"],
  },
  undo: {
    usage: "undo [--redo] [--dry-run]",
    help: "put back the files that the last turn of a session has changed",
    words: ["--redo", "--dry-run", "--force", "--json", "--session", "--session-dir", "--session-store"],
  },
  serve: {
    usage: "serve [--host] [--port]",
    help: "sessions over HTTP, and a page to look at them",
    words: [
      ...["--host", "--port", "--root", "--token-file", "--allow-host", "--session-dir", "--json", "--help"],
      ...["--session-store", "--announce", "--forward", "--metrics-open", "--sandbox"],
    ],
  },
  login: { usage: "login | logout <provider>", help: "store an API key, or remove it", words: [] },
  logout: { usage: "logout <provider>", words: [] },
  install: {
    usage: "install <source> [-l]",
    help: "install a package: npm:name, git:host/owner/name or a path",
    words: ["--local", "--allow-scripts", "--approve", "--help"],
  },
  remove: { usage: "remove <source> [-l]", help: "remove a package", words: ["--local", "--approve", "--help"] },
  uninstall: { usage: "uninstall <source>", words: ["--local", "--approve", "--help"] },
  update: { usage: "update [source]", help: "update the installed packages", words: ["--approve", "--help"] },
  list: { usage: "list", help: "list the installed packages", words: ["--approve", "--help"] },
  doctor: { usage: "doctor", help: "what is configured, what is missing, what does not work", words: ["--session-store"] },
  completion: {
    usage: "completion bash|zsh|fish",
    help: "a completion script for the shell",
    words: ["bash", "zsh", "fish"],
  },
  acp: { usage: "acp", help: "the Agent Client Protocol, for editors", words: [] },
  "agent-rpc": { usage: "agent-rpc", help: "the agent_chat protocol", words: [] },
  rpc: {
    usage: "rpc schema | validate",
    help: "the RPC protocol as JSON Schema, a trace checked against it",
    words: ["schema", "validate"],
  },
} as const satisfies Record<string, Subcommand>;

/** The names of all subcommands. */
export type SubcommandName = keyof typeof subcommands;

/** The words that may follow each subcommand, by its name. */
export function subcommandWords(): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(subcommands).map(([name, { words }]) => [name, words]));
}
