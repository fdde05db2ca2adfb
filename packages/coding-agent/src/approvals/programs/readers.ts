import { basename, dirname } from "node:path";
import type { Call, Rule, Table } from "../shell/call.ts";
import { type Input, nothing, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";

const silent: Rule = () => nothing;

const changeFolder: Rule = ({ args, shell }) => {
  const target = args.find(({ text }) => text === "-" || !text?.startsWith("-"));
  if (target === undefined) shell.folder = shell.home;
  // `-` is the previous folder, which is not tracked.
  else shell.folder = target.text === undefined || target.text === "-" ? undefined : shell.enter(target.text);
  return nothing;
};

const leaveFolder: Rule = ({ shell }) => {
  shell.folder = undefined;
  return nothing;
};

/** `read`, `mapfile`: variables from the input. */
const readVariables: Rule = (call) => {
  const { input, shell } = call;
  const values = input.kind === "files" ? input.paths : [undefined];
  for (const { text } of call.options("a d i n N p t u O s c C").operands) if (text !== undefined) shell.assign(text, values);
  return nothing;
};

/** `export`, `local` and similar: their assignments stay in effect. */
const declare: Rule = ({ args, shell }) => {
  for (const { text, source } of args) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text ?? source) ?? [];
    if (name !== undefined) shell.assign(name, [text === undefined ? undefined : value]);
  }
  return nothing;
};

const defineAlias: Rule = ({ args, shell }) => {
  for (const { text } of args) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text ?? "") ?? [];
    if (name !== undefined && value !== undefined) shell.definitions.aliases.set(name, value);
  }
  return nothing;
};

const trap: Rule = (call) => {
  const [action] = call.options().operands;
  if (action && action.text !== "-") call.runArg(action);
  return nothing;
};

const echo: Rule = ({ args }) => printed(args.filter(({ text }) => text === undefined || !/^-[neE]+$/.test(text)));

const printf: Rule = ({ args, shell }) => {
  if (args[0]?.text === "-v" && args[1]?.text !== undefined) shell.assign(args[1].text, [undefined]);
  const [format, ...values] = args;
  if (format?.text === undefined) return unknown;
  // Only the text of the format is used, not the formatted values.
  const words = format.text.replace(/%[-+ #0-9.]*[a-zA-Z]/g, " ").replaceAll("\\n", "\n");
  return printed([plainArg(words), ...values]);
};

function printed(args: readonly Arg[]): Input {
  const texts = args.map(({ text }) => text);
  if (texts.every((text) => text !== undefined)) return { kind: "text", text: `${texts.join(" ")}\n` };
  return args.find(({ origin }) => origin?.kind === "download")?.origin ?? unknown;
}

/** `cat` and similar commands, which print their input or files. */
const cat: Rule = (call) => {
  const { operands } = call.options("n H p r l");
  call.reads(operands);
  if (operands.length === 0 || operands.some(({ text }) => text === "-")) return call.input;
  const known = operands.map(({ text, origin }) => origin ?? call.shell.contentOf(text));
  return (
    known.find((content) => content !== undefined) ?? (operands.some(({ text }) => text === undefined) ? unknown : { kind: "file" })
  );
};

/** Keeps whole lines of its input. */
const keepLines: Rule = (call) => {
  call.reads(call.options("n c k t d f s w").operands);
  return ["files", "processes", "download"].includes(call.input.kind) ? call.input : unknown;
};

/** Changes its input: file names become unknown text, but a download stays a download. */
const changeLines: Rule = ({ input }) => (["processes", "download"].includes(input.kind) ? input : unknown);

/** Prints a short text that is neither a path nor an option. */
const printWord: Rule = () => ({ kind: "text", text: "0" });

/** `dirname`, `basename`: a part of a path. */
function printPart(part: (path: string) => string): Rule {
  return ({ args: [first] }) =>
    first?.text === undefined || first.text.startsWith("-") ? unknown : { kind: "text", text: part(first.text) };
}

const printFolder: Rule = ({ shell }) => (shell.folder === undefined ? unknown : { kind: "text", text: shell.folder });

const listFolder: Rule = (call) => {
  const { operands } = call.options("I w T");
  const texts = operands.map(({ text }) => text);
  if (texts.includes(undefined)) return unknown;
  const names = texts.filter((text) => text !== undefined).map((text) => (/[*?[]/.test(text) ? text : `${text}/*`));
  return { kind: "files", paths: names.length > 0 ? names : ["./*"] };
};

/** `grep -l`, `rg --files`: print names of files in the given folders. */
const search: Rule = (call) => {
  const { operands, has, values } = call.options(
    "e f m A B C g t T include exclude exclude-dir regexp file glob type max-count pre pre-glob",
  );
  for (const program of values("pre")) call.run([program]);
  const hasPattern = has("e", "f", "regexp", "file", "files");
  const folders = hasPattern ? operands : operands.slice(1);
  call.reads(folders);
  if (!has("l", "L", "files-with-matches", "files-without-match", "files")) return keepKind(call);
  const texts = folders.map(({ text }) => text);
  if (texts.includes(undefined)) return unknown;
  return {
    kind: "files",
    paths: texts.length > 0 ? texts.filter((text) => text !== undefined).map((text) => `${text}/*`) : ["./*"],
  };
};

function keepKind({ input }: Call): Input {
  return ["files", "processes", "download"].includes(input.kind) ? input : unknown;
}

/** A file or folder in the folder for temporary files. `-p` chooses another folder. */
const makeTemporary: Rule = (call) => {
  const { operands, values, has } = call.options("p tmpdir suffix t");
  const [folder] = values("p", "tmpdir");
  const [name] = operands;
  const isHere = name && !has("t", "p", "tmpdir") && folder === undefined;
  if (isHere && name.text?.includes("/") !== true) call.writes([plainArg(".")]);
  if (isHere) return { kind: "text", text: name.text ?? "/tmp/new" };
  if (folder) call.writes([folder]);
  return folder && folder.text === undefined ? unknown : { kind: "text", text: `${folder?.text || "/tmp"}/new` };
};

/** Reads, except with arguments that match. */
function readsUnless(pattern: RegExp, output?: Input): Rule {
  return (call) => {
    if (call.args.some(({ text }) => text === undefined || pattern.test(text))) call.does("unknown");
    return output;
  };
}

const tree: Rule = (call) => {
  const { values, operands } = call.options("o L P I");
  call.reads(operands);
  return call.writes(values("o"));
};

/** Builtins of the shell, and programs that only read and print. */
export const readers: Table = {
  "true false : test [ [[ exit return set shopt unset wait sleep type hash umask ulimit shift break continue let jobs disown fg bg dirs getopts times caller suspend logout":
    silent,
  "cd pushd": changeFolder,
  popd: leaveFolder,
  "read mapfile readarray": readVariables,
  "export local declare typeset readonly": declare,
  alias: defineAlias,
  unalias: silent,
  trap,
  echo,
  printf,
  "cat bat batcat zcat bzcat xzcat zless": cat,
  "egrep fgrep head tail tac nl column": keepLines,
  "cut tr base64 base32 jq rev fold fmt paste join comm expand unexpand pr look hexdump od strings gron jless": changeLines,
  "pgrep pidof ps lsof": () => ({ kind: "processes" }),
  "date whoami nproc id uname seq wc expr arch uptime cksum md5sum md5 sha1sum sha224sum sha256sum sha512sum shasum b2sum tty sum bc":
    printWord,
  pwd: printFolder,
  dirname: printPart(dirname),
  basename: printPart(basename),
  "ls dir vdir exa eza lsd": listFolder,
  "grep rg ack ag zgrep ugrep": search,
  mktemp: makeTemporary,
  tree,
  "stat file du df free which whereis realpath readlink diff cmp colordiff sdiff diff3 cloc tokei scc printenv locale tput tty cal getent getconf groups users who w last man info apropos whatis help factor numfmt yes nm objdump readelf ldd otool size pstree vmstat iostat lscpu lsblk lsusb lspci lsmod blkid ss netstat top htop history clear reset less more sw_vers system_profiler glances sensors identify ffprobe xmllint iconv":
    readsUnless(/^(-K|-o|--kill|--output(-file)?(=|$)|--pager=|--html=|--filter-cmd=)/),
  hostname: readsUnless(/^[^-]/),
  "dmesg journalctl": readsUnless(/^(-[cCD]|--clear|--vacuum|--rotate|--flush|--setup)/),
  "ip ifconfig route": readsUnless(/^(add|del|delete|set|flush|change|replace|up|down|exec)$/),
};
