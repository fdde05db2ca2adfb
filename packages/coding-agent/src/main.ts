import { type Arguments, parseArguments, usage } from "./cli/args.ts";
import { describeError } from "./cli/describe-error.ts";
import { endProcess, guardExit } from "./cli/end-process.ts";
import type { SubcommandName } from "./cli/help.ts";
import { guardProcess, onFault } from "./cli/last-resort.ts";
import { preparePlainOutput } from "./cli/plain-output.ts";
import { runRpc } from "./cli/run-rpc.ts";
import { isTelemetryWanted } from "./cli/telemetry-wanted.ts";
import { UsageError } from "./errors.ts";
import { showFirstScreen } from "./modes/terminal/first-screen.ts";
import { writeError } from "./modes/terminal-text.ts";
import { describeOldBun } from "./runtime.ts";
import { onEachSession } from "./session/each-session.ts";
import { packageVersion } from "./version.ts";

/** Runs the command line and exits with its exit code. An error is one line on stderr; `PI_DEBUG=1` adds the stack. */
export async function main(args: readonly string[]): Promise<never> {
  if (describeOldBun() !== undefined) {
    const code = await (await import("./cli/run-with-node.ts")).runWithNode(args);
    if (code !== undefined) process.exit(code);
  }
  // Programs that commands start see by these who has started them.
  Object.assign(process.env, { AI_AGENT: "pi", PI_CODING_AGENT: "true" });
  guardProcess();
  guardExit();
  if (isTelemetryWanted(process.env)) {
    onEachSession(async (session, report) => (await import("./cli/telemetry.ts")).instrument(session, report));
  }
  let exitCode: number;
  try {
    exitCode = await run(args);
  } catch (error) {
    exitCode = error instanceof UsageError ? error.exitCode : 1;
    writeError(`${describeError(error)}${await suggestionFor(error)}`);
  }
  return endProcess(exitCode);
}

async function suggestionFor(error: unknown): Promise<string> {
  if (!(error instanceof UsageError && error.unknown)) return "";
  return (await import("./suggest.ts")).suggest(error.unknown.typed, error.unknown.words);
}

type Subcommand = (args: readonly string[]) => number | Promise<number>;

/** Loads what runs a subcommand: `pi <name> …`. A prompt that begins with such a word is given in quotes, with more words in it. */
const subcommands: Readonly<Record<SubcommandName, () => Promise<Subcommand>>> = {
  acp: async () => (await import("./cli/run-acp.ts")).runAcp,
  "agent-rpc": async () => (await import("./cli/run-agent-rpc.ts")).runAgentRpc,
  rpc: async () => (await import("./cli/rpc-command.ts")).runRpcCommand,
  sessions: async () => (await import("./cli/commands/sessions.ts")).runSessions,
  undo: async () => (await import("./cli/commands/undo.ts")).runUndo,
  serve: async () => (await import("./cli/commands/serve.ts")).serve,
  login: async () => (await import("./cli/commands/login.ts")).login,
  logout: async () => (await import("./cli/commands/login.ts")).logout,
  install: async () => (await import("./cli/commands/packages.ts")).install,
  remove: async () => (await import("./cli/commands/packages.ts")).remove,
  uninstall: async () => (await import("./cli/commands/packages.ts")).remove,
  update: async () => (await import("./cli/commands/packages.ts")).update,
  list: async () => (await import("./cli/commands/packages.ts")).list,
  doctor: async () => (await import("./cli/commands/doctor.ts")).runDoctor,
  completion: async () => (await import("./cli/commands/completion.ts")).printCompletion,
};

async function run(args: readonly string[]): Promise<number> {
  const [name = ""] = args;
  // They write to stdout in their own way.
  if (name === "acp" || name === "agent-rpc" || name === "serve") return (await subcommands[name]())(args.slice(1));
  if (isSubcommand(name)) return plainly(async () => (await subcommands[name]())(args.slice(1)));
  if (args.length > 0 && args.every(isBareWord)) (await import("./cli/command-words.ts")).refuseCommandWords(args);
  const parsed = await parse(args);
  const { options } = parsed;
  if (options.version) return plainly(() => print(packageVersion()));
  if (options.help) return plainly(async () => print((await import("./cli/help.ts")).helpText()));
  if (options.export !== undefined) return plainly(async () => (await import("./cli/export-session.ts")).exportSession(parsed));
  if (options["list-models"])
    return plainly(async () => (await import("./cli/list-models.ts")).listModels(options, parsed.prompts));
  const mode = chooseMode(options);
  if (mode === "rpc") return runRpc(parsed);
  if (mode === "lines") return (await import("./cli/run-lines.ts")).runLines(parsed);
  if (mode === "terminal") {
    const first = showFirstScreen(packageVersion(), process.cwd());
    onFault(() => first.close());
    return (await import("./cli/run-terminal.ts")).runTerminal(parsed, first);
  }
  if (parsed.prompts.length === 0 && process.stdin.isTTY)
    throw new UsageError("no_prompt", `${usage}\nGive a prompt, or run pi --help.`);
  return (await import("./cli/run-prompts.ts")).runPrompts(mode, parsed);
}

async function parse(args: readonly string[]): Promise<Arguments> {
  try {
    return parseArguments(args);
  } catch (error) {
    if (!(error instanceof UsageError && error.unknown)) throw error;
    return (await import("./cli/extension-flags.ts")).parseWithFlags(args, error);
  }
}

function isSubcommand(name: string): name is SubcommandName {
  return Object.hasOwn(subcommands, name);
}

/** Runs a command that prints plain text and ends. Resolves when all text is written, or stdout is closed. */
async function plainly(act: () => number | Promise<number>): Promise<number> {
  const written = preparePlainOutput();
  const exitCode = await act();
  await written();
  return exitCode;
}

/**
 * Without `--mode` and `-p`, a terminal gets a conversation, in plain lines if it can show nothing else. `-p` replaces only the mode text; the
 * output of the modes for programs stays the same.
 */
function chooseMode({ mode, print: isPrint, plain: isPlain }: Arguments["options"]): string {
  const isAtTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (mode === undefined && !isPrint && isAtTerminal) return isPlain || process.env.TERM === "dumb" ? "lines" : "terminal";
  return isPrint && (mode ?? "text") === "text" ? "print" : (mode ?? "text");
}

/** Whether an argument is a single word, not an option or a file. A quoted prompt usually has a space or punctuation. */
function isBareWord(arg: string): boolean {
  return /^[\w:./@-]+$/.test(arg) && !/^[-@]/.test(arg);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
