import type { Call, Rule, Table } from "../shell/call.ts";
import { type Input, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";

/** The effects of a program on its operands, which are paths, and on the values of its options. */
interface Paths {
  /** Options with a value, separated by spaces. */
  valued?: string;
  /** Options whose value is a path that is written. */
  out?: string;
  /** The number of operands that are no paths. */
  skip?: number;
  /** The effect on the operands. `last`: the last one is written, the others are read. Default: they are read. */
  does?: "read" | "write" | "last" | "delete" | "destroy" | "second";
  /** Options with which the operands are written, such as `-i`. */
  inPlace?: string;
  /** Options with which nothing is written. */
  dry?: string;
}

function paths({ valued = "", out = "", skip = 0, does = "read", inPlace = "", dry = "" }: Paths = {}): Rule {
  return (call) => {
    const { operands, values, has } = call.options(`${valued} ${out}`);
    const targets = values(...split(out));
    call.writes(targets);
    const files = operands.slice(skip);
    if (has(...split(dry))) return unknown;
    if (inPlace !== "" && has(...split(inPlace))) call.writes(files);
    else if (does === "write") call.writes(files);
    else if (does === "delete") call.deletes(files, has("r", "R", "recursive"));
    else if (does === "destroy") call.deletes(files, true);
    else if (does === "last") copy(call, files, targets);
    else if (does === "second") {
      call.reads(files.slice(0, 1));
      call.writes(files.slice(1, 2));
    } else call.reads(files);
    return keepDownload(call);
  };
}

function split(names: string): string[] {
  return names.split(" ").filter((name) => name !== "");
}

/** Programs that change their input: a download stays one. */
function keepDownload({ input }: Call): Input {
  return input.kind === "download" ? input : unknown;
}

/** The files of a copy are read, and its target gets their content. */
function copy(call: Call, files: readonly Arg[], targets: readonly Arg[]): void {
  const sources = targets.length > 0 || files.length < 2 ? files : files.slice(0, -1);
  const [target = files.length > 1 ? files.at(-1) : plainArg(".")] = targets;
  call.reads(sources);
  if (target && targets.length === 0) call.writes([target]);
  moveContents(call, sources, target);
}

function moveContents({ shell }: Call, sources: readonly Arg[], target: Arg | undefined): void {
  for (const { text } of sources) {
    const content = shell.contentOf(text);
    if (!content || text === undefined || target?.text === undefined) continue;
    shell.remember(target.text, content);
    shell.remember(`${target.text}/${text.slice(text.lastIndexOf("/") + 1)}`, content);
  }
}

/** A move writes its target. It takes the sources away: outside of the working folder, that is a change. */
const move: Rule = (call) => {
  const { operands, values } = call.options("t target-directory S suffix");
  const targets = values("t", "target-directory");
  const target = targets[0] ?? operands.at(-1);
  call.writes([...targets, ...operands]);
  moveContents(call, operands, target);
  return undefined;
};

const link: Rule = (call) => {
  const { operands, values } = call.options("t target-directory S suffix");
  const [target = operands.length > 1 ? operands.at(-1) : plainArg(".")] = values("t", "target-directory");
  if (target) call.writes([target]);
  // Later paths through the link may lead anywhere.
  const path = target?.text === undefined ? undefined : call.shell.enter(target.text);
  if (path !== undefined && path !== call.shell.folder && /^\/|\.\./.test(operands[0]?.text ?? "/")) {
    call.shell.definitions.links.add(path);
  }
  return undefined;
};

const changeAccess: Rule = (call) => {
  const { operands, has } = call.options("reference from m M x X s g n set modify remove file restore");
  if (call.isRepeated || has("R", "recursive")) call.does("permissions");
  // In `chmod -w file` the apparent option is the mode.
  const hasMode = has("reference") || call.args.some(({ text }) => text !== undefined && /^-[rwxXst]+$/.test(text));
  return call.writes(operands.slice(hasMode ? 0 : 1));
};

const tee: Rule = (call) => {
  const { operands } = call.options();
  call.writes(operands);
  for (const { text } of operands) call.shell.remember(text, call.input);
  return call.input;
};

/** `w file` writes a file, and `e` runs a command. */
const sedWritePattern = /(?:^|[\s;{}/|#,!0-9$])[wW][ \t]+([^\s;}]+)/g;
const sedRunPattern = /\/[gpIim\d]*e[gpIim\d]*\s*(?:$|[;}\n])|(?:^|[;{\n])\s*\d*e\s/;

const sed: Rule = (call) => {
  const { operands, has, values } = call.options("e expression f file l line-length");
  const scripts = values("e", "expression");
  const isInPlace = has("in-place") || call.args.some(({ text }) => text !== undefined && /^-[nErsuz]*i/.test(text));
  const hasScript = has("e", "expression", "f", "file");
  for (const { text } of hasScript ? scripts : operands.slice(0, 1)) {
    if (text === undefined) continue;
    for (const [, path = ""] of text.matchAll(sedWritePattern)) call.writes([plainArg(path)]);
    if (sedRunPattern.test(text)) call.does("inlineCode");
  }
  if (has("f", "file")) call.does("unknown");
  const files = operands.slice(hasScript ? 0 : 1);
  if (isInPlace) call.writes(files);
  else call.reads(files);
  return keepDownload(call);
};

/** `if=…`, `of=…` */
const dd: Rule = (call) => {
  for (const arg of call.args) {
    if (arg.text?.startsWith("of=")) call.writes([{ ...arg, text: arg.text.slice(3) }]);
    else if (arg.text === undefined && arg.source.startsWith("of=")) call.writes([arg]);
  }
  return keepDownload(call);
};

const tar: Rule = (call) => {
  const [first, ...rest] = call.args;
  // The old syntax: tar xzf file.
  const isOld = first?.text !== undefined && /^[A-Za-z]+$/.test(first.text);
  const { has, values, operands } = (isOld ? call.with({ args: [{ ...first, text: `-${first.text}` }, ...rest] }) : call).options(
    "f file C directory b T X I use-compress-program to-command checkpoint-action exclude strip-components transform",
  );
  const archives = values("f", "file");
  const folders = values("C", "directory");
  for (const program of values("to-command", "checkpoint-action", "I", "use-compress-program")) {
    call.runArg({ ...program, ...(program.text === undefined ? {} : { text: program.text.replace(/^exec=/, "") }) });
  }
  if (has("x", "extract", "get")) {
    if (has("recursive-unlink")) call.deletes(folders.length > 0 ? folders : [plainArg(".")], true);
    if (has("O", "to-stdout")) return keepDownload(call);
    call.writes(has("P", "absolute-names") ? [plainArg("/")] : folders.length > 0 ? folders : [plainArg(".")]);
    const isDownload = call.input.kind === "download" || archives.some(({ text }) => call.shell.isDownload(text));
    if (isDownload) for (const { text } of folders) call.shell.remember(text, { kind: "download" });
    return undefined;
  }
  if (has("c", "create", "r", "append", "u", "update", "A")) {
    if (has("remove-files")) call.deletes(operands, true);
    call.writes(archives);
  } else call.reads(archives);
  return undefined;
};

/** Unpacks into a folder. */
function unpack(option: string, valued = "", reading = ""): Rule {
  return (call) => {
    const { values, has } = call.options(`${option} ${valued}`);
    if (has(...split(reading))) return undefined;
    const folders = values(option);
    return call.writes(folders.length > 0 ? folders : [plainArg(".")]);
  };
}

/** Replaces each file by a new file in the same folder. */
const compress: Rule = (call) => {
  const { operands, has } = call.options("S suffix T threads");
  if (!has("c", "stdout", "to-stdout", "l", "list", "t", "test")) call.writes(operands);
  return keepDownload(call);
};

/** `scp` and `rsync`: a path with a colon is on another machine. */
const copyRemote: Rule = (call) => {
  const { operands, has } = call.options(
    "e rsh f filter exclude include exclude-from include-from files-from P F i l o S c port B T",
  );
  const isDry = call.name === "rsync" && has("n", "dry-run");
  const isRemote = ({ text }: Arg) => text !== undefined && /^[^/]*:/.test(text);
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  if (operands.some(isRemote)) call.does("network");
  if (!target || isDry) return undefined;
  if (isRemote(target)) return call.does("remote");
  call.reads(operands.slice(0, -1).filter((path) => !isRemote(path)));
  call.writes([target]);
  if (call.args.some(({ text }) => text !== undefined && /^--del/.test(text))) call.deletes([target], true);
  if (has("remove-source-files")) call.deletes(operands.slice(0, -1), true);
  if (operands.some(isRemote)) call.shell.remember(target.text, { kind: "download" });
  return undefined;
};

const zip: Rule = (call) => {
  const { operands, has } = call.options("x i n b t P");
  if (has("m", "move")) call.deletes(operands.slice(1), true);
  return call.writes(operands.slice(0, 1));
};

const archive: Rule = (call) => {
  const [verb] = call.args;
  if (verb?.text !== undefined && /^[lt]$/.test(verb.text)) return undefined;
  const folders = call.args.filter(({ text }) => text?.startsWith("-o")).map((arg) => ({ ...arg, text: arg.text?.slice(2) }));
  return call.writes(folders.length > 0 ? folders : [plainArg(".")]);
};

/** Programs that work on files. */
export const files: Table = {
  "rm unlink trash": paths({ does: "delete" }),
  "shred srm wipe rimraf del-cli": paths({ does: "destroy", valued: "n iterations s size random-source" }),
  rmdir: paths({ does: "write" }),
  mv: move,
  "cp install ditto": paths({ does: "last", valued: "S suffix m mode o owner g group", out: "t target-directory" }),
  ln: link,
  "touch mkdir mkfifo truncate": paths({ does: "write", valued: "m mode d date r reference t s size o" }),
  mknod: (call) => call.writes(call.options("m mode").operands.slice(0, 1)),
  "split csplit": (call) => (call.options().has("filter") ? call.does("unknown") : call.writes([plainArg(".")])),
  "rename prename": paths({ does: "write", skip: 1, dry: "n nono dry-run" }),
  "dos2unix unix2dos": paths({ does: "write" }),
  "chmod chown chgrp setfacl chattr": changeAccess,
  tee,
  "sed gsed": sed,
  dd,
  sort: paths({ valued: "k t T S parallel", out: "o output" }),
  "uniq xxd": paths({ does: "second", valued: "f s w l c g o" }),
  patch: (call) => {
    const { values, operands, has } = call.options("d directory o output i input p strip r");
    const folders = values("d", "directory", "o", "output");
    return has("dry-run") ? undefined : call.writes([...folders, ...operands.slice(0, 1), plainArg(".")].slice(0, 2));
  },
  "tar gtar bsdtar": tar,
  unzip: unpack("d", "x", "l t p Z v"),
  zip,
  "7z 7za 7zz": archive,
  "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 brotli pigz": compress,
  "rsync scp": copyRemote,
  yq: paths({ skip: 1, inPlace: "i inplace in-place", valued: "o output-format p input-format" }),
  "shfmt clang-format gofmt goimports": paths({ inPlace: "w i", valued: "ln style" }),
  rustfmt: paths({ does: "write", dry: "check" }),
  "convert magick ffmpeg": paths({ does: "last", valued: "i c f t ss" }),
};
