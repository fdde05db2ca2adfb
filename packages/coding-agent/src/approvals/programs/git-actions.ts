import type { Action, Call } from "../shell/call.ts";
import { type Arg, plainArg } from "../shell/words.ts";

/** Settings that change nothing that runs. */
const harmlessSetting =
  /^(user|color|init|advice|push|pull|branch|remote\.\w+\.fetch|core\.(autocrlf|quotepath|ignorecase|filemode|longpaths))\b/i;
/** Settings whose values are commands. */
const commandSetting =
  /^(alias\.|pager\.|sequence\.editor|diff\.external|core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|\w+\.(.*\.)?(cmd|command|driver|textconv|clean|smudge|process|program|helper)=)/i;

/** A name that is a single file: it has an ending, or is one of the usual names without one. */
const fileName = /(^|\/)(\.?[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,9}|Makefile|Dockerfile|LICENSE|README|Gemfile|Rakefile|\.\w+)$/;
const maxNamed = 5;

/** Whether the arguments are a few single files: to restore them is an ordinary change. */
function areFewFiles(args: readonly Arg[], { isRepeated }: Call): boolean {
  return !isRepeated && args.length <= maxNamed && args.every(({ text }) => fileName.test(text) && !/[*?[\0]/.test(text));
}

/** The subcommands of Git that depend on more than the table says. */
export const gitActions: Record<string, Action> = {
  /** `-c name=value` for one command. */
  setsFor(call, on) {
    for (const setting of call.with({ stops: true }).values(on)) readSetting(call, setting);
    return undefined;
  },
  /** The user's own configuration is not in the working folder. */
  configures(call) {
    const [name, value, second] = call.operands;
    const isReading = call.has("--get|--get-all|--get-regexp|-l|--list") || /^(get|list)$/.test(name?.text ?? "");
    const isWriting = call.has("--unset|--unset-all|--add|--replace-all|-e|--edit|--remove-section|--rename-section");
    if (isReading || !name || (!isWriting && !value)) return undefined;
    call.writes([plainArg(call.has("--system") ? "/etc/gitconfig" : call.has("--global") ? `${call.shell.home}/.gitconfig` : ".")]);
    const [key, text] = /^(set|unset|edit)$/.test(name.text) ? [value, second] : [name, value];
    if (key) readSetting(call, { ...key, text: `${key.text}=${text?.text ?? ""}` });
    return undefined;
  },
  /** The clone counts as a download: its scripts come from another machine. */
  clones(call) {
    const [source, folder] = call.operands;
    const name = /([^/:]+?)(?:\.git)?\/*$/.exec(source?.text ?? "")?.[1];
    const target = folder ?? (name === undefined ? undefined : plainArg(name));
    for (const setting of call.values("-c|--config")) readSetting(call, setting);
    if (target) call.shell.remember(target.text, { kind: "download" });
    return call.writes(target ? [target] : []);
  },
  pushes: (call) => (call.operands.some(({ text }) => /^[+:]/.test(text)) ? call.does("forcePush") : undefined),
  fetches: (call) => (call.operands.some(({ text }) => text.startsWith("+")) ? call.does("history") : undefined),
  /** Everything but the current commit and files moves the branch. */
  resets(call) {
    const [first] = call.operands;
    const isBranch = first && !/^(HEAD|\.)$/.test(first.text) && !areFewFiles(call.operands, call);
    return isBranch && !call.has("-p|--patch") && !call.args.some(({ text }) => text === "--") ? call.does("history") : undefined;
  },
  /** `checkout` of paths: all after `--`, all after a commit, or a first operand that is a path. */
  restores(call) {
    const [first, ...rest] = call.operands;
    const dashes = call.args.findIndex(({ text }) => text === "--");
    const isPath = /^[.:]\/?$|\/$|[*?[]|^\.\.?\//.test(first?.text ?? "");
    const creates = call.args.some(({ text }) => /^(-b|--orphan|-t|--track|-p|--patch|-B)$/.test(text));
    const paths = dashes === -1 ? (isPath ? call.operands : creates ? [] : rest) : call.args.slice(dashes + 1);
    return paths.length > 0 && !areFewFiles(paths, call) ? call.does("discard") : undefined;
  },
  restoresFiles(call) {
    const isStaged = call.has("-S|--staged") && !call.has("-W|--worktree");
    return isStaged || areFewFiles(call.operands, call) ? undefined : call.does("discard");
  },
};

/** `name=value`. A new subcommand may be anything. */
function readSetting(call: Call, { text, ...setting }: Arg): void {
  const value = text.replace(/^[^=]*=!?/s, "");
  if (/^alias\./i.test(text) && /=[^!]/.test(text)) call.does("unknownCommand");
  else if (commandSetting.test(text) && value !== "") call.runText({ ...setting, text: value });
  if (!harmlessSetting.test(text)) call.does("unknown");
}
