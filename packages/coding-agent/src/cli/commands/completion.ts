import { UsageError } from "../../errors.ts";
import { type DescribedOption, describeOptions, subcommandWords } from "../help.ts";

const completionUsage = "Usage: pi completion bash|zsh|fish";

const subcommands = subcommandWords();

/** Runs `pi completion <shell>`: prints a script that completes subcommands, options, their values, and `@file` arguments. */
export function printCompletion(args: readonly string[]): number {
  const [shell = "", second] = args;
  const scripts: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };
  const script = Object.hasOwn(scripts, shell) && second === undefined ? scripts[shell] : undefined;
  if (!script) {
    throw new UsageError(
      "invalid_arguments",
      completionUsage,
      shell === "" ? undefined : { typed: shell, words: Object.keys(scripts) },
    );
  }
  process.stdout.write(script());
  return 0;
}

const names = Object.keys(subcommands).join(" ");

/** How the value of an option is completed. */
function kindOf({ value = "" }: DescribedOption): "file" | "folder" | undefined {
  if (/^(?:path|file)/.test(value)) return "file";
  return value === "folder" ? "folder" : undefined;
}

function bashScript(): string {
  const options = describeOptions();
  const all = options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
  const values = options.flatMap((option) => {
    const { name, short, choices, value } = option;
    if (value === undefined) return [];
    const pattern = short === undefined ? `--${name}` : `--${name}|-${short}`;
    const kind = kindOf(option);
    const words = choices
      ? `compgen -W "${choices.join(" ")}" -- "$word"`
      : kind
        ? `compgen -${kind === "file" ? "f" : "d"} -- "$word"`
        : ":";
    return [`    ${pattern}) COMPREPLY=($(${words})); return ;;`];
  });
  const following = Object.entries(subcommands).flatMap(([name, words]) =>
    words.length === 0 ? [] : [`    ${name}) COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word")); return ;;`],
  );
  return `# Completion of pi for bash. In ~/.bashrc: source <(pi completion bash)
_pi() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case $before in
${values.join("\n")}
  esac
  case \${COMP_WORDS[1]} in
${following.join("\n")}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "${all.join(" ")}" -- "$word")) ;;
    @*) COMPREPLY=($(compgen -f -P @ -- "\${word#@}")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$word")); fi ;;
  esac
}
complete -F _pi pi
`;
}

function zshScript(): string {
  const lines = describeOptions().map((option) => {
    const { name, short, help, choices, value, multiple } = option;
    const kind = kindOf(option);
    const action = choices ? `(${choices.join(" ")})` : kind === "file" ? "_files" : kind === "folder" ? "_files -/" : "";
    const argument = value === undefined ? "" : `:${value.replace(/[:|]/g, " ")}:${action}`;
    const flags = short === undefined ? `--${name}` : `{-${short},--${name}}`;
    const described = `[${help.replace(/[[\]:']/g, " ")}]${argument}'`;
    return short === undefined ? `    '${multiple ? "*" : ""}${flags}${described}` : `    ${flags}'${described}`;
  });
  const following = Object.entries(subcommands).flatMap(([name, words]) =>
    words.length === 0 ? [] : [`    ${name}) compadd -- ${words.join(" ")}; return ;;`],
  );
  return `#compdef pi
# Completion of pi for zsh. In ~/.zshrc, after compinit: source <(pi completion zsh)
_pi() {
  case $words[2] in
${following.join("\n")}
  esac
  if (( CURRENT == 2 )) && [[ $words[CURRENT] != -* && $words[CURRENT] != @* ]]; then
    compadd -- ${names}
    return
  fi
  if [[ $words[CURRENT] == @* ]]; then
    compset -P @
    _files
    return
  fi
  _arguments -s -S \\
${lines.join(" \\\n")}
}
compdef _pi pi
`;
}

function fishScript(): string {
  const quote = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const lines = describeOptions().map((option) => {
    const { name, short, help, choices, value } = option;
    const kind = kindOf(option);
    const parts = ["complete -c pi", `-l ${name}`, ...(short === undefined ? [] : [`-s ${short}`]), `-d ${quote(help)}`];
    if (value !== undefined) parts.push(kind ? "-r -F" : "-x");
    if (choices) parts.push(`-a ${quote(choices.join(" "))}`);
    return parts.join(" ");
  });
  const commands = Object.entries(subcommands).flatMap(([name, words]) => [
    `complete -c pi -f -n __fish_use_subcommand -a ${name}`,
    ...(words.length === 0 ? [] : [`complete -c pi -f -n '__fish_seen_subcommand_from ${name}' -a ${quote(words.join(" "))}`]),
  ]);
  return `# Completion of pi for fish. In ~/.config/fish/config.fish: pi completion fish | source\n${[...commands, ...lines].join("\n")}\n`;
}
