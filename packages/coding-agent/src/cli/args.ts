import { parseArgs } from "node:util";
import { thinkingLevels } from "@pikit/ai";
import { approvalPolicies } from "../config/approval-policies.ts";
import { type UnknownWord, UsageError } from "../errors.ts";

interface Option {
  /** One or more letters, typed after one dash. */
  short?: string;
  /** The placeholder for the value in the help; absent for switches. */
  value?: string;
  /** Whether the option may be repeated. Default false. */
  multiple?: true;
  /** The accepted values. Default: any. */
  choices?: readonly string[];
  help: string;
}

/** All options: the parser and the help are generated from this table. */
const options = {
  mode: { value: "text|json|rpc", choices: ["text", "json", "rpc"], help: "how to talk to you (default text)" },
  plain: { help: "a conversation in plain lines, as for screen readers" },
  print: { short: "p", help: "print only the last answer; no effect in the other modes" },
  model: { value: "name", help: "the model: id or provider/id, either with :level" },
  provider: { value: "name", help: "the provider; alone: its default model" },
  "api-key": { value: "key", help: "overrides stored keys and the environment" },
  thinking: {
    value: "level",
    choices: [...thinkingLevels, "max"],
    help: `how hard to think: ${thinkingLevels.join(", ")} or max`,
  },
  "system-prompt": { value: "text|path", help: "replaces the built-in instructions" },
  "append-system-prompt": { value: "text|path", multiple: true, help: "appended to the system prompt; repeatable" },
  tools: { short: "t", value: "a,b", help: "the only tools to use (default read,bash,edit,write)" },
  "exclude-tools": { short: "xt", value: "a,b", help: "tools to leave out" },
  "no-builtin-tools": { short: "nbt", help: "use no built-in tools, but those of extensions" },
  "no-tools": { short: "nt", help: "use no tools" },
  session: { value: "path|id", help: "open a session; a path that does not exist begins one" },
  "session-id": { value: "id", help: "open the session with that id, or create it" },
  "session-dir": { value: "folder", help: "where sessions are stored" },
  "session-store": { value: "address", help: "a database of sessions, postgres://…; or set PI_SESSION_STORE" },
  continue: { short: "c", help: "continue the latest session of this folder" },
  resume: { short: "r", help: "choose a session from a list, and continue it" },
  fork: { value: "path|id", help: "continue in a copy of that session" },
  "take-over": { help: "replace the session's lock if its holder was on another host" },
  name: { short: "n", value: "text", help: "name the session" },
  "no-session": { help: "store nothing" },
  record: { value: "file", help: "record the model's answers; replay them with --model replay/<file>" },
  stream: { value: "snapshots|deltas", choices: ["snapshots", "deltas"], help: "how json and rpc modes stream answers" },
  ready: { help: "rpc mode: write a ready line (the default)" },
  "no-ready": { help: "rpc mode: write no ready line" },
  models: { value: "a,b/*", help: "the models for cycle_model" },
  approval: { value: "policy", choices: approvalPolicies, help: `when to ask for approval: ${approvalPolicies.join(", ")}` },
  "read-only": { help: "refuse tools that do more than read" },
  "max-turns": { value: "n", help: "end a run before its n+1st model call" },
  "max-cost": { value: "usd", help: "end a run when it has cost that much" },
  "max-time": { value: "s", help: "end a run after that many seconds" },
  "max-tool-calls": { value: "n", help: "end a run before its n+1st tool call" },
  extension: { short: "e", value: "path", multiple: true, help: "load that extension or package; repeatable" },
  "no-extensions": { short: "ne", help: "load no other extensions" },
  skill: { value: "path", multiple: true, help: "use that skill, or those of that folder; repeatable" },
  "no-skills": { short: "ns", help: "use no other skills" },
  "prompt-template": { value: "path", multiple: true, help: "use that prompt template; repeatable" },
  "no-prompt-templates": { short: "np", help: "use no other prompt templates" },
  theme: { value: "path", multiple: true, help: "add that theme, or those of that folder; repeatable" },
  "use-theme": { value: "name", help: "use that theme, or that of two for the background: light/dark" },
  "no-rules": { help: "do not read stream rules" },
  "no-mcp": { help: "use no MCP servers" },
  offline: { help: "use only models and MCP servers on this machine" },
  approve: { short: "a", help: "trust the .pi folder of the working folder, for this run" },
  "no-approve": { short: "na", help: "ignore the .pi folder of the working folder, and do not ask" },
  "no-context-files": { short: "nc", help: "do not read AGENTS.md files" },
  export: { value: "path|id", help: "export that session to HTML; an argument names the file" },
  "redact-paths": { help: "with --export: show . and ~ for the working and home folders" },
  "list-models": { help: "list the usable models; words filter them" },
  help: { short: "h", help: "show this help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Record<string, Option>;

interface IgnoredOption {
  type: "boolean" | "string";
  multiple?: true;
  /** Why it has no effect, for a line on stderr. Absent if there is nothing to miss, so that nothing is said. */
  reason?: string;
}

/** Options of related programs that have no effect here. */
const ignoredOptions: Record<string, IgnoredOption> = {
  "no-themes": { type: "boolean" },
  "no-title": { type: "boolean" },
  "provider-session-id": { type: "string" },
  "tui-mode": { type: "string", reason: "the terminal has one mode, which keeps the scrollback" },
  verbose: { type: "boolean", reason: "pi doctor lists what is configured" },
};

export type OptionName = keyof typeof options;

type ValueOf<T> = T extends { multiple: true } ? string[] : T extends { value: string } ? string : boolean;
type Values = { [N in OptionName]?: ValueOf<(typeof options)[N]> };

/** An option that no table knows. It may belong to an extension, which is loaded later. */
export interface UnknownFlag {
  /** Without dashes. */
  name: string;
  /** The text after `=`. */
  value?: string;
  /** The place in `prompts` of the argument that follows, which is the value of an option with a value. */
  next?: number;
  /** The error if no extension has this option. */
  error: UsageError;
}

export interface Arguments {
  options: Values;
  /** Text and `@file` arguments, in order. */
  prompts: string[];
  /** A line of text for each option that has no effect. Absent if there is none. */
  notices?: string[];
  /** Options that may belong to extensions. Absent if there is none. */
  flags?: UnknownFlag[];
}

/** The options that say where sessions are stored. */
export type StoreOptions = Pick<Values, "session-store" | "session-dir" | "no-session" | "session" | "fork" | "export">;

/**
 * Parses the command line.
 *
 * @throws {UsageError} For an unknown option or value; the error names it and the known ones.
 */
export function parseArguments(args: readonly string[]): Arguments {
  const known = Object.fromEntries(
    Object.entries(options as Record<string, Option>).map(([name, { short, value, multiple = false }]) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        multiple,
        ...(short?.length === 1 ? { short } : {}),
      },
    ]),
  );
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: expandShortNames(args), options: { ...known, ...ignoredOptions }, allowPositionals: true });
  } catch (error) {
    // The first sentence names the option; the rest is about "--" and would mislead.
    const [problem = ""] = (error as Error).message.split(/\.\s/);
    throw new UsageError("invalid_arguments", `${problem}. Run pi --help for the options.`, findUnknownOption(problem, args));
  }
  const values = Object.fromEntries(Object.entries(parsed.values).filter(([name]) => Object.hasOwn(options, name)));
  for (const [name, value] of Object.entries(values)) checkChoice(name as OptionName, value);
  const notices = Object.keys(parsed.values).flatMap((name) => {
    const reason = Object.hasOwn(options, name) ? undefined : ignoredOptions[name]?.reason;
    return reason === undefined ? [] : [`--${name} has no effect: ${reason}.`];
  });
  return { options: values as Values, prompts: parsed.positionals, ...(notices.length > 0 ? { notices } : {}) };
}

/** Replaces short names of several letters, which `parseArgs` would split, by the long names. */
function expandShortNames(args: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const [name, { short = "" }] of Object.entries(options as Record<string, Option>)) {
    if (short.length > 1) names.set(`-${short}`, `--${name}`);
  }
  const end = args.indexOf("--");
  return args.map((arg, index) => (end >= 0 && index > end ? arg : (names.get(arg) ?? arg)));
}

/** The unknown option as typed; `parseArgs` splits `-modle` into `-m`, `-o` and so on. */
function findUnknownOption(problem: string, args: readonly string[]): UnknownWord | undefined {
  const name = /^Unknown option '(-[^']*)'/.exec(problem)?.[1];
  if (name === undefined) return undefined;
  const typed = name.startsWith("--") ? name : `-${args.find((arg) => arg.startsWith(name)) ?? name}`;
  return {
    typed: typed.replace(/=.*$/s, ""),
    words: [...Object.keys(options), ...Object.keys(ignoredOptions)].map((word) => `--${word}`),
  };
}

function checkChoice(name: OptionName, value: unknown): void {
  const { choices } = options[name] as Option;
  if (choices && !choices.includes(String(value))) {
    throw new UsageError("invalid_arguments", `Unknown value "${String(value)}" for --${name}: expected ${choices.join(", ")}.`, {
      typed: String(value),
      words: choices,
    });
  }
}

/** An option with its name, for the completion of shells. */
export interface DescribedOption extends Option {
  name: string;
}

/** All options, in the order of the help. Short names of several letters are left out: shells complete them letter by letter. */
export function describeOptions(): DescribedOption[] {
  return Object.entries(options as Record<string, Option>).map(([name, { short, ...option }]) => ({
    name,
    ...option,
    ...(short?.length === 1 ? { short } : {}),
  }));
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries(options as Record<string, Option>).map(([name, { short, value, help }]): [string, string] => [
    `${(short ? `-${short}, ` : "").padEnd(6)}--${name}${value ? ` <${value}>` : ""}`,
    help,
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
  serve: {
    usage: "serve [--host] [--port]",
    help: "sessions over HTTP, and a page to look at them",
    words: ["--host", "--port", "--root", "--token-file", "--allow-host", "--session-dir", "--json", "--help"],
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

export type SubcommandName = keyof typeof subcommands;

/** The words that may follow each subcommand, by its name. */
export function subcommandWords(): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(subcommands).map(([name, { words }]) => [name, words]));
}

/** The first line of the help, also shown when the prompt is missing. */
export const usage = "Usage: pi [options] [@file …] [prompt …]";
