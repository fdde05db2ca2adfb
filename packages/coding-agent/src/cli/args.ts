import { parseArgs } from "node:util";
import { thinkingLevels } from "@pikit/ai";
import { approvalPolicies } from "../config/approval-policies.ts";
import { sandboxModes } from "../config/sandbox-modes.ts";
import { type UnknownWord, UsageError } from "../errors.ts";

export interface Option {
  /** One or more letters, typed after one dash. */
  short?: string;
  /** The placeholder for the value in the help; absent for switches. */
  value?: string;
  /** Whether the option may be repeated. Default false. */
  multiple?: true;
  /** The accepted values. Default: any. */
  choices?: readonly string[];
}

/** All options. Their descriptions are in help.ts, which is loaded when they are printed. */
const options = {
  mode: { value: "text|json|rpc", choices: ["text", "json", "rpc"] },
  plain: {},
  print: { short: "p" },
  model: { value: "name" },
  provider: { value: "name" },
  "api-key": { value: "key" },
  thinking: {
    value: "level",
    choices: [...thinkingLevels, "max"],
  },
  "system-prompt": { value: "text|path" },
  "append-system-prompt": { value: "text|path", multiple: true },
  tools: { short: "t", value: "a,b" },
  "exclude-tools": { short: "xt", value: "a,b" },
  "no-builtin-tools": { short: "nbt" },
  "no-tools": { short: "nt" },
  session: { value: "path|id" },
  "session-id": { value: "id" },
  "session-dir": { value: "folder" },
  "session-store": { value: "address" },
  continue: { short: "c" },
  resume: { short: "r" },
  fork: { value: "path|id" },
  "take-over": {},
  name: { short: "n", value: "text" },
  "no-session": {},
  record: { value: "file" },
  stream: { value: "snapshots|deltas", choices: ["snapshots", "deltas"] },
  ready: {},
  "no-ready": {},
  models: { value: "a,b/*" },
  approval: { value: "policy", choices: approvalPolicies },
  "read-only": {},
  sandbox: { value: "mode", choices: sandboxModes },
  "max-turns": { value: "n" },
  "max-cost": { value: "usd" },
  "max-time": { value: "s" },
  "max-tool-calls": { value: "n" },
  extension: { short: "e", value: "path", multiple: true },
  "no-extensions": { short: "ne" },
  skill: { value: "path", multiple: true },
  "no-skills": { short: "ns" },
  "prompt-template": { value: "path", multiple: true },
  "no-prompt-templates": { short: "np" },
  theme: { value: "path", multiple: true },
  "use-theme": { value: "name" },
  "no-rules": {},
  "no-mcp": {},
  offline: {},
  approve: { short: "a" },
  "no-approve": { short: "na" },
  "no-context-files": { short: "nc" },
  export: { value: "path|id" },
  "redact-paths": {},
  "list-models": {},
  help: { short: "h" },
  version: { short: "v" },
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
  const parsed = readPlainOptions(args) ?? readAnyArguments(args);
  const values = Object.fromEntries(Object.entries(parsed.values).filter(([name]) => Object.hasOwn(options, name)));
  for (const [name, value] of Object.entries(values)) checkChoice(name as OptionName, value);
  const notices = Object.keys(parsed.values).flatMap((name) => {
    const reason = Object.hasOwn(options, name) ? undefined : ignoredOptions[name]?.reason;
    return reason === undefined ? [] : [`--${name} has no effect: ${reason}.`];
  });
  return { options: values as Values, prompts: parsed.positionals, ...(notices.length > 0 ? { notices } : {}) };
}

/** The options and prompts of a command line whose values are not checked yet. */
interface ParsedArguments {
  values: Record<string, unknown>;
  positionals: string[];
}

/**
 * Reads arguments as programs write them: long names of the table, with values as arguments of their own. Undefined for anything else, which
 * `parseArgs` reads: loading and preparing it takes 1 ms of the 45 of a start.
 */
function readPlainOptions(args: readonly string[]): ParsedArguments | undefined {
  const values: Record<string, true | string | string[]> = {};
  for (let index = 0; index < args.length; index += 1) {
    const name = args[index]?.slice(2) ?? "";
    if (args[index] !== `--${name}` || !Object.hasOwn(options, name)) return undefined;
    const { value: placeholder, multiple }: Option = options[name as OptionName];
    if (placeholder === undefined) {
      values[name] = true;
      continue;
    }
    index += 1;
    const value = args[index];
    // After an option, `parseArgs` refuses a value that looks like another option.
    if (value === undefined || value.startsWith("-")) return undefined;
    if (!multiple) values[name] = value;
    else if (Array.isArray(values[name])) values[name].push(value);
    else values[name] = [value];
  }
  return { values, positionals: [] };
}

/** @throws {UsageError} For an unknown option. */
function readAnyArguments(args: readonly string[]): ParsedArguments {
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
  try {
    return parseArgs({ args: expandShortNames(args), options: { ...known, ...ignoredOptions }, allowPositionals: true });
  } catch (error) {
    // The first sentence names the option; the rest is about "--" and would mislead.
    const [problem = ""] = (error as Error).message.split(/\.\s/);
    throw new UsageError("invalid_arguments", `${problem}. Run pi --help for the options.`, findUnknownOption(problem, args));
  }
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

/** All options, in the order of the help. */
export function listOptions(): [name: OptionName, option: Option][] {
  return Object.entries(options) as [OptionName, Option][];
}

/** The first line of the help, also shown when the prompt is missing. */
export const usage = "Usage: pi [options] [@file …] [prompt …]";
