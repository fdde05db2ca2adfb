import { basename } from "node:path";
import type { Call, Rule, Table } from "../shell/call.ts";
import { shorten } from "../shell/effects.ts";
import { type Input, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";
import { runFile } from "./runners.ts";

interface Language {
  /** The letters of options with code. */
  code: string;
  longCode?: string;
  /** Options with a value that is not code. */
  valued?: string;
  /** The letters of options that replace the script: `python -m`. */
  module?: string;
  /** Calls that delete or write files, or start programs. Strings and comments are left out before. */
  calls: RegExp;
  /** Marks that only strings contain, such as the names of modules. */
  texts?: RegExp;
  comment: RegExp;
}

const hash = /#.*/g;
const slashes = /(?<!:)\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

const python: Language = {
  code: "c",
  valued: "W X",
  module: "m",
  calls:
    /\b(rmtree|unlink|removedirs|rmdir|os\.(remove|system|popen|rename|replace|kill|killpg|exec\w*|spawn\w*|chmod|chown|truncate|makedirs|mkdir|symlink|link|write)|shutil\.(move|copy\w*|chown|unpack_archive)|subprocess|pty\.spawn|check_call|check_output|Popen|write_text|write_bytes|\w+\.(touch|to_csv|to_json|to_excel|to_parquet|savefig|extractall|mkdir|writelines)|requests\.(delete|put|patch)|urlretrieve|exec|eval|__import__|getattr|importlib|marshal|ctypes|drop_all|executescript)\b|open\([^()]*(\([^()]*\)[^()]*)?,\s*(mode\s*=\s*)?['"][rbt]*[wax+]/,
  comment: hash,
};

const javascript: Language = {
  code: "ep",
  longCode: "--eval --print",
  valued: "r C --require --import --loader",
  calls:
    /\b(rm|rmSync|rmdir|rmdirSync|unlink|unlinkSync|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|truncate|truncateSync|rename|renameSync|copyFile|copyFileSync|cp|cpSync|mkdir|mkdirSync|symlink|symlinkSync|chmod|chmodSync|execSync|execFile|execFileSync|spawn|spawnSync|fork|eval|Function|rimraf|outputFile|outputFileSync|emptyDir|emptyDirSync|removeSync|process\.kill|Bun\.write|Deno\.(remove|write\w*|run|Command|rename|copyFile|mkdir))\s*\(|\$`|process\.binding/,
  texts: /child_process|\[\s*['"`](rm|unlink|write|append|exec|spawn)\w*['"`]\s*\]/,
  comment: slashes,
};

const perl: Language = {
  code: "eE",
  valued: "I",
  calls:
    /\b(unlink|rmdir|rmtree|remove_tree|system|exec|rename|truncate|mkdir|kill|chmod|chown|symlink|sysopen|syswrite|fork|eval|qx|spew\w*)\b|`|open\s*\(?[^;]{0,200}['"]\s*(\+?[>|]|<\+)|\|\s*['"]/,
  texts: /open\s*\(?[^;]{0,200},\s*['"]\s*(\+?>|\||<\+|-\|)/,
  comment: hash,
};

const ruby: Language = {
  code: "e",
  valued: "I r",
  calls:
    /\b(FileUtils|unlink|rmtree|rm_rf|rm_r|rm_f|rm|delete|system|exec|spawn|fork|popen\w*|rename|mkdir|chmod|chown|symlink|truncate|eval|send|File\.(write|delete|rename)|IO\.(write|popen)|Open3|Process\.kill)\b|`|%x|File\.open\([^)]{0,200},\s*['"][^'"]{0,5}[wa+]/,
  comment: hash,
};

const php: Language = {
  code: "rBE",
  valued: "d c",
  calls:
    /\b(unlink|rmdir|file_put_contents|fwrite|fputs|rename|copy|mkdir|chmod|chown|touch|symlink|system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec|eval|move_uploaded_file)\s*\(|`|fopen\([^)]{0,200},\s*['"][^'"]{0,5}[waxc+]/,
  comment: /#.*|(?<!:)\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g,
};

const others: Language = {
  code: "e",
  valued: "l",
  calls:
    /\b(os\.(remove|rename|execute)|io\.popen|system2?|unlink|file\.(remove|rename|delete|copy)|writeLines|write\.\w+|rm|exec|run|delete|execute|cp|mv|sh|File\.(rm|rm_rf|write|cp)\w*|do shell script|shell|remove|write\w*)\b|open\([^)]{0,200},\s*['"][wa]/,
  texts: /do shell script|to delete|shell_cmd/,
  comment: /--.*/g,
};

const languages: [RegExp, Language][] = [
  [/^(python|pypy|ipython)[\d.]*$/, python],
  [/^(node|nodejs|tsx|ts-node)$/, javascript],
  [/^perl[\d.]*$/, perl],
  [/^(ruby[\d.]*|irb)$/, ruby],
  [/^php[\d.]*$/, php],
  [/^(lua|luajit|Rscript|osascript|tclsh|julia|elixir|groovy|R|swift|scala|kotlin|ghc)[\d.]*$/, others],
];

const stringPattern =
  /[fFrRbBuU]{0,2}(?:"""(?:[^"]|"(?!""))*(?:""")?|'''(?:[^']|'(?!''))*(?:''')?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g;

/** Leaves out strings, because they are no code: not the short ones, which may be the modes of `open`, and not those with code inside. */
function withoutStrings(code: string): string {
  return code.replace(stringPattern, (text) => (text.length < 7 || /^[fF]|[#$@{`]/.test(text) ? text : '""'));
}

const maxCode = 100_000;

/** Statements of SQL that change or delete data. */
export const sqlChange =
  /\b(drop|truncate)\s+(table|database|schema|index|view|user|role|column)|\b(delete\s+from|truncate\s+\w+|update\s+[\w."]+\s+set|alter\s+(table|database|user|role)|grant|revoke)\b/i;

/** Checks code, which pi does not understand, for calls that delete or write. */
function readCode(call: Call, code: string, { calls, texts, comment }: Language): void {
  const bare = withoutStrings(code.slice(0, maxCode)).replace(comment, "");
  if (code.length > maxCode || calls.test(bare) || texts?.test(code) || sqlChange.test(code))
    call.does("inlineCode", `${call.name} ${shorten(code)}`);
  else call.does("unknown");
}

/** Returns the code in options, and the first operand; the arguments after it belong to the script. */
function readArguments(args: readonly Arg[], { code, longCode = "", valued = "", module = "" }: Language) {
  const codes: Arg[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as Arg;
    const { text } = arg;
    const next = args[index + 1];
    if (text === undefined || text === "-" || !text.startsWith("-")) return { codes, script: arg, isModule: false };
    if (text.startsWith("--")) {
      const [name = "", value] = text.split(/=(.*)/s);
      const isCode = longCode.split(" ").includes(name);
      if (isCode && value !== undefined) codes.push({ ...arg, text: value });
      else if (isCode && next) codes.push(next);
      if (value === undefined && (isCode || valued.split(" ").includes(name))) index += 1;
      continue;
    }
    const letters = text.slice(1);
    if (module !== "" && letters.startsWith(module)) return { codes, script: undefined, isModule: true };
    const at = [...letters].findIndex(
      (letter, position) => code.includes(letter) && /^[A-Za-z0-9.]*$/.test(letters.slice(0, position)),
    );
    if (at === -1) {
      if (valued.split(" ").includes(letters)) index += 1;
      continue;
    }
    const attached = letters.slice(at + 1);
    const isCluster = [...attached].every((letter) => code.includes(letter));
    if (!isCluster) codes.push({ ...arg, text: attached });
    else if (next) codes.push(args[++index] as Arg);
  }
  return { codes, script: undefined, isModule: false };
}

function interpret(call: Call, language: Language): void {
  if (call.args.length === 1 && /^(--?version|-[vVh]|--help)$/.test(call.args[0]?.text ?? "")) return;
  const { codes, script, isModule } = readArguments(call.args, language);
  for (const { text, origin } of codes) {
    if (text !== undefined) readCode(call, text, language);
    else call.does(origin?.kind === "download" ? "download" : "unknownCommand");
  }
  const readsInput = script === undefined || script.text === "-" || script.text === "/dev/stdin";
  if (codes.length > 0) editInPlace(call, script);
  else if (isModule) runModule(call);
  else if (readsInput) readInput(call, language);
  else {
    runFile(call, script, (text) => readCode(call, text, language));
    // These files have subcommands, such as `python manage.py flush`.
    const name = basename(script.text ?? "");
    if (/^(manage\.py|artisan|rails|rake)$/.test(name))
      call.run([plainArg(name), ...call.args.slice(call.args.indexOf(script) + 1)]);
  }
}

/** `python -m pip` is `pip`. */
function runModule(call: Call): void {
  const at = call.args.findIndex(({ text }) => text?.startsWith("-m"));
  const [, name = call.args[at + 1]?.text] = /^-m(.+)$/.exec(call.args[at]?.text ?? "") ?? [];
  const rest = call.args.slice(call.args[at]?.text === "-m" ? at + 2 : at + 1);
  if (name === undefined) call.does("unknown");
  else call.run([plainArg(name), ...rest]);
}

/** Handles a program that is read from stdin. */
function readInput(call: Call, language: Language): void {
  const { input } = call;
  if (input.kind === "text") readCode(call, input.text, language);
  else if (input.kind === "download") call.does("download");
  else if (input.kind === "nothing" || input.kind === "file") call.does("unknown");
  else call.does("unknownCommand", `its input goes to ${call.text}`);
}

/** `perl -pi -e code files`, also with `-0777` and similar in the same word. */
const inPlace = /^-(?:0[xX]?[\da-fA-F]*|l[0-7]*|[acFlnpsStTuUvwWX])*i/;

function editInPlace(call: Call, firstFile: Arg | undefined): void {
  const isInPlace = /^(perl|ruby)/.test(call.name) && call.args.some(({ text }) => text !== undefined && inPlace.test(text));
  if (isInPlace && firstFile) call.writes(call.args.slice(call.args.indexOf(firstFile)));
}

/** `deno eval code`, `bun test` and similar. */
const withVerbs: Rule = (call) => {
  const [verb, first] = call.options().operands;
  if (verb?.text === "eval" && first?.text !== undefined) readCode(call, first.text, javascript);
  else if (verb?.text === "run" && first?.text?.startsWith("http")) call.does("download");
  else if (verb?.text === "run" && first) runFile(call, first, (text) => readCode(call, text, javascript));
  else call.does("unknown");
  return unknown;
};

const awkStrings = /"(?:[^"\\\n]|\\.)*"/g;
const awkWritePattern = /\bprintf?\b[^;}\n|]{0,500}?>>?\s*(\S[^;}\n]*)/g;
const awkPipePattern = /\|&?\s*("\d+")|("\d+")\s*\|/g;

/** The program of awk, which is its first operand: `print > "file"`, `| "command"` and `system()`. */
const awk: Rule = (call) => {
  const { has, operands, values } = call.options("F v f i field-separator assign file include");
  const program = has("f", "file") ? undefined : operands[0];
  const files = operands.slice(program ? 1 : 0);
  if (has("f", "file")) call.does("unknown");
  if (values("i", "include").some(({ text }) => text === "inplace")) call.writes(files);
  else call.reads(files);
  if (program && program.text === undefined) call.does("unknownCommand");
  // Strings become numbers, so that the text in them is not seen as code.
  const texts: string[] = [];
  const code = (program?.text ?? "").slice(0, maxCode).replace(awkStrings, (text) => `"${texts.push(text.slice(1, -1)) - 1}"`);
  const textOf = (mark: string | undefined) => texts[Number(mark?.slice(1, -1))] ?? "";
  for (const [, target = ""] of code.matchAll(awkWritePattern)) {
    const isText = /^"\d+"\s*$/.test(target);
    if (isText) call.writes([plainArg(textOf(target.trim()))]);
    // `print $1 > 5` compares.
    else if (!/^\d+\s*$/.test(target)) call.writes([{ ...plainArg(target), text: undefined, source: `> ${target.trim()}` }]);
  }
  const piped = call.with({ input: unknown });
  for (const [, after, before] of code.matchAll(awkPipePattern)) piped.runArg(plainArg(textOf(after ?? before)));
  if (/\bsystem\s*\(/.test(code)) call.does("inlineCode", `${call.name} ${shorten(program?.text ?? "")}`);
  return ["processes", "download"].includes(call.input.kind) ? call.input : (unknown satisfies Input);
};

/** `bun -e code`; the other calls of bun are those of a package manager. */
const bunCode: Rule = (call) => {
  if (call.options("", true).has("e", "p", "eval", "print")) interpret(call, javascript);
  return unknown;
};

export const interpreters: Table = { deno: withVerbs, bun: bunCode, "awk gawk mawk nawk": awk };

/** Finds the rule of an interpreter by its name, which may end with a version. */
export function findInterpreter(name: string): Rule | undefined {
  const found = languages.find(([pattern]) => pattern.test(name));
  return found && ((call) => void interpret(call, found[1]) as undefined);
}
