import { UsageError } from "../errors.ts";
import { meantWord } from "../suggest.ts";

/** The replacements for commands of other programs. */
const instead: Readonly<Record<string, string>> = {
  ...same(
    ["session", "resume", "history"],
    "pi sessions lists the sessions; --continue, --session <path|id> or --fork <path|id> chooses one.",
  ),
  ...same(["model", "models"], "pi --list-models [word] lists the models."),
  export: "A session is exported with pi --export <path|id> [out.html].",
  help: "pi --help lists the options.",
  version: "pi --version prints the version.",
  ...same(["config", "settings"], "Settings are in ~/.pi/agent/settings.json, and in .pi/settings.json of a project."),
  auth: "pi login <provider> stores a key. Keys also come from the environment, such as ANTHROPIC_API_KEY, and from --api-key.",
  ...same(["completions", "autocomplete"], "pi completion bash|zsh|fish prints a completion script."),
  ...same(
    ["extensions", "packages", "plugins"],
    "pi list lists the installed packages, pi install adds one. An extension is also named in settings.json or with --extension.",
  ),
  upgrade: "pi is updated by the package manager that installed it, its packages by pi update.",
  mcp: "MCP servers are set in settings.json under mcpServers.",
  server: "pi serve serves sessions over HTTP; pi --mode rpc serves a program on stdin and stdout.",
};

/**
 * Refuses unquoted words that look like a command. Sent as a prompt, they would cost money, and the model might act on them; retyping them
 * costs nothing. The rule is the same for terminals and pipes.
 *
 * @param args - The whole command line, which has no options and no `@file`s.
 * @throws {UsageError} For such a command; the message says what to type instead.
 */
export function refuseCommandWords(args: readonly string[]): void {
  const [word = "", second] = args;
  const advice = Object.hasOwn(instead, word.toLowerCase()) ? instead[word.toLowerCase()] : findSubcommand(word, second);
  if (advice === undefined) return;
  const typed = args.join(" ");
  throw new UsageError(
    "invalid_arguments",
    `pi has no command "${word}". ${advice} To send the text as a prompt: pi -- "${typed}"`,
  );
}

/** The subcommands whose names are so long that a single similar word hardly is a prompt. */
const longNames = ["agent-rpc", "sessions", "doctor", "completion", "install", "uninstall"];

/** Suggests a subcommand of pi. The other ones are short and look like prompts, so only clear cases count. */
function findSubcommand(word: string, second: string | undefined): string | undefined {
  if (second === undefined) {
    const meant = meantWord(word, longNames);
    return meant && `Did you mean pi ${meant}?`;
  }
  const isRpc = meantWord(word, ["rpc"]) !== undefined && (meantWord(second, ["schema", "validate"]) ?? second);
  return isRpc === "schema" || isRpc === "validate" ? `Did you mean pi rpc ${isRpc}?` : undefined;
}

function same(words: readonly string[], advice: string): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, advice]));
}
