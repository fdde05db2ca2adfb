import { describe, type Rule } from "../call.ts";
import { readOptions } from "../options.ts";
import { type Input, nothing, unknown } from "../shell.ts";
import { type Arg, plainArg } from "../words.ts";

const silent: Rule = () => nothing;

const changeFolder: Rule = ({ args, shell }) => {
  const [target] = readOptions(args).operands;
  if (target === undefined) shell.folder = shell.home;
  // `-` is the previous folder, which is not tracked.
  else shell.folder = target.text === undefined || target.text === "-" ? undefined : shell.resolve(target.text);
  return nothing;
};

const leaveFolder: Rule = ({ shell }) => {
  shell.folder = undefined;
  return nothing;
};

/** `read`, `mapfile`: variables from the input. */
const readVariables: Rule = ({ args, input, shell }) => {
  const values = input.kind === "files" ? input.folders.map((folder) => `${folder}/found`) : [undefined];
  for (const { text } of readOptions(args, "a d i n N p t u O s c C").operands) if (text !== undefined) shell.assign(text, values);
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
  const [action] = readOptions(call.args).operands;
  if (action?.text === undefined) {
    if (action) call.reader.risk("unknownCommand", describe(call));
  } else if (action.text !== "-") call.reader.runText(action.text, call.shell.fork(), nothing);
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
const cat: Rule = ({ args, input, shell }) => {
  const { operands } = readOptions(args);
  if (operands.length === 0) return input;
  if (operands.some(({ text, origin }) => origin?.kind === "download" || shell.isDownload(text))) return { kind: "download" };
  if (operands.some(({ text }) => text === "-")) return input;
  return operands.some(({ text }) => text === undefined) ? unknown : { kind: "file" };
};

/** Keeps whole lines of its input. */
const keepLines: Rule = ({ input }) => (["files", "processes", "download"].includes(input.kind) ? input : unknown);

/** Changes its input: file names become unknown text, but a download stays a download. */
const changeLines: Rule = ({ input }) => (["processes", "download"].includes(input.kind) ? input : unknown);

const listProcesses: Rule = () => ({ kind: "processes" });

/** Prints a short text that is neither a path nor an option. */
const printWord: Rule = () => ({ kind: "text", text: "0" });

const printFolder: Rule = ({ shell }) => (shell.folder === undefined ? unknown : { kind: "text", text: shell.folder });

const listFolder: Rule = ({ args }) => {
  const folders = readOptions(args, "I w T").operands.map(({ text }) => text);
  if (folders.includes(undefined)) return unknown;
  return { kind: "files", folders: folders.length > 0 ? folders.filter((text) => text !== undefined) : ["."] };
};

/** `grep -l`, `rg --files`: print names of files in the given folders. */
const search: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "e f m A B C g t T include exclude exclude-dir regexp file glob type max-count");
  const listsNames = has("l", "L", "files-with-matches", "files-without-match", "files");
  if (!listsNames) return keepLines(call);
  const hasPattern = has("e", "f", "regexp", "file", "files");
  const folders = (hasPattern ? operands : operands.slice(1)).map(({ text }) => text);
  if (folders.includes(undefined)) return unknown;
  return { kind: "files", folders: folders.length > 0 ? folders.filter((text) => text !== undefined) : ["."] };
};

const groups: [string, Rule][] = [
  ["true false : test [ exit return set shopt unset wait sleep type hash umask ulimit shift break continue let", silent],
  ["cd pushd", changeFolder],
  ["popd", leaveFolder],
  ["read mapfile readarray", readVariables],
  ["export local declare typeset readonly", declare],
  ["alias", defineAlias],
  ["trap", trap],
  ["echo", echo],
  ["printf", printf],
  ["cat bat zcat", cat],
  ["egrep fgrep sort uniq head tail tac nl column", keepLines],
  ["awk gawk mawk cut tr sed base64 xxd gunzip gzip zstd xz jq rev fold", changeLines],
  ["pgrep pidof ps", listProcesses],
  ["date hostname whoami nproc id uname basename seq wc expr arch", printWord],
  ["pwd", printFolder],
  ["ls", listFolder],
  ["grep rg ack ag", search],
];

export const builtinRules = new Map(groups.flatMap(([names, rule]) => names.split(" ").map((name) => [name, rule] as const)));
