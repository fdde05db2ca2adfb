import { type Call, describe, type Rule } from "../call.ts";
import { type Options, readOptions } from "../options.ts";
import { type Input, nothing, unknown } from "../shell.ts";
import { type Arg, plainArg } from "../words.ts";

function writeAll({ reader, shell }: Call, targets: readonly Arg[]): undefined {
  for (const target of targets) reader.writes(target, shell);
}

/** Writes to all its operands, except the first `skip`. */
function all(valued = "", skip = 0): Rule {
  return (call) => writeAll(call, readOptions(call.args, valued).operands.slice(skip));
}

/** Writes to its last operand, or to the value of an option. */
function last(valued: string, ...targetOptions: string[]): Rule {
  return (call) => {
    const options = readOptions(call.args, valued);
    const targets = options.values(...targetOptions);
    return writeAll(call, targets.length > 0 ? targets : lastOf(options));
  };
}

function lastOf({ operands }: Options): Arg[] {
  return operands.length > 1 ? operands.slice(-1) : [plainArg(".")];
}

/** Writes only to the values of options. */
function named(valued: string, ...targetOptions: string[]): Rule {
  return (call) =>
    writeAll(
      call,
      readOptions(call.args, valued)
        .values(...targetOptions)
        .filter(({ text }) => text !== "-"),
    );
}

const remove: Rule = (call) => {
  const { operands, has } = readOptions(call.args);
  if (call.isRepeated || has("r", "R", "recursive", "f", "force")) call.reader.risk("deletion", describe(call));
  return writeAll(call, operands);
};

/** Deletes irreversibly. */
const destroy: Rule = (call) => {
  call.reader.risk("deletion", describe(call));
  return writeAll(call, readOptions(call.args, "n iterations s size random-source").operands);
};

/** Changes both source and target. */
const move: Rule = (call) => {
  const options = readOptions(call.args, "t target-directory S suffix");
  return writeAll(call, [...options.values("t", "target-directory"), ...options.operands]);
};

const changeAccess: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "reference from m M x X s g n set modify remove file restore");
  if (call.isRepeated || has("R", "recursive")) call.reader.risk("permissions", describe(call));
  // In `chmod -w file` the apparent option is the mode.
  const hasMode = has("reference") || call.args.some(({ text }) => text !== undefined && /^-[rwxXst]+$/.test(text));
  return writeAll(call, operands.slice(hasMode ? 0 : 1));
};

const tee: Rule = (call) => {
  const { operands } = readOptions(call.args);
  writeAll(call, operands);
  // The files get the input, which may be a download.
  if (call.input.kind === "download") rememberDownload(call, operands);
  return call.input;
};

const sed: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "e expression f file l line-length");
  const isInPlace = has("in-place") || call.args.some(({ text }) => text !== undefined && /^-[nErsuz]*i/.test(text));
  if (isInPlace) writeAll(call, operands.slice(has("e", "expression", "f", "file") ? 0 : 1));
  return keepKind(call);
};

/** `if=…`, `of=…` */
const dd: Rule = (call) => {
  for (const arg of call.args) {
    if (arg.text?.startsWith("of=")) call.reader.writes({ ...arg, text: arg.text.slice(3) }, call.shell);
    else if (arg.text === undefined && arg.source.startsWith("of=")) call.reader.writes(arg, call.shell);
  }
  return keepKind(call);
};

function keepKind({ input }: Call): Input {
  return input.kind === "download" ? input : unknown;
}

const tar: Rule = (call) => {
  const [first, ...rest] = call.args;
  // The old syntax: tar xzf file.
  const isOld = first?.text !== undefined && /^[A-Za-z]+$/.test(first.text);
  const args = isOld ? [{ ...first, text: `-${first.text}` }, ...rest] : call.args;
  const options = readOptions(
    args,
    "f file C directory b T X I use-compress-program to-command checkpoint-action exclude strip-components transform",
  );
  const { has, values } = options;
  if (has("remove-files", "recursive-unlink")) call.reader.risk("deletion", describe(call));
  for (const { text } of values("to-command", "checkpoint-action", "I", "use-compress-program")) {
    if (text !== undefined) call.reader.runText(text.replace(/^exec=/, ""), call.shell.fork(), nothing);
  }
  const folders = values("C", "directory");
  if (has("x", "extract", "get")) {
    if (has("P", "absolute-names")) call.reader.writes(plainArg("/"), call.shell);
    return writeAll(call, folders.length > 0 ? folders : [plainArg(".")]);
  }
  if (has("c", "create", "r", "append", "u", "update"))
    return writeAll(
      call,
      values("f", "file").filter(({ text }) => text !== "-"),
    );
  return undefined;
};

const unzip: Rule = (call) => {
  const { values, has } = readOptions(call.args, "d x");
  if (has("l", "t", "p", "Z", "v")) return undefined;
  const folders = values("d");
  return writeAll(call, folders.length > 0 ? folders : [plainArg(".")]);
};

/** Replaces each file by a new file in the same folder. */
const compress: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "S suffix T threads");
  if (!has("c", "stdout", "to-stdout", "l", "list", "t", "test")) writeAll(call, operands);
  return keepKind(call);
};

const copyRemote: Rule = (call) => {
  const options = readOptions(
    call.args,
    "e rsh f filter exclude include exclude-from include-from files-from P F i l o S c port B T",
  );
  const isDeleting = call.args.some(({ text }) => text !== undefined && /^--(del|remove-source)/.test(text));
  if (isDeleting) call.reader.risk("deletion", describe(call));
  return writeAll(
    call,
    lastOf(options).filter(({ text }) => text === undefined || !/^[^/]*:/.test(text)),
  );
};

const curl: Rule = (call) => {
  const { values, has, operands } = readOptions(
    call.args,
    "o output output-dir d data data-raw data-binary H header X request u user A user-agent e referer b cookie c cookie-jar F form T " +
      "upload-file m max-time connect-timeout retry x proxy w write-out D dump-header K config r range E cert cacert key url",
  );
  const outputs = values("o", "output").filter(({ text }) => text !== "-");
  const folders = values("output-dir");
  writeAll(call, [...outputs, ...folders, ...values("c", "cookie-jar", "D", "dump-header").filter(({ text }) => text !== "-")]);
  if (has("O", "remote-name", "remote-name-all")) outputs.push(...saveHere(call, operands));
  rememberDownload(call, outputs);
  return { kind: "download" };
};

const wget: Rule = (call) => {
  const { values, operands } = readOptions(
    call.args,
    "O output-document P directory-prefix o output-file a append-output U user-agent t tries T timeout e execute header post-data i Q w",
  );
  const outputs = values("O", "output-document");
  const folders = values("P", "directory-prefix");
  writeAll(call, [...outputs.filter(({ text }) => text !== "-"), ...folders, ...values("o", "output-file", "a", "append-output")]);
  if (outputs.length === 0 && folders.length === 0) outputs.push(...saveHere(call, operands));
  rememberDownload(call, outputs);
  return { kind: "download" };
};

/** Records and returns the files of downloads in the current folder, which have the last names of their URLs. */
function saveHere(call: Call, addresses: readonly Arg[]): Arg[] {
  writeAll(call, [plainArg(".")]);
  return addresses.flatMap(({ text }) => (text === undefined ? [] : [plainArg(text.slice(text.lastIndexOf("/") + 1))]));
}

function rememberDownload({ shell }: Call, files: readonly Arg[]): void {
  for (const { text } of files) shell.remember(text);
}

const fetchOnly: Rule = () => ({ kind: "download" });

const groups: [string, Rule][] = [
  ["rm unlink", remove],
  ["shred srm wipe rimraf del-cli", destroy],
  ["mv", move],
  ["cp", last("t target-directory S suffix", "t", "target-directory")],
  ["ln", last("t target-directory S suffix", "t", "target-directory")],
  ["install", last("t target-directory m mode o owner g group S suffix", "t", "target-directory")],
  ["touch", all("d date r reference t")],
  ["mkdir mkfifo", all("m mode")],
  ["mknod", (call) => writeAll(call, readOptions(call.args, "m mode").operands.slice(0, 1))],
  ["rmdir", all()],
  ["truncate", all("s size r reference o")],
  ["rename prename", all("", 1)],
  ["dos2unix unix2dos", all()],
  ["chmod chown chgrp setfacl chattr", changeAccess],
  ["tee", tee],
  ["sed gsed", sed],
  ["dd", dd],
  ["sort", named("o output k t T S", "o", "output")],
  ["patch", named("d directory o output i input p strip", "d", "directory", "o", "output")],
  ["tar gtar bsdtar", tar],
  ["unzip", unzip],
  ["gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd", compress],
  ["rsync scp", copyRemote],
  ["curl", curl],
  ["wget", wget],
  ["aria2c fetch http https xh lwp-request GET lynx", fetchOnly],
];

export const fileRules = new Map(groups.flatMap(([names, rule]) => names.split(" ").map((name) => [name, rule] as const)));
