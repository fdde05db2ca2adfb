import type { Action, Call } from "../shell/call.ts";
import { hole, type Input, nothing, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";

/** Programs that run others: as words, as a text, or from a file. */
export const running: Record<string, Action> = {
  /** The arguments are a command, after assignments of variables. */
  runs: (call, on) => runWords(call, call.pick(on), call.shell),
  scripts(call, on) {
    const scripts = call.pick(on).filter(({ text }) => text !== "-");
    // Without `exec=`, as in the actions of tar.
    for (const script of scripts) call.runText({ ...script, text: script.text.replace(/^exec=/, "") });
    return undefined;
  },
  /** The arguments are one script. */
  joins: (call) => runJoined(call, call.with({ stops: true }).operands),
  /** A command in a container. */
  contains: (call, on) => {
    const inside = call.with({ stops: true });
    return runWords(inside, inside.pick(on), call.shell.fork({ place: "container", folder: hole }));
  },
  /** A container should not get the system, all of the user's files, or the socket of its own server. */
  mounts(call) {
    const { folder, home } = call.shell;
    const isStrong = ({ text }: Arg) => {
      const [, source = ""] = /^(?:.*\b(?:source|src)=)?([^:,]*)[:,]/.exec(text) ?? [];
      const isOwn = source.startsWith(`${home}/`) || source === folder || source.startsWith(`${folder}/`);
      const isSystem = source === home || /^\/?$|^\/(etc|usr|var|home|root|Users)(\/|$)/.test(source);
      return text.includes("docker.sock") || (source !== "" && isSystem && !isOwn);
    };
    const options = call.with({ stops: true });
    if (options.has("--privileged") || options.values("-v|--volume|--mount").some(isStrong)) call.does("system");
    return undefined;
  },
  changesEnvironment(call) {
    const before = call.with({ stops: true });
    const [folder] = before.values("-C|--chdir");
    const shell = call.shell.fork(folder ? { folder: call.shell.enter(folder.text) } : {});
    const [text] = before.values("-S|--split-string");
    return text ? runJoined(call, [text, ...before.operands], shell) : runWords(call, before.operands, shell);
  },
  /** A command on another machine, which has no working folder. */
  connects(call) {
    const [, ...words] = call.with({ stops: true }).operands;
    const shell = call.shell.fork({ folder: hole, place: "remote" });
    return words.length > 0 ? runJoined(call, words, shell) : runInput(call.with({ shell }));
  },
  /** `-o ProxyCommand=…` runs on this machine. */
  proxies(call, on) {
    for (const option of call.with({ stops: true }).pick(on)) {
      const [, command] = /^\w*Command[= ](.*)$/is.exec(option.text) ?? [];
      if (command !== undefined) call.runText({ ...option, text: command });
    }
    return undefined;
  },
  runsShell(call) {
    const before = call.with({ stops: true });
    const [first] = before.operands;
    if (before.has("-c|--command")) return first ? call.runText(first) : unknown;
    if (before.has("-s") || readsInput(first)) return runInput(call);
    if (first && !before.has("-n")) runFile(call, first, (text) => call.runText(plainArg(text)));
    return unknown;
  },
  evaluates(call) {
    const unclear = call.args.find(({ text }) => text.startsWith(hole));
    return runJoined(call, unclear ? [unclear] : call.args, call.shell);
  },
  sources(call) {
    const [file] = call.operands;
    if (file?.text === "/dev/stdin") return runInput(call);
    if (file) runFile(call, file, (text) => call.runText(plainArg(text), call.shell));
    return unknown;
  },
  /** `make SHELL=…` */
  setsShell(call) {
    for (const arg of call.args)
      if (/^\.?SHELL(FLAGS)?=/.test(arg.text)) call.runText({ ...arg, text: arg.text.replace(/^.*?=/, "") });
    return undefined;
  },
  /** `less +!command`, `vim -c '!command'` */
  edits(call) {
    for (const arg of call.args) {
      const [, command] = /^\+?:?!(.*)$/s.exec(arg.text) ?? [];
      if (command !== undefined) call.runText({ ...arg, text: command });
    }
    return call.reads(call.operands.filter(({ text }) => !/^[+:!]/.test(text)));
  },
};

function runWords(call: Call, words: readonly Arg[], shell = call.shell): Input {
  const start = words.findIndex(({ text }) => text !== "--" && !/^[A-Za-z_]\w*=/.test(text));
  const command = start === -1 ? [] : words.slice(start);
  for (const word of words.slice(0, words.length - command.length)) call.sets(word);
  // `flock file -c text`
  if (command[0]?.text === "-c" && command[1]) return call.runText(command[1], shell);
  return call.run(command, { shell });
}

function runJoined(call: Call, words: readonly Arg[], shell = call.shell.fork()): Input {
  const [first] = words;
  return first ? call.runText({ ...first, text: words.map(({ text }) => text).join(" ") }, shell) : nothing;
}

function readsInput(file: Arg | undefined): boolean {
  return file === undefined || file.text === "-" || file.text === "/dev/stdin";
}

/** Runs the input as a script. If its text is not known, that is a risk, except for existing files. */
function runInput(call: Call): Input {
  return runUnseen(call, (text) => call.with({ input: nothing }).runText(plainArg(text)));
}

/** Passes the text that a program runs from its input to `readText`, or reports that it is not known. */
export function runUnseen(call: Call, readText: (text: string) => Input): Input {
  const { input } = call;
  if (input.kind === "text") return readText(input.text);
  if (input.kind === "download") call.does("download");
  else if (input.kind === "file") call.does("unknown");
  else if (input.kind !== "nothing") call.does("unknownCommand", `its input goes to ${call.text}`);
  return unknown;
}

/** Checks a file that is run: what a script has just written or downloaded is known, other files are code of the project. */
export function runFile(call: Call, file: Arg, readText: (text: string) => unknown): void {
  const content = file.origin ?? call.shell.contentOf(file.text);
  const tail = file.text.slice(file.text.lastIndexOf(hole) + 1);
  if (content?.kind === "download") call.does("download");
  else if (content?.kind === "text") readText(content.text);
  else call.does(content?.kind === "unknown" || tail === "" ? "unknownCommand" : "unknown");
}
