import type { Call, Rule, Table } from "../shell/call.ts";
import type { RiskKind } from "../shell/effects.ts";
import { type Input, nothing, type Place, unknown } from "../shell/shell.ts";
import { type Arg, plainArg, unknownArg } from "../shell/words.ts";

/** A program that runs the command in its arguments. */
interface Wrapper {
  /** Options with a value. */
  valued?: string;
  /** The number of operands before the command, such as a duration or a container. */
  skip?: number;
  /** Subcommands that run a command, such as `exec` in `pnpm exec`. */
  verbs?: string;
  /** The effect of the wrapper itself. */
  does?: RiskKind | "network";
  /** Options whose value is a script. */
  text?: string;
  /** Options whose value is a file that is written. */
  out?: string;
  place?: Place;
  /** Whether the operands are one script. */
  joins?: boolean;
}

function wraps(wrapper: Wrapper = {}): Rule {
  const { valued = "", text = "", out = "", skip = 0, verbs, does } = wrapper;
  return (call) => {
    if (does) call.does(does);
    const rest = verbs === undefined ? call.args : afterVerb(call.args, verbs, call.with({}), valued);
    if (!rest) return unknown;
    const inner = call.with({ args: rest });
    const options = inner.options(`${valued} ${text} ${out}`, skip !== Number.POSITIVE_INFINITY);
    call.writes(options.values(...out.split(" ")));
    for (const script of options.values(...text.split(" "))) call.runArg(script);
    let words = options.operands.slice(skip);
    if (words[0]?.text === "--") words = words.slice(1);
    // `flock file -c text`
    if (text !== "" && words[0]?.text === "-c" && words[1]) return call.runArg(words[1]);
    const shell = wrapper.place ? call.shell.fork({ place: wrapper.place, folder: undefined }) : call.shell;
    return wrapper.joins ? runJoined(call, words, shell) : call.run(withoutAssignments(words), { shell });
  };
}

function afterVerb(args: readonly Arg[], verbs: string, call: Call, valued: string): Arg[] | undefined {
  const [verb, ...rest] = call.with({ args }).options(valued, true).operands;
  if (verb?.text === "compose") return afterVerb(rest, verbs, call, valued);
  return verb?.text !== undefined && verbs.split(" ").includes(verb.text) ? rest : undefined;
}

function withoutAssignments(words: readonly Arg[]): readonly Arg[] {
  const start = words.findIndex(({ text, source }) => !/^[A-Za-z_]\w*=/.test(text ?? source));
  return start === -1 ? [] : words.slice(start);
}

function runJoined(call: Call, words: readonly Arg[], shell = call.shell.fork()): Input {
  const [first] = words;
  return first ? call.runArg({ ...first, text: joinTexts(words) }, shell) : nothing;
}

function joinTexts(words: readonly Arg[]): string | undefined {
  // Parts that are only known at run time stay in the text as variables.
  return words[0]?.text === undefined ? undefined : words.map(({ text, source }) => text ?? source).join(" ");
}

const env: Rule = (call) => {
  const { values, operands } = call.options("u unset C chdir S split-string", true);
  const [folder] = values("C", "chdir");
  const at = folder ? { folder: folder.text === undefined ? undefined : call.shell.enter(folder.text) } : {};
  const shell = folder ? call.shell.fork(at) : call.shell;
  for (const { text, source } of operands.slice(0, operands.length - withoutAssignments(operands).length)) {
    if (/^(PATH|LD_|DYLD_|GIT_|BASH_ENV|NODE_OPTIONS|PYTHONPATH)/.test(text ?? source)) call.does("unknown");
  }
  const [text] = values("S", "split-string");
  if (text) return call.runArg({ ...text, text: joinTexts([text, ...operands]) }, shell);
  return call.run(withoutAssignments(operands), { shell });
};

const command: Rule = (call) => {
  const { operands, has } = call.options("", true);
  return has("v", "V") ? unknown : call.run(operands);
};

/** Runs a command on another machine, which has no working folder. */
const ssh: Rule = (call) => {
  call.does("network");
  const [, ...words] = call.options("b c D E e F I i J L l m O o p Q R S W w B", true).operands;
  const remote = call.shell.fork({ folder: undefined, place: "remote" });
  return words.length > 0 ? runJoined(call, words, remote) : runInput(call.with({ shell: remote }));
};

/** Runs an input as a script. If its text is not known, that is a risk, except for existing files. */
function runInput(call: Call): Input {
  const { input } = call;
  if (input.kind === "text") return call.with({ input: nothing }).runArg(plainArg(input.text));
  if (input.kind === "download") call.does("download");
  else if (input.kind === "file") call.does("unknown");
  else if (input.kind !== "nothing") call.does("unknownCommand", `its input goes to ${call.text}`);
  return unknown;
}

/** Checks a file that is run: what a script has just written or downloaded is known, other files are code of the project. */
export function runFile(call: Call, file: Arg, readCode: (text: string) => void): void {
  const content = file.origin ?? call.shell.contentOf(file.text);
  if (content?.kind === "download") call.does("download");
  else if (content?.kind === "text") readCode(content.text);
  else if (content?.kind === "unknown" || (file.text === undefined && file.tail === "")) call.does("unknownCommand");
  else call.does("unknown");
}

const shell: Rule = (call) => {
  const { operands, has } = call.options("o O rcfile init-file", true);
  const [first] = operands;
  if (has("c", "command")) return first ? call.runArg(first) : unknown;
  const readsInput = first === undefined || has("s") || first.text === "-" || first.text === "/dev/stdin";
  if (readsInput) return runInput(call);
  if (!has("n")) runFile(call, first, (text) => call.runArg(plainArg(text)));
  return unknown;
};

const evaluate: Rule = (call) => {
  const { args } = call;
  const unclear = args.find(({ text }) => text === undefined);
  if (unclear) return call.runArg(unclear);
  return call.runArg(plainArg(args.map(({ text }) => text).join(" ")), call.shell);
};

const source: Rule = (call) => {
  const [file] = call.options("", true).operands;
  if (file?.text === "/dev/stdin") return runInput(call);
  if (file) runFile(call, file, (text) => call.runArg(plainArg(text), call.shell));
  return unknown;
};

/** A program by its path, such as `./run.sh`. */
export const script: Rule = (call) => {
  const [name = ""] = call.part.words;
  runFile(call, { ...plainArg(name) }, (text) => call.runArg(plainArg(text)));
  return unknown;
};

const find: Rule = (call) => {
  const { args } = call;
  const start = args.findIndex(({ text }) => text !== undefined && /^(-[^HLPOD]|-D.|[(!])/.test(text));
  const before = (start === -1 ? args : args.slice(0, start)).filter(({ text }) => !text?.startsWith("-"));
  const folders = before.length > 0 ? before : [plainArg(".")];
  call.reads(folders);
  const tests = start === -1 ? [] : args.slice(start);
  const found = folders.flatMap((folder) => below(folder, tests));
  for (let index = 0; index < tests.length; index++) {
    const test = tests[index]?.text;
    if (test === "-delete") call.deletes(found, true);
    if (test !== undefined && /^-f(print0?|printf|ls)$/.test(test)) call.writes(tests.slice(index + 1, index + 2));
    if (test === undefined || !/^-(exec|ok)(dir)?$/.test(test)) continue;
    const end = tests.findIndex(({ text }, position) => position > index && (text === ";" || text === "+"));
    const words = tests.slice(index + 1, end === -1 ? tests.length : end);
    call.run(substitute(words, "{}", found), { input: nothing, shell: call.shell.fork(), isRepeated: true });
    index = end === -1 ? tests.length : end;
  }
  const texts = found.map(({ text }) => text);
  return texts.includes(undefined) ? unknown : { kind: "files", paths: texts.filter((text) => text !== undefined) };
};

/** The paths that `find` finds, with the names that it looks for. */
function below(folder: Arg, tests: readonly Arg[]): Arg[] {
  const names = tests.flatMap(({ text }, index) => {
    const value = tests[index + 1]?.text;
    return value !== undefined && text !== undefined && /^-i?(name|path)$/.test(text) && tests[index - 1]?.text !== "!"
      ? [value.slice(value.replace(/\/\*?$/, "").lastIndexOf("/") + 1)]
      : [];
  });
  // A name that is left out says nothing about the others.
  const count = (...words: string[]) => tests.filter(({ text }) => text !== undefined && words.includes(text)).length;
  const isPlain = names.length > 0 && count("!", "-not") === 0;
  const choices = count("-o", "-or");
  const isClear = choices === 0 || (choices === names.length - 1 && count("-prune") === 0);
  const { text } = folder;
  if (text === undefined) return [folder];
  return (isPlain && isClear ? names : ["*"]).map((name) => ({ ...folder, text: `${text}/*/${name}` }));
}

const xargs: Rule = (call) => {
  const { has, values, operands } = call.options(
    "I n P L s d E a max-args max-procs max-lines delimiter arg-file replace process-slot-var",
    true,
  );
  const names = argsFrom(has("a", "arg-file") ? unknown : call.input);
  const mark = values("I", "replace")[0]?.text ?? (has("i", "replace") ? "{}" : undefined);
  if (operands.length === 0) return unknown;
  const words = mark === undefined ? [...operands, ...names] : substitute(operands, mark, names);
  return call.run(words, { input: nothing, shell: call.shell.fork(), isRepeated: true });
};

const parallel: Rule = (call) => {
  const { operands } = call.options("j jobs n N I colsep joblog results", true);
  const end = operands.findIndex(({ text }) => text !== undefined && /^:::/.test(text));
  const words = end === -1 ? operands : operands.slice(0, end);
  const values = end === -1 ? argsFrom(call.input) : operands.slice(end + 1);
  const [first] = words;
  const repeated = { input: nothing, shell: call.shell.fork(), isRepeated: true };
  if (!first) {
    for (const value of values) call.runArg(value);
    return unknown;
  }
  const hasMark = words.some(({ text }) => text?.includes("{}"));
  const full = hasMark ? substitute(words, "{}", values) : [...words, ...values];
  // A single word with spaces is a shell command.
  return words.length === 1 && first.text?.includes(" ") ? runJoined(call.with(repeated), full) : call.run(full, repeated);
};

/** `fd -x command`. */
const fd: Rule = (call) => {
  const { args } = call;
  const at = args.findIndex(({ text }) => text !== undefined && /^(-x|-X|--exec|--exec-batch)$/.test(text));
  const found = [plainArg("./*")];
  if (at !== -1) {
    const words = args.slice(at + 1);
    const hasMark = words.some(({ text }) => text?.includes("{"));
    const full = hasMark ? substitute(words, "{}", found) : [...words, ...found];
    call.run(full, { input: nothing, shell: call.shell.fork(), isRepeated: true });
  }
  return { kind: "files", paths: ["./*"] };
};

/** The arguments that a program such as xargs creates from its input. */
function argsFrom(input: Input): Arg[] {
  if (input.kind === "files") return input.paths.map(plainArg);
  if (input.kind !== "text") return [unknownArg("its input", input)];
  const fields = input.text.split(/\s+/).filter((field) => field !== "");
  return fields.map(plainArg);
}

/** Limits of substitutions: commands need less, and the work stays short. */
const maxValues = 50;
const maxProduct = 1_000_000;

/** Replaces a placeholder by each of the values. */
function substitute(words: readonly Arg[], mark: string, values: readonly Arg[]): Arg[] {
  const isTooMuch = (text: string) =>
    values.length > maxValues || values.some((value) => (value.text?.length ?? 0) * text.length * values.length > maxProduct);
  return words.flatMap((word) => {
    const { text } = word;
    if (mark === "" || !text?.includes(mark)) return [word];
    if (isTooMuch(text)) return [unknownArg(word.source)];
    return values.map((value) =>
      value.text === undefined
        ? { ...unknownArg(word.source, value.origin), tail: text.slice(text.lastIndexOf(mark) + mark.length) }
        : { ...word, text: text.replaceAll(mark, () => value.text as string) },
    );
  });
}

const container =
  "e env env-file u user w workdir v volume p publish name network entrypoint m memory l label h hostname mount platform cpus c n " +
  "container namespace f file index profile project-name add-host a attach gpus restart";
/** Parts of this machine that a container should not get. */
const strongMount = /^(\/|\/(etc|usr|var|home|root|Users)(\/.*)?|\/?~\/?|\$HOME\/?):|docker\.sock/;

/** A command in a container, which gets folders of this machine only by mounts. */
const contain =
  (verbs: string): Rule =>
  (call) => {
    const { values, has } = call.options(container);
    const mounts = values("v", "volume", "mount").map(({ text, source }) => text ?? source);
    const { home, folder } = call.shell;
    // Folders of the user are often mounted, such as the cache of a package manager.
    const isOwn = (mount: string) =>
      mount.startsWith(`${home}/`) ||
      (folder !== undefined && /^[:/]/.test(mount.slice(folder.length)) && mount.startsWith(folder));
    const isStrong = (mount: string) =>
      mount.startsWith(`${home}/:`) || (strongMount.test(mount) && (!isOwn(mount) || mount.includes("docker.sock")));
    if (has("privileged") || mounts.some(isStrong)) {
      call.does("system");
    }
    return wraps({ verbs, valued: container, skip: 1, place: "container" })(call);
  };

const sudo = "u user g group h host p prompt C close-from D chdir R chroot r role t type T command-timeout U other-user";

/** Programs that run commands: those in their arguments, in texts, and in files. */
export const runners: Table = {
  "nohup builtin coproc unbuffer valgrind busybox toybox shx cross-env cross-env-shell dotenvx retry chronic proxychains proxychains4 setsid":
    wraps(),
  dotenv: wraps({ valued: "e f" }),
  exec: wraps({ valued: "a" }),
  time: wraps({ valued: "f format", out: "o output" }),
  nice: wraps({ valued: "n adjustment" }),
  ionice: wraps({ valued: "c class n classdata p pid" }),
  timeout: wraps({ valued: "k kill-after s signal", skip: 1 }),
  gtimeout: wraps({ valued: "k kill-after s signal", skip: 1 }),
  stdbuf: wraps({ valued: "i input o output e error" }),
  chrt: wraps({ skip: 1, valued: "T P D" }),
  taskset: wraps({ skip: 1 }),
  caffeinate: wraps({ valued: "t w" }),
  "strace ltrace": wraps({ valued: "e p s u P E a", out: "o" }),
  "xvfb-run": wraps({ valued: "n s server-num server-args e f" }),
  fakeroot: wraps({ valued: "l s i" }),
  flock: wraps({ valued: "w timeout E", skip: 1, text: "c command" }),
  script: wraps({ text: "c command", skip: 1 }),
  watch: wraps({ valued: "n interval", joins: true }),
  entr: wraps({}),
  "npx bunx pnpx": wraps({ valued: "p package", text: "c call", does: "network" }),
  uvx: wraps({ valued: "p python from with", does: "network" }),
  sudo: wraps({ valued: sudo, does: "otherUser" }),
  doas: wraps({ valued: "u C", does: "otherUser" }),
  pkexec: wraps({ valued: "user", does: "otherUser" }),
  run0: wraps({ valued: "u user g group D chdir", does: "otherUser" }),
  runuser: wraps({ valued: "u user g group s shell", does: "otherUser", text: "c command" }),
  su: wraps({ valued: "g group s shell w", does: "otherUser", text: "c command", skip: Number.POSITIVE_INFINITY }),
  chroot: wraps({ valued: "userspec groups", skip: 1, does: "system" }),
  nsenter: wraps({ valued: "t target S G", does: "system" }),
  unshare: wraps({ valued: "S G R w", does: "system" }),
  "systemd-run": wraps({ valued: "p property u unit M machine slice description on-calendar on-active", does: "system" }),
  env,
  command,
  ssh,
  "sh bash zsh dash ksh mksh ash rbash fish": shell,
  eval: evaluate,
  "source .": source,
  find,
  xargs,
  parallel,
  "fd fdfind": fd,
};

/** Subcommands that run commands, of programs that have other subcommands, too. */
export const runningVerbs: Table = {
  npm: wraps({ verbs: "exec x", valued: "p package w workspace", text: "c call" }),
  pnpm: wraps({ verbs: "exec dlx", valued: "C dir filter F package" }),
  yarn: wraps({ verbs: "exec dlx", valued: "p package" }),
  bun: wraps({ verbs: "x" }),
  uv: wraps({ verbs: "run", valued: "p python with extra group project directory" }),
  poetry: wraps({ verbs: "run", valued: "C directory" }),
  "pipenv rye hatch pdm": wraps({ verbs: "run" }),
  bundle: wraps({ verbs: "exec" }),
  "mise rtx direnv asdf": wraps({ verbs: "exec x" }),
  "conda mamba micromamba": wraps({ verbs: "run", valued: "n name p prefix" }),
  "docker podman docker-compose nerdctl": contain("run exec"),
  "kubectl oc": wraps({ verbs: "exec", valued: container, skip: 1, place: "container" }),
  "doppler infisical": wraps({ verbs: "run", valued: "p c config project" }),
};
